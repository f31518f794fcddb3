import { wellknown } from '@binnacle/api';
import type { Deployment, ReplicaSet } from '@binnacle/api/apps/v1';
import { isRollingUpdate, limitsOf, wantedReplicas } from './limits.ts';
import { activeSets, allSets, annotationNumber, availableOf, byAge, sizeOf, sum } from './replica-sets.ts';
import type { Seen } from './replica-sets.ts';
import type { Resize } from './rollout.ts';

/** Whether the wanted number changed since the sets were last sized. */
export function isScalingEvent(seen: Seen): boolean {
  const wanted = wantedReplicas(seen.deployment);
  return activeSets(allSets(seen)).some((set) => {
    const desired = annotationNumber(set, wellknown.ANNOTATION_DESIRED_REPLICAS);
    return desired !== undefined && desired !== wanted;
  });
}

/**
 * Sizes for a deployment that is scaled while it rolls out or is paused: a single active set takes all; under a
 * finished rollout old sets go to zero; else everyone gets a share by size.
 */
export function scaleSets(seen: Seen): readonly Resize[] {
  const wanted = wantedReplicas(seen.deployment);
  const only = onlyActiveOrLatest(seen);
  if (only !== undefined) return [{ set: only, size: wanted }];
  if (isSaturated(seen)) return activeSets(seen.oldSets).map((set) => ({ set, size: 0 }));
  return isRollingUpdate(seen.deployment) ? proportions(seen) : [];
}

function onlyActiveOrLatest(seen: Seen): ReplicaSet | undefined {
  const active = activeSets(allSets(seen));
  if (active.length === 1) return active[0];
  if (active.length > 1) return undefined;
  return seen.newSet ?? [...seen.oldSets].sort(byAge).at(-1);
}

function isSaturated(seen: Seen): boolean {
  const { newSet, deployment } = seen;
  if (newSet === undefined) return false;
  const wanted = wantedReplicas(deployment);
  const desired = annotationNumber(newSet, wellknown.ANNOTATION_DESIRED_REPLICAS);
  return sizeOf(newSet) === wanted && desired === wanted && availableOf(newSet) === wanted;
}

/** Shares the change among the active sets, larger ones first; the first takes what rounding leaves. */
function proportions(seen: Seen): readonly Resize[] {
  const { deployment } = seen;
  const wanted = wantedReplicas(deployment);
  const sets = activeSets(allSets(seen));
  const allowed = wanted > 0 ? wanted + limitsOf(deployment).surge : 0;
  const change = allowed - sum(sets, sizeOf);
  const ordered = [...sets].sort((a, b) => sizeOf(b) - sizeOf(a) || (change > 0 ? byAge(b, a) : byAge(a, b)));
  let given = 0;
  const sizes = ordered.map((set) => {
    const share = change === 0 ? 0 : shareOf(set, deployment, change - given);
    given += share;
    return sizeOf(set) + share;
  });
  return ordered.map((set, i) => {
    const rest = i === 0 && change !== 0 ? change - given : 0;
    return { set, size: Math.max(0, (sizes[i] ?? 0) + rest) };
  });
}

function shareOf(set: ReplicaSet, deployment: Deployment, left: number): number {
  if (left === 0 || sizeOf(set) === 0) return 0;
  const share = fractionOf(set, deployment);
  return left > 0 ? Math.min(share, left) : Math.max(share, left);
}

function fractionOf(set: ReplicaSet, deployment: Deployment): number {
  const wanted = wantedReplicas(deployment);
  if (wanted === 0) return -sizeOf(set);
  const base = annotationNumber(set, wellknown.ANNOTATION_MAX_REPLICAS) || (deployment.status?.replicas ?? 0);
  if (base === 0) return 0;
  return Math.round((sizeOf(set) * (wanted + limitsOf(deployment).surge)) / base) - sizeOf(set);
}
