import { isPodReady, isPodTerminating } from '@binnacle/api';
import type { StatefulSetStatus } from '@binnacle/api/apps/v1';
import { isAvailable } from './plan.ts';
import type { SetSeen } from './plan.ts';
import { revisionOfPod } from './identity.ts';

/**
 * What a set reports. When all pods that it is to have are updated and ready, the update revision becomes the current one;
 * not while some are missing: those below the partition are still to be made as they were.
 */
export function statusOf(seen: SetSeen, collisionCount: number): StatefulSetStatus {
  const { set, current, update, pods } = seen;
  const counts = { replicas: 0, ready: 0, available: 0, current: 0, updated: 0 };
  for (const pod of pods) {
    counts.replicas++;
    if (pod.status?.phase === 'Running' && isPodReady(pod)) {
      counts.ready++;
      if (isAvailable(seen, pod)) counts.available++;
    }
    if (isPodTerminating(pod)) continue;
    const revision = revisionOfPod(pod);
    if (revision === current.name) counts.current++;
    if (revision === update.name) counts.updated++;
  }
  const { type = 'RollingUpdate' } = set.spec.updateStrategy ?? {};
  const { replicas: wanted = 1 } = set.spec;
  const { updated, ready, replicas } = counts;
  const done = type === 'RollingUpdate' && updated === wanted && ready === wanted && replicas === wanted;
  const conditions = set.status?.conditions;
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: counts.replicas,
    readyReplicas: counts.ready,
    availableReplicas: counts.available,
    currentReplicas: done ? counts.updated : counts.current,
    updatedReplicas: counts.updated,
    currentRevision: done ? update.name : current.name,
    updateRevision: update.name,
    collisionCount,
    ...(conditions === undefined ? {} : { conditions }),
  };
}
