/** What the deciders of this folder ask of values: taken apart or whole, and which items of two lists are the same one. */
import { isObject, memberOf, putMember } from '../schema/member.ts';
import type { JsonObject } from '../schema/shape.ts';
import type { KeyedShape, Shape } from './shape.ts';

/** Whether the value can be taken apart as the shape says; a value of another form is a whole. */
export function isTakenApart(shape: Shape, value: unknown): boolean {
  if (shape.kind === 'record' || shape.kind === 'open') return isObject(value);
  return shape.kind !== 'leaf' && Array.isArray(value);
}

export function isEmptyValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (!isObject(value)) return false;
  for (const _name in value) return false;
  return true;
}

/** The path element of an item of a list of scalars. */
export function setElement(item: unknown): string {
  return `v:${JSON.stringify(item ?? null)}`;
}

/** The path element of an item of a keyed list, by those of its keys that it has; undefined for what is no map. */
export function keyElement({ keys, defaults }: KeyedShape, item: unknown): string | undefined {
  if (!isObject(item)) return undefined;
  const named: JsonObject = {};
  for (const key of keys) {
    const value = memberOf(item, key) ?? memberOf(defaults, key);
    if (value !== undefined) putMember(named, key, value);
  }
  return `k:${JSON.stringify(named)}`;
}

/** One part of a value: its place, what is there, and how it merges. */
export interface Part {
  readonly element: string;
  readonly value: unknown;
  readonly shape: Shape;
  /** A declared field, not a key or an item. */
  readonly isField: boolean;
}

const OPEN: Shape = { kind: 'open' };

/** The parts of a value that is taken apart, in their order. Items without their keys are known by their place. */
export function partsOf(shape: Shape, value: unknown): Part[] {
  if (shape.kind === 'set' && Array.isArray(value)) {
    return value.map((item: unknown) => ({
      element: setElement(item),
      value: item,
      shape: shape.item,
      isField: false,
    }));
  }
  if (shape.kind === 'keyed' && Array.isArray(value)) {
    return value.map((item: unknown, i) => ({
      element: keyElement(shape, item) ?? `i:${i}`,
      value: item,
      shape: shape.item,
      isField: false,
    }));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).map(([name, member]) => ({
    element: `f:${name}`,
    value: member,
    // What no schema knows is taken as it comes: the reader of the result drops or refuses it.
    shape: shape.kind === 'record' ? (shape.member(name) ?? OPEN) : OPEN,
    isField: shape.kind === 'record' && shape.isField(name),
  }));
}
