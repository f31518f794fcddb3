import type { DeploymentCondition, DeploymentStatus } from '@binnacle/api/apps/v1';

export type Conditions = readonly DeploymentCondition[];

/** A condition before it has its times. */
export interface Verdict {
  readonly type: 'Available' | 'Progressing' | 'ReplicaFailure';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export function conditionOf(conditions: Conditions | undefined, type: string): DeploymentCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** As upstream: a condition with the same status and reason stays as it is, its message and times too. */
export function withVerdict(conditions: Conditions, verdict: Verdict, now: string): Conditions {
  const current = conditionOf(conditions, verdict.type);
  if (current?.status === verdict.status && current.reason === verdict.reason) return conditions;
  return replaced(conditions, verdict, now);
}

/** The same, but renews message and lastUpdateTime whatever was there: progress was made just now. */
export function withFreshVerdict(conditions: Conditions, verdict: Verdict, now: string): Conditions {
  return replaced(conditions, verdict, now);
}

export function without(conditions: Conditions, type: string): Conditions {
  return conditions.some((one) => one.type === type) ? conditions.filter((one) => one.type !== type) : conditions;
}

function replaced(conditions: Conditions, verdict: Verdict, now: string): Conditions {
  const current = conditionOf(conditions, verdict.type);
  const since = current?.status === verdict.status ? (current.lastTransitionTime ?? now) : now;
  const { type, status, reason, message } = verdict;
  const condition = { type, status, lastUpdateTime: now, lastTransitionTime: since, reason, message };
  return [...without(conditions, type), condition];
}

/** Whether the new numbers are better than the old ones: the rollout moves. */
export function isProgress(before: DeploymentStatus | undefined, after: DeploymentStatus): boolean {
  const old = (status: DeploymentStatus | undefined): number =>
    (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0);
  return (
    (after.updatedReplicas ?? 0) > (before?.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before?.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before?.availableReplicas ?? 0)
  );
}
