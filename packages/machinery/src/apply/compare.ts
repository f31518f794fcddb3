/** What changed between two states of an object, as sets of fields. */
import { deepEqual } from '../deep-equal.ts';
import { isAbsent, isObject, memberOf } from '../schema/member.ts';
import type { JsonObject } from '../schema/shape.ts';
import { FieldSetDraft } from './field-set.ts';
import type { FieldSet } from './field-set.ts';
import { LEAF_SHAPE, OPEN_SHAPE } from './shape.ts';
import type { KeyedShape, RecordShape, Shape } from './shape.ts';
import { isEmptyValue, isTakenApart, keyElement, partsOf } from './value.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

interface Walk {
  readonly added: FieldSetDraft;
  readonly modified: FieldSetDraft;
  readonly removed: FieldSetDraft;
  readonly path: Step[];
}

/** A step of the path; the element of an item is made when it is told of. */
type Step = string | ItemStep;

interface ItemStep {
  readonly shape: KeyedShape;
  readonly item: unknown;
  readonly at: number;
}

/** Compares by the shape; a place that comes or goes is told with all that is below it. */
export function compareValues(shape: Shape, before: unknown, after: unknown): Comparison {
  const walk: Walk = {
    added: new FieldSetDraft(),
    modified: new FieldSetDraft(),
    removed: new FieldSetDraft(),
    path: [],
  };
  compare(walk, shape, { before, after });
  return { added: walk.added.set, modified: walk.modified.set, removed: walk.removed.set };
}

interface Pair {
  readonly before: unknown;
  readonly after: unknown;
}

function compare(walk: Walk, shape: Shape, pair: Pair): void {
  const { before, after } = pair;
  // What nobody has touched is the same thing still.
  if (before === after) return;
  const [isNew, isGone] = [before === undefined, after === undefined];
  const isApart = hasPartsOrNone(shape, before) && hasPartsOrNone(shape, after);
  const areEmpty = isNothing(before) && isNothing(after);
  if (isApart && !areEmpty) compareParts(walk, shape, pair);
  else if (!isNew && !isGone && !deepEqual(before, after)) add(walk.modified, walk);
  // A null has no parts, but is somebody's: who says it owns it.
  if (isNew) add(walk.added, walk);
  if (isGone) add(walk.removed, walk);
}

function hasPartsOrNone(shape: Shape, value: unknown): boolean {
  return isAbsent(value) || isTakenApart(shape, value);
}

function isNothing(value: unknown): boolean {
  return isAbsent(value) || isEmptyValue(value);
}

/** An item's element is made once, for all places of the item. */
function add(draft: FieldSetDraft, { path }: Walk): void {
  for (let at = 0; at < path.length; at++) {
    const step = path[at];
    if (typeof step === 'object') path[at] = elementOf(step);
  }
  draft.add(path as readonly string[]);
}

function elementOf({ shape, item, at }: ItemStep): string {
  return keyElement(shape, item) ?? `i:${at}`;
}

function compareParts(walk: Walk, shape: Shape, { before, after }: Pair): void {
  if (shape.kind === 'record' || shape.kind === 'open') {
    return compareMembers(walk, shape, [(before ?? NOTHING) as JsonObject, (after ?? NOTHING) as JsonObject]);
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    // Whatever a list says twice, it says nothing new where it stayed as it was.
    if (deepEqual(before, after)) return;
    if (shape.kind === 'keyed' && haveSameKeys(shape, before, after)) return compareItems(walk, shape, [before, after]);
  }
  compareSorted(walk, shape, { before, after });
}

const NOTHING: JsonObject = {};

/** The members of two objects: each by its name, so that nothing has to be made of those that are the same. */
function compareMembers(
  walk: Walk,
  shape: RecordShape | { readonly kind: 'open' },
  [before, after]: readonly [JsonObject, JsonObject],
): void {
  const isRecord = shape.kind === 'record';
  const visit = (name: string, was: unknown, is: unknown): void => {
    if (was === is) return;
    walk.path.push(isRecord ? shape.element(name) : `f:${name}`);
    // What no schema knows is taken as it comes.
    compare(walk, isRecord ? (shape.member(name) ?? OPEN_SHAPE) : OPEN_SHAPE, { before: was, after: is });
    walk.path.pop();
  };
  for (const name in after) visit(name, memberOf(before, name), after[name]);
  for (const name in before) if (!Object.hasOwn(after, name)) visit(name, before[name], undefined);
}

/** Longer lists are not searched for keys that come twice. */
const ITEMS_MAX = 16;

/** Whether two lists hold the same items, each once, in the same order: as lists mostly do. */
function haveSameKeys({ keys, defaults }: KeyedShape, before: readonly unknown[], after: readonly unknown[]): boolean {
  if (before.length !== after.length || after.length > ITEMS_MAX) return false;
  const seen: string[] = [];
  for (const [at, item] of after.entries()) {
    const old = before[at];
    if (!isObject(item) || !isObject(old)) return false;
    let whole = '';
    for (const key of keys) {
      const value = memberOf(item, key) ?? memberOf(defaults, key);
      if (value !== (memberOf(old, key) ?? memberOf(defaults, key))) return false;
      if (typeof value !== 'string' && typeof value !== 'number') return false;
      whole += typeof value === 'string' ? `${value.length}:${value}` : `#${value}`;
    }
    if (seen.includes(whole)) return false;
    seen.push(whole);
  }
  return true;
}

function compareItems(
  walk: Walk,
  shape: KeyedShape,
  [before, after]: readonly [readonly unknown[], readonly unknown[]],
): void {
  for (const [at, item] of after.entries()) {
    walk.path.push({ shape, item, at });
    compare(walk, shape.item, { before: before[at], after: item });
    walk.path.pop();
  }
}

/** Lists whose items came, went or changed places: by their elements. */
function compareSorted(walk: Walk, shape: Shape, { before, after }: Pair): void {
  const olds = new Map(partsOf(shape, before).map((part) => [part.element, part]));
  for (const part of partsOf(shape, after)) {
    const old = olds.get(part.element);
    olds.delete(part.element);
    comparePart(walk, part.element, { shape: part.shape, before: old?.value, after: part.value });
  }
  for (const [element, part] of olds) {
    comparePart(walk, element, { shape: part.shape, before: part.value, after: undefined });
  }
}

function comparePart(walk: Walk, element: string, pair: Pair & { readonly shape: Shape }): void {
  // A null in a set is an item like any other.
  const shape = element.startsWith('v:') ? LEAF_SHAPE : pair.shape;
  walk.path.push(element);
  compare(walk, shape, pair);
  walk.path.pop();
}
