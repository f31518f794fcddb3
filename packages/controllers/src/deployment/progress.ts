import { formatTime } from '@binnacle/base';
import type { Deployment, DeploymentStatus } from '@binnacle/api/apps/v1';
import { conditionOf, withVerdict } from './conditions.ts';
import type { Verdict } from './conditions.ts';
import { progressDeadlineMs } from './limits.ts';

/** The Progressing condition's tidings that do not come from counting pods. Undefined: nothing to tell. */
export type Tidings = DeploymentStatus | undefined;

/** The new set was found; told once, when there is no Progressing condition yet. */
export function tellFound(deployment: Deployment, set: string, nowMs: number): Tidings {
  if (conditionOf(deployment.status?.conditions, 'Progressing') !== undefined) return undefined;
  return tell(deployment, verdict('True', 'FoundNewReplicaSet', `Found new replica set "${set}"`), nowMs);
}

export function tellCreated(deployment: Deployment, set: string, nowMs: number): Tidings {
  return tell(deployment, verdict('True', 'NewReplicaSetCreated', `Created new replica set "${set}"`), nowMs);
}

export function tellCreateError(deployment: Deployment, message: string, nowMs: number): Tidings {
  return tell(deployment, verdict('False', 'ReplicaSetCreateError', message), nowMs);
}

/** Pausing and resuming stop and restart the deadline's clock. A deadline that is missed stays missed. */
export function tellPause(deployment: Deployment, nowMs: number): Tidings {
  const current = conditionOf(deployment.status?.conditions, 'Progressing');
  if (current?.reason === 'ProgressDeadlineExceeded') return undefined;
  const paused = deployment.spec.paused === true;
  if (paused === (current?.reason === 'DeploymentPaused')) return undefined;
  return paused
    ? tell(deployment, verdict('Unknown', 'DeploymentPaused', 'Deployment is paused'), nowMs)
    : tell(deployment, verdict('Unknown', 'DeploymentResumed', 'Deployment is resumed'), nowMs);
}

/** Without a deadline nobody asks for progress, and nothing is told. */
function tell(deployment: Deployment, news: Verdict, nowMs: number): Tidings {
  if (progressDeadlineMs(deployment) === undefined) return undefined;
  const conditions = withVerdict(deployment.status?.conditions ?? [], news, formatTime(nowMs));
  return { ...deployment.status, conditions };
}

function verdict(status: Verdict['status'], reason: string, message: string): Verdict {
  return { type: 'Progressing', status, reason, message };
}
