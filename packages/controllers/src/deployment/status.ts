import { formatTime } from '@binnacle/base';
import { isDeploymentComplete } from '@binnacle/api';
import type { Deployment, DeploymentStatus, ReplicaSet } from '@binnacle/api/apps/v1';
import { conditionOf, isProgress, without, withFreshVerdict, withVerdict } from './conditions.ts';
import type { Conditions, Verdict } from './conditions.ts';
import { limitsOf, progressDeadlineMs, wantedReplicas } from './limits.ts';
import { allSets, availableOf, sizeOf, sum } from './replica-sets.ts';
import type { Seen } from './replica-sets.ts';

const COMPLETE = 'NewReplicaSetAvailable';
const TIMED_OUT = 'ProgressDeadlineExceeded';

/** The counts and the Available condition; Progressing as it was. */
export function countStatus(seen: Seen, nowMs: number): DeploymentStatus {
  const { deployment, newSet } = seen;
  const sets = allSets(seen);
  const available = sum(sets, availableOf);
  const enough = available >= wantedReplicas(deployment) - limitsOf(deployment).unavailable;
  const conditions = withVerdict(deployment.status?.conditions ?? [], availability(enough), formatTime(nowMs));
  const { collisionCount } = deployment.status ?? {};
  return compact({
    observedGeneration: deployment.metadata.generation,
    replicas: sum(sets, (set) => set.status?.replicas ?? 0),
    updatedReplicas: newSet?.status?.replicas ?? 0,
    readyReplicas: sum(sets, (set) => set.status?.readyReplicas ?? 0),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, sum(sets, sizeOf) - available),
    terminatingReplicas: sum(sets, (set) => set.status?.terminatingReplicas ?? 0),
    collisionCount,
    conditions,
  });
}

/** The whole status while rolling out: counts, and how it goes. */
export function rolloutStatus(seen: Seen, nowMs: number): DeploymentStatus {
  const { deployment } = seen;
  const counted = countStatus(seen, nowMs);
  const now = formatTime(nowMs);
  let conditions = counted.conditions ?? [];
  if (progressDeadlineMs(deployment) === undefined) conditions = without(conditions, 'Progressing');
  else conditions = judgeProgress(seen, { ...counted, conditions }, nowMs);
  const failure = replicaFailure(seen);
  conditions = failure === undefined ? without(conditions, 'ReplicaFailure') : withVerdict(conditions, failure, now);
  return compact({ ...counted, conditions });
}

/** When to look again so that a missed deadline is noticed; undefined when nothing is to be missed. */
export function deadlineCheckMs(deployment: Deployment, status: DeploymentStatus, nowMs: number): number | undefined {
  const deadline = progressDeadlineMs(deployment);
  const condition = conditionOf(status.conditions, 'Progressing');
  if (deadline === undefined || condition === undefined || condition.reason === TIMED_OUT) return undefined;
  if (isDeploymentComplete({ ...deployment, status }) || condition.reason === COMPLETE) return undefined;
  const since = Date.parse(condition.lastUpdateTime ?? condition.lastTransitionTime ?? '');
  return Math.max(0, since + deadline - nowMs) + 1000;
}

function judgeProgress(seen: Seen, counted: DeploymentStatus, nowMs: number): Conditions {
  const { deployment, newSet } = seen;
  const conditions = counted.conditions ?? [];
  const current = conditionOf(deployment.status?.conditions, 'Progressing');
  // Once complete, later hiccups of pods are no new rollout.
  if (counted.replicas === counted.updatedReplicas && current?.reason === COMPLETE) return conditions;
  const what =
    newSet === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newSet.metadata.name}"`;
  const now = formatTime(nowMs);
  if (isDeploymentComplete({ ...deployment, status: counted })) {
    return withVerdict(conditions, progressing('True', COMPLETE, `${what} has successfully progressed.`), now);
  }
  if (isProgress(deployment.status, counted)) {
    return withFreshVerdict(conditions, progressing('True', 'ReplicaSetUpdated', `${what} is progressing.`), now);
  }
  if (hasTimedOut(deployment, counted, nowMs)) {
    return withVerdict(conditions, progressing('False', TIMED_OUT, `${what} has timed out progressing.`), now);
  }
  return conditions;
}

function hasTimedOut(deployment: Deployment, counted: DeploymentStatus, nowMs: number): boolean {
  const deadline = progressDeadlineMs(deployment);
  const condition = conditionOf(counted.conditions, 'Progressing');
  if (deadline === undefined || condition === undefined || condition.reason === COMPLETE) return false;
  if (condition.reason === TIMED_OUT) return true;
  return Date.parse(condition.lastUpdateTime ?? condition.lastTransitionTime ?? '') + deadline < nowMs;
}

function progressing(status: Verdict['status'], reason: string, message: string): Verdict {
  return { type: 'Progressing', status, reason, message };
}

function availability(enough: boolean): Verdict {
  return enough
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
}

/** The new set's trouble, else an old one's. */
function replicaFailure(seen: Seen): Verdict | undefined {
  const sets: readonly (ReplicaSet | undefined)[] = [seen.newSet, ...seen.oldSets];
  for (const set of sets) {
    const failure = set?.status?.conditions?.find((condition) => condition.type === 'ReplicaFailure');
    if (failure === undefined) continue;
    const { reason = '', message = '' } = failure;
    return { type: 'ReplicaFailure', status: 'True', reason, message };
  }
  return undefined;
}

type Loose = { readonly [K in keyof DeploymentStatus]: DeploymentStatus[K] | undefined };

/** Absent instead of undefined or zero, as the API shows it. */
function compact(status: Loose): DeploymentStatus {
  const entries = Object.entries(status).filter(([name, value]) => keeps(name, value));
  return Object.fromEntries(entries);
}

function keeps(name: string, value: unknown): boolean {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return false;
  // Pointers in Go: zero is told.
  return value !== 0 || name === 'terminatingReplicas' || name === 'collisionCount';
}
