import { wellknown } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { isStatic } from './static-pod.ts';

/** Pods that the node, or the cluster, cannot do without: never evicted, and others end for them where there is no room. */
export function isCritical(pod: Pod): boolean {
  return isStatic(pod) || (pod.spec.priority ?? 0) >= wellknown.PRIORITY_SYSTEM_CRITICAL;
}
