import type { Draft } from '../draft.ts';
import type { PriorityClass } from '../generated/scheduling-v1.ts';

export function defaultPriorityClass(priority: Draft<PriorityClass>): void {
  priority.preemptionPolicy ??= 'PreemptLowerPriority';
}
