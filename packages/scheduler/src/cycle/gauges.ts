import type { GaugeSink } from '@binnacle/base';
import type { ClusterState } from '../plan/cluster-state.ts';
import type { SchedulingQueue } from '../queue/scheduling-queue.ts';

/** What gauges are read from. */
export interface GaugeSources {
  readonly queue: Pick<SchedulingQueue, 'gated' | 'lengths' | 'pods'>;
  readonly state: Pick<ClusterState, 'nodes' | 'placed'>;
  /** How many pods are being bound. */
  readonly bindings: number;
}

/** What waits, and what is kept, now. */
export function tellGauges({ queue, state, bindings }: GaugeSources, tell: GaugeSink): void {
  const { active, backoff, unschedulable } = queue.lengths;
  const { gated } = queue;
  tell('pending_pods', ['active'], active);
  tell('pending_pods', ['backoff'], backoff);
  tell('pending_pods', ['unschedulable'], unschedulable - gated);
  tell('pending_pods', ['gated'], gated);
  for (const { refusedBy, demand } of queue.pods()) {
    const profile = demand.pod.spec.schedulerName ?? 'default-scheduler';
    for (const plugin of refusedBy) tell('unschedulable_pods', [plugin, profile], 1);
  }
  const { pods, assumed } = state.placed;
  tell('cache_size', ['nodes'], state.nodes.size);
  tell('cache_size', ['pods'], pods);
  tell('cache_size', ['assumed_pods'], assumed);
  tell('goroutines', ['binding'], bindings);
}
