import type { Pod } from '@binnacle/api/core/v1';

/** Whether some of a pod's devices come by claims: those that it declares, or one for its extended resources. */
export function hasClaims({ spec, status }: Pod): boolean {
  return (spec.resourceClaims ?? []).length > 0 || status?.extendedResourceClaimStatus !== undefined;
}

/** Whether devices by a claim stand for what a container asks for of an extended resource: it is had from nowhere else. */
export function isMetByClaim({ status }: Pod, container: string, resource: string): boolean {
  const mappings = status?.extendedResourceClaimStatus?.requestMappings ?? [];
  return mappings.some(({ containerName, resourceName }) => containerName === container && resourceName === resource);
}
