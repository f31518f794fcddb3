/**
 * The fields of an object that is made, straight as they go on the wire: what comparing it with nothing would tell,
 * in one pass without anything between, because every create pays for it.
 */
import { isObject } from '../schema/member.ts';
import type { JsonObject } from '../schema/shape.ts';
import { NO_FIELDS, SELF } from './field-set.ts';
import type { FieldSet } from './field-set.ts';
import type { Shape } from './shape.ts';
import { sortedKeys } from './sorted-keys.ts';
import { isAbsent, isEmptyValue, isTakenApart, keyElement, setElement } from './value.ts';

type Draft = { [element: string]: FieldSet };

/** All fields of a value but those of `skipped`, whose leaves are left out with all below them. */
export function fieldsOfNew(shape: Shape, value: object, skipped: FieldSet): FieldSet {
  const out: Draft = {};
  putMembers(out, shape, { value: value as JsonObject, skipped });
  return out;
}

interface Members {
  readonly value: JsonObject;
  readonly skipped: FieldSet | undefined;
}

function putMembers(out: Draft, shape: Shape, { value, skipped }: Members): void {
  for (const name of sortedKeys(value)) {
    const member = value[name];
    if (isAbsent(member)) continue;
    const element = shape.kind === 'record' ? shape.element(name) : `f:${name}`;
    const inner = shape.kind === 'record' ? shape.member(name) : shape;
    const skip = skipped?.[element];
    if (skip === undefined) out[element] = fieldsOf(inner ?? OPEN, member);
    else if (isObject(member) && Object.keys(skip).some((below) => below !== SELF))
      putBelow(out, element, { inner, member, skip });
  }
}

/** A place that is skipped itself, or not even that, but not all that is below it. */
function putBelow(
  out: Draft,
  element: string,
  { inner, member, skip }: { readonly inner: Shape | undefined; readonly member: JsonObject; readonly skip: FieldSet },
): void {
  const below: Draft = skip[SELF] === undefined ? { [SELF]: NO_FIELDS } : {};
  putMembers(below, inner ?? OPEN, { value: member, skipped: skip });
  for (const _any in below) {
    out[element] = below;
    return;
  }
}

const OPEN: Shape = { kind: 'open' };

function fieldsOf(shape: Shape, value: unknown): FieldSet {
  if (shape.kind === 'leaf' || !isTakenApart(shape, value) || isEmptyValue(value)) return NO_FIELDS;
  const out: Draft = { [SELF]: NO_FIELDS };
  if (!Array.isArray(value)) putMembers(out, shape, { value: value as JsonObject, skipped: undefined });
  else putItems(out, shape, value);
  return out;
}

function putItems(out: Draft, shape: Shape, items: readonly unknown[]): void {
  if (shape.kind !== 'keyed') return putSet(out, items);
  const found: [element: string, fields: FieldSet][] = items.map((item, i) => [
    keyElement(shape, item) ?? `i:${i}`,
    fieldsOf(shape.item, item),
  ]);
  found.sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [element, fields] of found) out[element] = fields;
}

/** Of items that stand there many times one is enough: whoever sends them pays no more for the order. */
function putSet(out: Draft, items: readonly unknown[]): void {
  const elements = [...new Set(items)].map(setElement);
  for (const element of elements.sort()) out[element] = NO_FIELDS;
}
