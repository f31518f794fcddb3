import { isControlledBy } from '@binnacle/machinery';
import type { Pod } from '@binnacle/api/core/v1';
import type { ResourceClaim } from '@binnacle/api/resource/v1';

/** A claim has room for so many pods. */
const CONSUMERS_MAX = 256;

/** `namespace/name` of the claims of a pod, as far as they have names yet. */
export function claimKeysOf({ metadata, spec, status }: Pod): readonly string[] {
  const names = (spec.resourceClaims ?? []).map(
    ({ name, resourceClaimName }) =>
      resourceClaimName ?? status?.resourceClaimStatuses?.find((one) => one.name === name)?.resourceClaimName,
  );
  return names.filter((name) => name !== undefined).map((name) => `${metadata.namespace ?? ''}/${name}`);
}

/** The claims of a pod, or why it has to wait for them. */
export type PodClaims = { readonly claims: readonly ResourceClaim[] } | { readonly obstacle: string };

/** Finds the claims that a pod names, and those that were made for it. */
export function claimsOfPod(pod: Pod, find: (key: string) => ResourceClaim | undefined): PodClaims {
  const { namespace = '', name: podName = '' } = pod.metadata;
  const claims: ResourceClaim[] = [];
  for (const { name, resourceClaimName, resourceClaimTemplateName } of pod.spec.resourceClaims ?? []) {
    const made = pod.status?.resourceClaimStatuses?.find((one) => one.name === name);
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      return {
        obstacle: `pod "${namespace}/${podName}", spec.resourceClaim "${name}": none of the supported fields are set`,
      };
    }
    if (resourceClaimName === undefined && made === undefined) {
      return { obstacle: `pod "${namespace}/${podName}": ResourceClaim not created yet` };
    }
    const claimName = resourceClaimName ?? made?.resourceClaimName;
    // Nobody needs it.
    if (claimName === undefined) continue;
    const claim = find(`${namespace}/${claimName}`);
    if (claim === undefined) return { obstacle: `resourceclaim "${claimName}" not found` };
    if (claim.metadata.deletionTimestamp !== undefined) {
      return { obstacle: `resourceclaim "${claimName}" is being deleted` };
    }
    if (resourceClaimName === undefined && !isControlledBy(claim, pod)) {
      const obstacle = `ResourceClaim ${namespace}/${claimName} was not created for pod ${namespace}/${podName} (pod is not owner)`;
      return { obstacle };
    }
    claims.push(claim);
  }
  return { claims };
}

/** Whether the claim is kept for the pod. */
export function isReservedFor({ status }: ResourceClaim, pod: Pod): boolean {
  return (status?.reservedFor ?? []).some(({ uid }) => uid === pod.metadata.uid);
}

/** Whether one more pod may have the claim. */
export function canBeReserved({ status }: ResourceClaim): boolean {
  return (status?.reservedFor ?? []).length < CONSUMERS_MAX;
}

/** Whether no other pod has the claim. */
export function isIdleBut({ status }: ResourceClaim, pod: Pod): boolean {
  return (status?.reservedFor ?? []).every(({ uid }) => uid === pod.metadata.uid);
}

/** `namespace/name`. */
export function keyOf({ metadata }: ResourceClaim): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}
