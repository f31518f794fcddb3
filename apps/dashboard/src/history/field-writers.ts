import type { PastRevision } from '@binnacle/trace';
import { ownersOf } from './field-owner.ts';
import type { ManagedFields } from './field-owner.ts';
import { leavesOf } from './field-paths.ts';

/** Who made a field what it is. */
export interface FieldWriter {
  readonly path: string;
  readonly value: string;
  /** The revision that made it so; undefined: it was so already in the oldest that is known. */
  readonly revision: PastRevision | undefined;
  readonly managers: readonly ManagedFields[];
}

/** Of the last of an object's revisions: which of them wrote each field, and who manages it. `isWhole`: nothing older is compacted. */
export function fieldWriters(revisions: readonly PastRevision[], isWhole: boolean): readonly FieldWriter[] {
  const last = revisions.findLast(({ type }) => type !== 'DELETED');
  if (last === undefined) return [];
  const writers = new Map<string, PastRevision | undefined>();
  let before = new Map<string, string>();
  for (const [at, revision] of revisions.entries()) {
    if (revision.type === 'DELETED') {
      before = new Map();
      continue;
    }
    const now = new Map(leavesOf(revision.object).map(({ path, exact }) => [path, exact]));
    const isKnown = at > 0 || isWhole;
    for (const [path, exact] of now) if (before.get(path) !== exact) writers.set(path, isKnown ? revision : undefined);
    before = now;
  }
  const managed = managedFieldsOf(last.object);
  return leavesOf(last.object).map(({ path, steps, value }) => ({
    ...{ path, value, revision: writers.get(path), managers: ownersOf(managed, steps) },
  }));
}

function managedFieldsOf(object: unknown): readonly ManagedFields[] {
  const { metadata } = (object ?? {}) as { readonly metadata?: { readonly managedFields?: unknown } };
  return Array.isArray(metadata?.managedFields) ? (metadata.managedFields as readonly ManagedFields[]) : [];
}
