import type { Pod } from '@binnacle/api/core/v1';
import { isStatic } from './static-pod.ts';

const SYSTEM_CRITICAL = 2_000_000_000;

/** Pods that the node, or the cluster, cannot do without: never evicted, and others end for them where there is no room. */
export function isCritical(pod: Pod): boolean {
  return isStatic(pod) || (pod.spec.priority ?? 0) >= SYSTEM_CRITICAL;
}
