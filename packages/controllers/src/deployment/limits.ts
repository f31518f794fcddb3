import { scaledValue } from '@binnacle/machinery';
import type { Deployment } from '@binnacle/api/apps/v1';

/** How many pods a rolling update may have above and below the wanted number. */
export interface RolloutLimits {
  readonly surge: number;
  readonly unavailable: number;
}

const INT32_MAX = 2_147_483_647;

export function wantedReplicas(deployment: Deployment): number {
  return deployment.spec.replicas ?? 1;
}

export function isRollingUpdate(deployment: Deployment): boolean {
  return deployment.spec.strategy?.type !== 'Recreate';
}

/**
 * Percentages of surge round up, of unavailability down. When both come out as zero one pod may be unavailable,
 * or nothing could ever move. Nothing is allowed outside a rolling update.
 */
export function limitsOf(deployment: Deployment): RolloutLimits {
  const wanted = wantedReplicas(deployment);
  if (!isRollingUpdate(deployment)) return { surge: 0, unavailable: 0 };
  const { maxSurge = '25%', maxUnavailable = '25%' } = deployment.spec.strategy?.rollingUpdate ?? {};
  const surge = scaledValue(maxSurge, wanted, 'up') ?? 0;
  const unavailable = scaledValue(maxUnavailable, wanted, 'down') ?? 0;
  const atLeastOne = surge === 0 && unavailable === 0 ? 1 : unavailable;
  return { surge, unavailable: Math.min(atLeastOne, wanted) };
}

/** The deadline after which a rollout without progress is called failed, ms; undefined when there is none. */
export function progressDeadlineMs(deployment: Deployment): number | undefined {
  const seconds = deployment.spec.progressDeadlineSeconds;
  return seconds === undefined || seconds === INT32_MAX ? undefined : seconds * 1000;
}

/** How many old replica sets to keep; undefined for all. */
export function historyLimit(deployment: Deployment): number | undefined {
  const limit = deployment.spec.revisionHistoryLimit;
  return limit === undefined || limit === INT32_MAX ? undefined : limit;
}
