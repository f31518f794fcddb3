import { podQosClass } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { KubeObject } from '@binnacle/machinery';
import type { Strategy } from '../../../ports/strategy.ts';
import { asDraft } from '../../../storage/draft.ts';

const DEFAULT_GRACE_SECONDS = 30;

/** A pod is born Pending; it dies gracefully once it is on a node. */
export const POD_STRATEGY: Strategy = {
  prepareForCreate(object) {
    asDraft(object).status = { phase: 'Pending', qosClass: podQosClass(object as Pod), ...gated(object as Pod) };
  },
  prepareForUpdate(object, before) {
    asDraft(object).status = asDraft(before).status;
  },
  prepareForStatusUpdate(object, before) {
    const draft = asDraft(object);
    const status = (draft.status ?? {}) as { qosClass?: string };
    const old = (asDraft(before).status ?? {}) as { qosClass?: string };
    if (status.qosClass === undefined && old.qosClass !== undefined)
      draft.status = { ...status, qosClass: old.qosClass };
  },
  gracePeriod,
};

/** A pod behind gates says from the first moment why it waits. */
function gated({ spec }: Pod): object {
  if ((spec?.schedulingGates?.length ?? 0) === 0) return {};
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
  return { conditions: [condition] };
}

/** Asked for, else the pod's own; none for a pod that no kubelet runs (yet, or any more). */
function gracePeriod(object: KubeObject, asked: number | undefined): number {
  const { spec, status } = object as Pod;
  if ((spec?.nodeName ?? '') === '') return 0;
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return 0;
  const period = asked ?? spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
  // A negative period means "at once", which upstream counts as one second.
  return period < 0 ? 1 : period;
}
