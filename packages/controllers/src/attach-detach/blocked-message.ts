import type { Pod } from '@binnacle/api/core/v1';

/** Why a pod has to wait for a volume that others have. Names of other namespaces are not its user's business. */
export function blockedMessage(pod: Pod, others: readonly Pod[]): string {
  if (others.length === 0) {
    return "Volume is already exclusively attached to one node and can't be attached to another";
  }
  const near = others.filter(({ metadata }) => metadata.namespace === pod.metadata.namespace);
  const far = others.length - near.length;
  if (near.length === 0) return `Volume is already used by ${far} pod(s) in different namespaces`;
  const names = near.map(({ metadata }) => metadata.name ?? '').join(', ');
  const rest = far === 0 ? '' : ` and ${far} pod(s) in different namespaces`;
  return `Volume is already used by pod(s) ${names}${rest}`;
}
