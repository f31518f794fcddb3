import type { ReplicaSet } from '@binnacle/api/apps/v1';
import { isRollingUpdate, limitsOf, wantedReplicas } from './limits.ts';
import { activeSets, allSets, availableOf, byAge, sizeOf, sum } from './replica-sets.ts';
import type { Seen } from './replica-sets.ts';

/** A new size for a replica set. */
export interface Resize {
  readonly set: ReplicaSet;
  readonly size: number;
}

/** The size that the new set may have now: as large as surge allows, at once when pods are recreated. */
export function sizeForNewSet(seen: Seen): number {
  const wanted = wantedReplicas(seen.deployment);
  if (!isRollingUpdate(seen.deployment)) return wanted;
  const current = seen.newSet === undefined ? 0 : sizeOf(seen.newSet);
  const room = wanted + limitsOf(seen.deployment).surge - sum(allSets(seen), sizeOf);
  return room <= 0 ? current : current + Math.min(room, wanted - current);
}

/** First step of a rolling update: grow (or shrink) the new set. */
export function growNewSet(seen: Seen): readonly Resize[] {
  const { newSet } = seen;
  if (newSet === undefined) return [];
  const wanted = wantedReplicas(seen.deployment);
  const size = sizeOf(newSet) > wanted ? wanted : sizeForNewSet(seen);
  return size === sizeOf(newSet) ? [] : [{ set: newSet, size }];
}

/**
 * Second step: shrink the old sets as far as availability allows, first by the pods that are not available anyhow,
 * oldest set first.
 */
export function shrinkOldSets(seen: Seen): readonly Resize[] {
  const old = [...activeSets(seen.oldSets)].sort(byAge);
  if (old.length === 0) return [];
  const minAvailable = wantedReplicas(seen.deployment) - limitsOf(seen.deployment).unavailable;
  const { newSet } = seen;
  const newUnavailable = newSet === undefined ? 0 : sizeOf(newSet) - availableOf(newSet);
  const removable = sum(allSets(seen), sizeOf) - minAvailable - newUnavailable;
  if (removable <= 0) return [];
  const sizes = new Map(old.map((set) => [set, sizeOf(set)]));
  dropUnhealthy(sizes, removable);
  dropHealthy(sizes, sum(allSets(seen), availableOf) - minAvailable);
  return old.map((set) => ({ set, size: sizes.get(set) ?? 0 })).filter(({ set, size }) => size !== sizeOf(set));
}

function dropUnhealthy(sizes: Map<ReplicaSet, number>, removable: number): void {
  let left = removable;
  for (const [set, size] of sizes) {
    const drop = Math.min(left, Math.max(0, size - availableOf(set)));
    sizes.set(set, size - drop);
    left -= drop;
  }
}

function dropHealthy(sizes: Map<ReplicaSet, number>, spare: number): void {
  let left = Math.max(0, spare);
  for (const [set, size] of sizes) {
    const drop = Math.min(left, size);
    sizes.set(set, size - drop);
    left -= drop;
  }
}

/** Recreate: everything old goes at once. */
export function stopOldSets(seen: Seen): readonly Resize[] {
  return activeSets(seen.oldSets).map((set) => ({ set, size: 0 }));
}
