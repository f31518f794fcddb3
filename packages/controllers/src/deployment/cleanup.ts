import type { ReplicaSet } from '@binnacle/api/apps/v1';
import { historyLimit } from './limits.ts';
import { byRevision, sizeOf } from './replica-sets.ts';
import type { Seen } from './replica-sets.ts';

/** The old sets that history has no room for: the lowest revisions, as far as they are empty and say so. */
export function setsToForget(seen: Seen): readonly ReplicaSet[] {
  const limit = historyLimit(seen.deployment);
  if (limit === undefined) return [];
  const old = seen.oldSets.filter((set) => set.metadata.deletionTimestamp === undefined);
  const surplus = old.length - limit;
  if (surplus <= 0) return [];
  return old.sort(byRevision).slice(0, surplus).filter(isEmpty);
}

function isEmpty(set: ReplicaSet): boolean {
  const observed = (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0);
  return sizeOf(set) === 0 && (set.status?.replicas ?? 0) === 0 && observed;
}
