import { isPodTerminal } from '@binnacle/api';
import type { Pod, PodResourceClaim } from '@binnacle/api/core/v1';

/** Index of pods: by `namespace/name` of the claims for devices that they name, or that were made for them. */
export const BY_DEVICE_CLAIM = 'device-claim';
/** The declaration of that index. */
export const PODS_BY_DEVICE_CLAIM: { readonly [name: string]: (pod: Pod) => readonly string[] } = {
  [BY_DEVICE_CLAIM]: claimKeysOf,
};

/** `namespace/name` of all claims of a pod that there are: those that it declares, and the one for its extended resources. */
export function claimKeysOf(pod: Pod): readonly string[] {
  const declared = (pod.spec.resourceClaims ?? []).flatMap((one) => claimKeyOf(pod, one) ?? []);
  const extended = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  return extended === undefined ? declared : [...declared, `${pod.metadata.namespace ?? ''}/${extended}`];
}

/** Whether it has any, or will. */
export function hasDeviceClaims({ spec, status }: Pod): boolean {
  return (spec.resourceClaims ?? []).length > 0 || status?.extendedResourceClaimStatus !== undefined;
}

/** `namespace/name` of a claim of a pod; undefined: it is not made yet, or nobody needs it. */
export function claimKeyOf(pod: Pod, { name, resourceClaimName }: PodResourceClaim): string | undefined {
  const made = pod.status?.resourceClaimStatuses?.find((one) => one.name === name)?.resourceClaimName;
  const claim = resourceClaimName ?? made;
  return claim === undefined ? undefined : `${pod.metadata.namespace ?? ''}/${claim}`;
}

/** Whether the pod may still run, now or later. */
export function needsClaims(pod: Pod): boolean {
  if (isPodTerminal(pod)) return false;
  return pod.metadata.deletionTimestamp === undefined || (pod.spec.nodeName ?? '') !== '';
}
