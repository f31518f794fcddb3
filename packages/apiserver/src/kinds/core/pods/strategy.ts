import { podQosClass } from '@binnacle/api';
import type { Pod, PodStatus } from '@binnacle/api/core/v1';
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
    draft.status = keptInStatus((draft.status ?? {}) as PodStatus, ((before as Pod).status ?? {}) as PodStatus);
  },
  gracePeriod,
};

/**
 * What writers of a status may leave out without taking it away: the class of service, and which generation of the pod was
 * looked at, for the whole and for each condition; writers of older versions know neither.
 */
export function keptInStatus(status: PodStatus, before: PodStatus): PodStatus {
  const qosClass = status.qosClass ?? before.qosClass;
  const observedGeneration = seenGeneration(status.observedGeneration, before.observedGeneration);
  const conditions = keptInConditions(status.conditions, before.conditions);
  return {
    ...status,
    ...(qosClass === undefined ? {} : { qosClass }),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ...(conditions === undefined ? {} : { conditions }),
  };
}

type Conditions = PodStatus['conditions'];

function keptInConditions(now: Conditions, before: Conditions = []): Conditions {
  if (now === undefined || now.every((one) => (one.observedGeneration ?? 0) !== 0)) return now;
  // A type that comes twice is paired in order.
  const known = new Map<string, { readonly seen: (number | undefined)[]; next: number }>();
  for (const { type, observedGeneration } of before) {
    const same = known.get(type);
    if (same === undefined) known.set(type, { seen: [observedGeneration], next: 0 });
    else same.seen.push(observedGeneration);
  }
  return now.map((condition) => {
    const same = known.get(condition.type);
    const seen = seenGeneration(condition.observedGeneration, same?.seen[same.next++]);
    return seen === undefined ? condition : { ...condition, observedGeneration: seen };
  });
}

/** Zero is as good as nothing, in Go's eyes. */
function seenGeneration(now: number | undefined, before: number | undefined): number | undefined {
  return (now ?? 0) === 0 ? (before ?? now) : now;
}

/** A pod behind gates says from the first moment why it waits, and since when. */
function gated({ metadata, spec }: Pod): object {
  if ((spec?.schedulingGates?.length ?? 0) === 0) return {};
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: metadata?.creationTimestamp,
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
