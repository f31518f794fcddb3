/** What changed between two states of an object, as sets of fields. */
import { deepEqual } from '../deep-equal.ts';
import { FieldSetDraft } from './field-set.ts';
import type { FieldSet } from './field-set.ts';
import { LEAF_SHAPE } from './shape.ts';
import type { Shape } from './shape.ts';
import { isAbsent, isEmptyValue, isTakenApart, partsOf } from './value.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

interface Walk {
  readonly added: FieldSetDraft;
  readonly modified: FieldSetDraft;
  readonly removed: FieldSetDraft;
  readonly path: string[];
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

function compare(walk: Walk, shape: Shape, { before, after }: Pair): void {
  const [isNew, isGone] = [isAbsent(before), isAbsent(after)];
  if (isNew && isGone) return;
  const isApart = (isNew || isTakenApart(shape, before)) && (isGone || isTakenApart(shape, after));
  const areEmpty = (isNew || isEmptyValue(before)) && (isGone || isEmptyValue(after));
  if (isApart && !areEmpty) compareParts(walk, shape, { before, after });
  else if (!isNew && !isGone && !deepEqual(before, after)) walk.modified.add(walk.path);
  if (isNew) walk.added.add(walk.path);
  if (isGone) walk.removed.add(walk.path);
}

function compareParts(walk: Walk, shape: Shape, { before, after }: Pair): void {
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
