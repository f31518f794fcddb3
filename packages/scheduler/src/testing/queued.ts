import type { QueuedPod } from '../plan/framework.ts';
import type { PodDemand } from '../plan/demand.ts';

/** A pod that came at zero and is on its first try. */
export function queuedPod(demand: PodDemand, more: Partial<QueuedPod> = {}): QueuedPod {
  return {
    demand,
    ...{ since: 0, attempts: 1, refusals: 0, errorsInRow: 0, triedAt: 0, waitedMs: 0 },
    refusedBy: new Set(),
    ...more,
  };
}
