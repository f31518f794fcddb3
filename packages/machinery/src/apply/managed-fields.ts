/**
 * Who owns which fields: `metadata.managedFields` after a write. Pure: the entries that were there, the object before
 * and after, and who writes, in; the entries that are there from now on out. Behaviour: structured-merge-diff v6 and
 * apimachinery's managedfields of v1.36, from their documentation and tests.
 */
import { DecodeError } from '../errors.ts';
import type { ManagedFieldsEntry } from '../generated/meta-v1.ts';
import { compareValues } from './compare.ts';
import type { Comparison } from './compare.ts';
import { fieldsListed } from './configuration.ts';
import {
  differenceFromLarge,
  differenceOf,
  intersectionOf,
  isEmptySet,
  NO_FIELDS,
  readFieldSet,
  sameFields,
  unionOf,
  unionOfAll,
  withNamedParents,
  withoutBranches,
} from './field-set.ts';
import type { FieldSet } from './field-set.ts';
import { mergeValues, removeFields } from './merge.ts';
import { fieldsOfNew } from './new-fields.ts';
import type { Shape } from './shape.ts';
import { readWireFields, writeWireFields } from './wire-fields.ts';

/** Who writes, and how. */
export interface FieldWriter {
  readonly manager: string;
  readonly apiVersion: string;
  /** '' for the object itself. */
  readonly subresource: string;
  /** The time of the write, RFC 3339. */
  readonly time: string;
}

/** What decides about ownership beside the objects. */
export interface OwnershipRules {
  readonly shape: Shape;
  /** Branches that this write does not own whatever it says: the status of a write to the object. */
  readonly reset: FieldSet;
}

/** One owner and its fields. */
interface Owner {
  readonly entry: ManagedFieldsEntry;
  readonly fields: FieldSet;
}

type Owners = Map<string, Owner>;

/** Set by the server or by the address of the object: nobody owns them. */
const NOBODYS = readFieldSet({
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    '.': {},
    'f:name': {},
    'f:namespace': {},
    'f:creationTimestamp': {},
    'f:selfLink': {},
    'f:uid': {},
    'f:generation': {},
    'f:managedFields': {},
    'f:resourceVersion': {},
  },
});
const UPDATERS_MAX = 10;
const ANCIENT = 'ancient-changes';
const BEFORE_FIRST_APPLY = 'before-first-apply';

