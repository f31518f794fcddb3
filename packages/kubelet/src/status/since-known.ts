import type { PodCondition, PodStatus } from '@binnacle/api/core/v1';

/**
 * A status whose conditions stand since when they are known to: those that are as they were told last keep their time of
 * transition, those that are not have changed at `now` (RFC 3339). Controllers count seconds from these times.
 */
export function sinceKnown(known: PodStatus | undefined, status: PodStatus, now: string): PodStatus {
  const before = known?.conditions ?? [];
  if (before.length === 0 || status.conditions === undefined) return status;
  const byType = new Map(before.map((condition) => [condition.type, condition]));
  return { ...status, conditions: status.conditions.map((one) => withSince(one, byType.get(one.type), now)) };
}

function withSince(told: PodCondition, known: PodCondition | undefined, now: string): PodCondition {
  if (known?.lastTransitionTime === undefined) return told;
  const lastTransitionTime = known.status === told.status ? known.lastTransitionTime : now;
  return lastTransitionTime === told.lastTransitionTime ? told : { ...told, lastTransitionTime };
}
