import type { FigureMeasures } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';

/** Why a pod is deleted: its node is gone or out of service, it never had one, or too many have ended. */
export type CollectionReason = 'terminated' | 'out-of-service' | 'orphaned' | 'unscheduled';

/** Deletes a pod and keeps score of that. */
export type Counted = (pod: Pod, reason: CollectionReason, act: () => Promise<void>) => Promise<void>;

const LABELS = ['namespace', 'reason'];

/** What the collector of pods tells of itself (pkg/controller/podgc/metrics). */
export function collectionFigures(figures: FigureMeasures): Counted {
  const deletions = figures.counter({
    name: 'pod_gc_collector_force_delete_pods_total',
    help: 'Pods that were to be deleted without grace.',
    labels: LABELS,
  });
  const errors = figures.counter({
    name: 'pod_gc_collector_force_delete_pod_errors_total',
    help: 'How often that failed.',
    labels: LABELS,
  });
  return async (pod, reason, act) => {
    const values = [pod.metadata.namespace ?? '', reason];
    deletions.add(values);
    try {
      await act();
    } catch (error) {
      errors.add(values);
      throw error;
    }
  };
}