/** Reads the entries of an object; undefined when there are none or one of them is none. */
export function readOwners(entries: readonly ManagedFieldsEntry[] | null | undefined): Owners | undefined {
  if (!Array.isArray(entries) || entries.length === 0) return undefined;
  const owners: Owners = new Map();
  try {
    for (const entry of entries as readonly ManagedFieldsEntry[]) {
      const { operation, apiVersion = '', fieldsType } = entry;
      if ((operation !== 'Apply' && operation !== 'Update') || apiVersion === '' || fieldsType !== 'FieldsV1')
        return undefined;
      owners.set(identity(entry), { entry, fields: readWireFields(entry.fieldsV1 ?? NO_FIELDS) });
    }
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
  return owners;
}

/** Whether a caller asks for the entries to be forgotten: no entry at all, or one that says nothing. */
export function isReset(entries: readonly ManagedFieldsEntry[] | null | undefined): boolean {
  const [only] = entries ?? [];
  return entries?.length === 0 || (entries?.length === 1 && only !== undefined && Object.keys(only).length === 0);
}

/** An applier is one whatever version it applies; updates in two versions are two owners. */
function identity({ manager = '', operation = '', apiVersion = '', subresource = '' }: ManagedFieldsEntry): string {
  return JSON.stringify([operation, operation === 'Apply' ? '' : apiVersion, subresource, manager]);
}

/** The entries as they are stored: appliers first, then by time and name. */
function writeOwners(owners: Owners): readonly ManagedFieldsEntry[] | undefined {
  if (owners.size === 0) return undefined;
  return [...owners.values()].sort((a, b) => compareEntries(a.entry, b.entry)).map(writeOwner);
}

/** The very entry where it says this already, as most of an object's do. */
function writeOwner({ entry, fields }: Owner): ManagedFieldsEntry {
  const { manager, operation, apiVersion, time, subresource } = entry;
  const fieldsV1 = writeWireFields(fields);
  if (entry.fieldsV1 === fieldsV1 && manager !== '' && subresource !== '') return entry;
  return {
    ...(manager === undefined || manager === '' ? {} : { manager }),
    ...(operation === undefined ? {} : { operation }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(subresource === undefined || subresource === '' ? {} : { subresource }),
  };
}

const ORDER = ['operation', 'time', 'manager', 'apiVersion', 'subresource'] as const;

/** The order in which entries are stored. */
export function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  for (const part of ORDER) {
    const [left, right] = [a[part] ?? '', b[part] ?? ''];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/** The object before and after a write; undefined before: it is made. */
export interface Change {
  readonly before: unknown;
  readonly after: unknown;
}

/** The entries after a write that is no apply. */
export function entriesAfterUpdate(
  owners: Owners | undefined,
  { before, after }: Change,
  { writer, rules }: { readonly writer: FieldWriter; readonly rules: OwnershipRules },
): readonly ManagedFieldsEntry[] | undefined {
  if (before === undefined && (owners?.size ?? 0) === 0) return entriesOfNew(after as object, { writer, rules });
  const change = compareValues(rules.shape, before, after);
  const taken = withoutBranches(differenceOf(unionOf(change.added, change.modified), NOBODYS), rules.reset);
  const entry = entryOf(writer, 'Update');
  const own = { id: identity(entry), taken };
  const next = afterChange(owners ?? new Map<string, Owner>(), change, own);
  if (!isEmptySet(taken)) next.set(own.id, { entry, fields: unionOf(next.get(own.id)?.fields ?? NO_FIELDS, taken) });
  return writeOwners(capUpdaters(next));
}

/** The same for an object that is made and came without owners: the way that most creates go. */
function entriesOfNew(
  made: object,
  { writer, rules }: { readonly writer: FieldWriter; readonly rules: OwnershipRules },
): readonly ManagedFieldsEntry[] | undefined {
  const fieldsV1 = fieldsOfNew(rules.shape, made, skippedBy(rules.reset));
  if (isEmptySet(fieldsV1)) return undefined;
  const { manager, apiVersion, subresource, time } = writer;
  const entry = { operation: 'Update', apiVersion, time, fieldsType: 'FieldsV1', fieldsV1 };
  if (manager !== '' && subresource === '') return [{ manager, ...entry }];
  return [{ ...(manager === '' ? {} : { manager }), ...entry, ...(subresource === '' ? {} : { subresource }) }];
}

const skippedSets = new WeakMap<FieldSet, FieldSet>();

/** What is nobody's and what this sort of write does not own, made once for each sort. */
function skippedBy(reset: FieldSet): FieldSet {
  let skipped = skippedSets.get(reset);
  if (skipped === undefined) skippedSets.set(reset, (skipped = { ...NOBODYS, ...reset }));
  return skipped;
}

function putOwner(owners: Owners, id: string, owner: Owner): void {
  if (!isEmptySet(owner.fields)) owners.set(id, owner);
}

function entryOf({ manager, apiVersion, subresource, time }: FieldWriter, operation: string): ManagedFieldsEntry {
  return { manager, operation, apiVersion, time, ...(subresource === '' ? {} : { subresource }) };
}

/** Many updaters cost every object that they touch: the oldest become one, by version. */
function capUpdaters(owners: Owners): Owners {
  if (owners.size <= UPDATERS_MAX) return owners;
  const updaters = [...owners].filter(([, { entry }]) => entry.operation === 'Update');
  let excess = updaters.length - UPDATERS_MAX;
  if (excess <= 0) return owners;
  updaters.sort(([, a], [, b]) => compareEntries(a.entry, b.entry));
  const capped: Owners = new Map(owners);
  const ancient = new Map<string, { entry: ManagedFieldsEntry; readonly fields: FieldSet[] }>();
  for (const [id, { entry, fields }] of updaters) {
    if (excess <= 0) break;
    const { apiVersion = '', time } = entry;
    const bucket: ManagedFieldsEntry = {
      manager: ANCIENT,
      operation: 'Update',
      apiVersion,
      ...(time === undefined ? {} : { time }),
    };
    const bucketId = identity(bucket);
    if (id === bucketId) continue;
    capped.delete(id);
    let gathered = ancient.get(bucketId);
    const known = gathered === undefined ? capped.get(bucketId)?.fields : undefined;
    if (gathered !== undefined || known !== undefined) excess--;
    gathered ??= { entry: bucket, fields: known === undefined ? [] : [known] };
    gathered.entry = bucket;
    gathered.fields.push(fields);
    ancient.set(bucketId, gathered);
  }
  for (const [id, { entry, fields }] of ancient) capped.set(id, { entry, fields: unionOfAll(fields) });
  return capped;
}

/** One owner of fields that an apply would change. */
export interface FieldConflict {
  readonly owner: ManagedFieldsEntry;
  readonly fields: FieldSet;
}

/** What an apply comes to: the object and its entries, or who is in the way. */
export type Applied =
  | { readonly conflicts: readonly FieldConflict[] }
  | { readonly object: unknown; readonly entries: readonly ManagedFieldsEntry[] | undefined };

export interface ApplyRequest {
  readonly owners: Owners | undefined;
  /** The object as it is; undefined: there is none. */
  readonly live: unknown;
  readonly configuration: unknown;
  readonly force: boolean;
  /** Fields that may be taken over without force. */
  readonly yielding?: FieldSet;
}

/** Applies a configuration. Throws DecodeError for one that does not fit the shape. */
export function applyConfiguration(request: ApplyRequest, by: AppliedBy): Applied {
  const steps = applyInSteps(request, by);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** Who applies, and what decides about ownership. */
export interface AppliedBy {
  readonly writer: FieldWriter;
  readonly rules: OwnershipRules;
}

/** The same with a rest after each walk over the object: a large one takes a tenth of a second for some of them. */
export function* applyInSteps(
  { live, configuration, force, yielding = NO_FIELDS, ...request }: ApplyRequest,
  { writer, rules }: AppliedBy,
): Generator<void, Applied> {
  const { shape, reset } = rules;
  const whole = fieldsListed(shape, configuration);
  yield;
  const listed = withoutBranches(differenceOf(whole, NOBODYS), reset);
  const owners = request.owners ?? ownersBeforeFirstApply(live, { writer, rules });
  yield;
  const own = entryOf(writer, 'Apply');
  const id = identity(own);
  const last = owners.get(id);
  const others = new Map([...owners].filter(([other]) => other !== id));
  const merged = mergeValues(shape, live, configuration);
  yield;
  const object = prune(merged, { shape, last, others, listed });
  yield;
  const change = live === undefined ? NOTHING_ELSE : withoutReset(compareValues(shape, live, object), reset);
  yield;
  const conflicts = conflictsOf(others, change, yielding);
  if (conflicts.length > 0 && !force) return { conflicts };
  yield;
  const next = afterChange(others, change);
  yield;
  const isSame =
    isNothing(change) && last !== undefined && sameFields(last.fields, listed) && next.size === others.size;
  const keepsTime = isSame && last.entry.apiVersion === writer.apiVersion && last.entry.time !== undefined;
  const entry = keepsTime ? { ...own, time: last.entry.time ?? writer.time } : own;
  putOwner(next, id, { entry, fields: listed });
  for (const { fields } of next.values()) {
    yield;
    // Remembered, so that the entries below find it.
    writeWireFields(fields);
  }
  return { object, entries: writeOwners(next) };
}

/** Of an object that is made nobody else has anything. */
const NOTHING_ELSE: Comparison = { added: NO_FIELDS, modified: NO_FIELDS, removed: NO_FIELDS };

/** What this sort of write leaves as it is, whatever it says, is nobody's loss. */
function withoutReset({ added, modified, removed }: Comparison, reset: FieldSet): Comparison {
  return {
    added: withoutBranches(added, reset),
    modified: withoutBranches(modified, reset),
    removed: withoutBranches(removed, reset),
  };
}

/** Nobody was tracked so far: all that is there has one owner, so that the first apply meets conflicts where it changes it. */
function ownersBeforeFirstApply(
  live: unknown,
  { writer, rules }: { readonly writer: FieldWriter; readonly rules: OwnershipRules },
): Owners {
  const first = { ...writer, manager: BEFORE_FIRST_APPLY, subresource: '' };
  const whole = { shape: rules.shape, reset: NO_FIELDS };
  const entries = entriesAfterUpdate(undefined, { before: undefined, after: live }, { writer: first, rules: whole });
  return readOwners(entries) ?? new Map<string, Owner>();
}

/** Takes out what the applier listed the last time, lists no more, and nobody else owns. */
function prune(
  merged: unknown,
  at: { readonly shape: Shape; readonly last: Owner | undefined; readonly others: Owners; readonly listed: FieldSet },
): unknown {
  if (at.last === undefined) return merged;
  const others = [...at.others.values()].map(({ fields }) => withNamedParents(fields));
  const kept = unionOfAll([withNamedParents(at.listed), ...others]);
  const gone = differenceOf(differenceOf(withNamedParents(at.last.fields), kept), NOBODYS);
  return isEmptySet(gone) ? merged : removeFields(at.shape, merged, gone);
}

function conflictsOf(others: Owners, { added, modified }: Comparison, yielding: FieldSet): FieldConflict[] {
  const changed = unionOf(added, modified);
  return [...others.values()].flatMap(({ entry, fields }) => {
    const contested = differenceFromLarge(intersectionOf(fields, changed), yielding);
    return isEmptySet(contested) ? [] : [{ owner: entry, fields: contested }];
  });
}

/** More owners than objects have whose writers mean well. */
const MANY = 32;

/** What the others own when the change is done: nothing that it changed. `own`: who changes it, and takes so much. */
function afterChange(
  others: Owners,
  { added, modified, removed }: Comparison,
  own?: { readonly id: string; readonly taken: FieldSet },
): Owners {
  const lost = unionOf(unionOf(added, modified), removed);
  const next: Owners = new Map();
  const without = others.size > MANY ? differenceFromLarge : differenceOf;
  for (const [id, owner] of others) {
    // What the writer takes again it never lost: its set stays the same one where it gains nothing.
    const gone = id === own?.id ? differenceOf(lost, own.taken) : lost;
    putOwner(next, id, { ...owner, fields: without(owner.fields, gone) });
  }
  return next;
}

function isNothing({ added, modified, removed }: Comparison): boolean {
  return isEmptySet(added) && isEmptySet(modified) && isEmptySet(removed);
}

/** The fields of a configuration that the object still has as they were applied: their applier may take them over. */
export function fieldsUnchanged(shape: Shape, configuration: unknown, live: unknown): FieldSet {
  const { added, modified, removed } = compareValues(shape, configuration, live);
  return differenceOf(fieldsListed(shape, configuration), unionOf(unionOf(added, modified), removed));
}
