import { isControlledBy } from '@binnacle/machinery';
import type { PersistentVolumeClaim, Pod, Volume } from '@binnacle/api/core/v1';

/** Index of pods: by `namespace/name` of the claims that they name, or that are made for them. */
export const BY_CLAIM = 'claim';

/** The declaration of that index. */
export const PODS_BY_CLAIM: { readonly [name: string]: (pod: Pod) => readonly string[] } = { [BY_CLAIM]: claimKeysOf };

/** `namespace/name` of each claim of a pod. */
export function claimKeysOf(pod: Pod): readonly string[] {
  return (pod.spec.volumes ?? []).flatMap((volume) => {
    const name = claimNameOf(pod, volume);
    return name === undefined ? [] : [`${pod.metadata.namespace ?? ''}/${name}`];
  });
}

/** The claim behind a volume of a pod, when there is one. */
export function claimNameOf(pod: Pod, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName;
  return volume.ephemeral === undefined ? undefined : ephemeralClaimName(pod, volume);
}

/** The name of the claim that is made for an ephemeral volume. */
export function ephemeralClaimName(pod: Pod, volume: Volume): string {
  return `${pod.metadata.name}-${volume.name}`;
}

/** Whether the claim was made for this very pod, and not only for one of its name. */
export function isMadeFor(claim: PersistentVolumeClaim, pod: Pod): boolean {
  return claim.metadata.namespace === pod.metadata.namespace && isControlledBy(claim, pod);
}
