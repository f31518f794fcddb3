import type { KubeObject } from '@binnacle/machinery';
import type { AnyCall } from '../catalogue/definition.ts';
import { asDraft } from '../storage/draft.ts';

/** Between which steps of a write it is looked at: as the caller sent it, or as admission (or a patch) left it. */
export type LookedAt = 'as sent' | 'admitted';

const WHEN: { readonly [at in LookedAt]: string } = {
  'as sent': '',
  admitted: ' after mutating admission happens',
};

/**
 * Of owners that an object names twice in the same words one is kept, and the caller is told (upstream's words). Owners
 * with one uid that differ in anything are left for validation and the garbage collector to judge. Linear.
 */
export function keepOwnersOnce(object: KubeObject, at: LookedAt, call: Pick<AnyCall, 'warn'>): void {
  const { ownerReferences: owners } = object.metadata;
  if (owners === undefined || owners === null || owners.length < 2) return;
  const seen = new Set<string>();
  const repeated: string[] = [];
  const kept = owners.filter((owner) => {
    const words = wordsOf(owner);
    if (!seen.has(words)) return seen.add(words);
    repeated.push(owner.uid);
    return false;
  });
  if (repeated.length === 0) return;
  asDraft(object).metadata.ownerReferences = kept;
  call.warn(
    `.metadata.ownerReferences contains duplicate entries${WHEN[at]}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`,
  );
}

type Owner = NonNullable<KubeObject['metadata']['ownerReferences']>[number];

/** All that a reference says: equal for two that say the same, in whatever order. */
function wordsOf({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: Owner): string {
  return JSON.stringify([uid, apiVersion, kind, name, controller ?? null, blockOwnerDeletion ?? null]);
}
