/**
 * The fields of an object that is made, straight as they go on the wire: what comparing it with nothing would tell,
 * in one pass without anything between, because every create pays for it.
 */
import { isObject } from '../schema/member.ts';
import { tooManyValues, VALUES_MAX } from '../schema/value-limit.ts';
import type { JsonObject } from '../schema/shape.ts';
import { NO_FIELDS, SELF } from './field-set.ts';
import type { FieldSet } from './field-set.ts';
import { setAt } from './known-sets.ts';
import type { SetStep } from './known-sets.ts';
import type { KeyedShape, Shape } from './shape.ts';
import { knownWireSets as known } from './wire-fields.ts';
import { isEmptyValue, isTakenApart, keyElement, setElement } from './value.ts';

/**
 * All fields of a value but those of `skipped`, whose leaves are left out with all below them. What an object has by
 * itself, before anything is said of it (`spec`), is nobody's; what stands in it is whoever's said it. Frozen, and shared.
 */
export function fieldsOfNew(shape: Shape, value: object, skipped: FieldSet): FieldSet {
  return setAt(withMembers(known.whole, shape, { value: value as JsonObject, skipped, isThere: true }));
}

interface Members {
  readonly value: JsonObject;
  readonly skipped: FieldSet | undefined;
  /** Every object has this place: `spec.template`, but no item of a list, and nothing below one. */
  readonly isThere: boolean;
}

function withMembers(start: SetStep, shape: Shape, { value, skipped, isThere }: Members): SetStep {
  let step = start;
  const isRecord = shape.kind === 'record';
  for (const name in value) {
    const member = value[name];
    if (member === undefined) continue;
    const field = isRecord ? shape.field(name) : undefined;
    const element = field?.element ?? (isRecord ? shape.element(name) : `f:${name}`);
    const inner = field?.shape ?? (isRecord ? shape.member(name) : shape) ?? OPEN;
    const skip = skipped?.[element];
    const atFirst = isThere ? field?.atFirst : undefined;
    if (skip !== undefined) {
      if (isObject(member) && Object.keys(skip).some((below) => below !== SELF))
        step = withBelow(step, element, { inner, member, skip });
    } else if (atFirst === undefined) step = known.with(step, element, fieldsOf(inner, member));
    else if (member !== null && (atFirst === 'null' || !isZero(member)))
      step = withThere(step, element, { inner, member });
  }
  return step;
}

/** Go's zero values of scalars and structs. */
function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false || (isObject(value) && isEmptyValue(value));
}

/** A place that every object has: what is said in it is owned, and not the place itself. */
function withThere(
  step: SetStep,
  element: string,
  { inner, member }: { readonly inner: Shape; readonly member: unknown },
): SetStep {
  if (inner.kind === 'leaf' || !isTakenApart(inner, member) || isEmptyValue(member))
    return known.with(step, element, NO_FIELDS);
  const end = Array.isArray(member)
    ? withAll(known.whole, inner, member)
    : withMembers(known.whole, inner, { value: member as JsonObject, skipped: undefined, isThere: true });
  return end === known.whole ? step : known.with(step, element, setAt(end));
}

/** A place that is skipped itself, or not even that, but not all that is below it. */
function withBelow(
  step: SetStep,
  element: string,
  { inner, member, skip }: { readonly inner: Shape; readonly member: JsonObject; readonly skip: FieldSet },
): SetStep {
  const isSkipped = skip[SELF] !== undefined;
  const start = isSkipped ? known.whole : known.part;
  const end = withMembers(start, inner, { value: member, skipped: skip, isThere: true });
  return isSkipped && end === start ? step : known.with(step, element, setAt(end));
}

const OPEN: Shape = { kind: 'open' };

function fieldsOf(shape: Shape, value: unknown): FieldSet {
  if (shape.kind === 'leaf' || !isTakenApart(shape, value) || isEmptyValue(value)) return NO_FIELDS;
  if (!Array.isArray(value))
    return setAt(withMembers(known.part, shape, { value: value as JsonObject, skipped: undefined, isThere: false }));
  return setAt(withAll(known.part, shape, value));
}

function withAll(start: SetStep, shape: Shape, items: readonly unknown[]): SetStep {
  return shape.kind === 'keyed' ? withItems(start, shape, items) : withElements(start, items);
}

function withItems(start: SetStep, shape: KeyedShape, items: readonly unknown[]): SetStep {
  let step = start;
  for (const [i, item] of items.entries()) {
    step = known.with(step, keyElement(shape, item) ?? `i:${i}`, fieldsOf(shape.item, item));
  }
  return step;
}

/**
 * Of items that stand there many times one is enough: whoever sends them pays no more for the order. Throws 413 where the
 * object has too many values with its fields, before tens of thousands of them are put in order for nothing.
 */
function withElements(start: SetStep, items: readonly unknown[]): SetStep {
  const different = items.length > 1 ? new Set(items) : items;
  if (different instanceof Set && items.length + different.size > VALUES_MAX) throw tooManyValues();
  let step = start;
  for (const item of different) step = known.with(step, setElement(item), NO_FIELDS);
  return step;
}
