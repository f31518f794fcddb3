/**
 * Equality as upstream's semantic comparison has it, by what Go knows of each member: an empty list or map is none, a
 * member that is no pointer is its zero value where it is absent, and behind a pointer absent and empty are two things.
 */
import { assert } from '@binnacle/base';
import { deepEqual } from '../deep-equal.ts';
import { LEAVES } from './leaves.ts';
import { isAbsent, isObject, memberOf } from './member.ts';
import type { JsonObject } from './shape.ts';
import type { FieldSchema, SchemaTable, StructSchema, TypeRef, Union } from './table.ts';

/** Compares values in normal form. A place is a struct (`core.v1.PodSpec`) or a member of one (`core.v1.Pod.spec`). */
export interface Comparison {
  areEqual(place: string, a: unknown, b: unknown): boolean;
  /** Where two values differ, one line per place: what was (`-`) and what came (`+`); empty where they are equal. */
  describe(place: string, before: unknown, after: unknown): string;
}

/** The comparison of everything that a table has; the table is asked for with the first values. */
export function createComparison(schemas: { readonly table: SchemaTable }): Comparison {
  return {
    areEqual: (place, a, b) => new Comparer(schemas.table).areEqual(placeOf(schemas.table, place), a, b),
    describe: (place, before, after) => {
      const lines: string[] = [];
      const whole = { place: placeOf(schemas.table, place), path: '', before, after };
      new Comparer(schemas.table).collect(whole, lines);
      return lines.join('\n');
    },
  };
}

type Place = Pick<FieldSchema, 'type' | 'pointer'>;

function placeOf(table: SchemaTable, name: string): Place {
  if (table[name] !== undefined) return { type: `#${name}` };
  const dot = name.lastIndexOf('.');
  const field = table[name.slice(0, dot)]?.fields[name.slice(dot + 1)];
  assert(field !== undefined, 'what is compared stands in the table', { name });
  return field;
}

/** What the table does not know is compared as it is written. */
const AS_WRITTEN: Place = { type: 'JSON' };
const NONE: JsonObject = Object.freeze({});

interface Difference {
  readonly place: Place;
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

class Comparer {
  readonly #table: SchemaTable;

  constructor(table: SchemaTable) {
    this.#table = table;
  }

  areEqual({ type, pointer }: Place, a: unknown, b: unknown): boolean {
    if (a === b) return true;
    if (pointer === true && (isAbsent(a) || isAbsent(b))) return isAbsent(a) && isAbsent(b);
    if (type.startsWith('[]')) return this.#areListsEqual(type.slice(2), a as Items, b as Items);
    if (type.startsWith('{}')) return this.#areMapsEqual(type.slice(2), a as Members, b as Members);
    const struct = this.#struct(type);
    if (struct === undefined) return areLeavesEqual(type, a, b);
    if (struct.union !== undefined) return this.#areUnionsEqual(struct.union, a, b);
    return this.#areStructsEqual(struct, (a ?? NONE) as JsonObject, (b ?? NONE) as JsonObject);
  }

  collect({ place, path, before, after }: Difference, lines: string[]): void {
    if (this.areEqual(place, before, after)) return;
    if (!isNested(before) || !isNested(after) || Array.isArray(before) !== Array.isArray(after)) {
      if (!isAbsent(before)) lines.push(`- ${path}: ${JSON.stringify(before)}`);
      if (!isAbsent(after)) lines.push(`+ ${path}: ${JSON.stringify(after)}`);
      return;
    }
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const next = Array.isArray(before) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
      const members = { before: memberOf(before, key), after: memberOf(after, key) };
      this.collect({ ...members, place: this.#memberPlace(place.type, key, before), path: next }, lines);
    }
  }

  #struct(type: TypeRef): StructSchema | undefined {
    return type.startsWith('#') ? this.#table[type.slice(1)] : undefined;
  }

  /** Of a member of `value`, which is of the type. */
  #memberPlace(type: TypeRef, key: string, value: unknown): Place {
    if (type.startsWith('[]') || type.startsWith('{}')) return { type: type.slice(2) };
    const struct = this.#struct(type);
    if (struct?.union === undefined) return memberOf(struct?.fields ?? {}, key) ?? AS_WRITTEN;
    const form = formOf(struct.union, value);
    return form === undefined ? AS_WRITTEN : this.#memberPlace(form.type, key, value);
  }

  #areListsEqual(item: TypeRef, a: Items, b: Items): boolean {
    const [left, right] = [a ?? [], b ?? []];
    const place = { type: item };
    return left.length === right.length && left.every((one, at) => this.areEqual(place, one, right[at]));
  }

  /** A value that is there is another than none, whatever it is. */
  #areMapsEqual(item: TypeRef, a: Members, b: Members): boolean {
    const [left, right] = [a ?? NONE, b ?? NONE];
    const place = { type: item };
    for (const key in left) {
      const [one, other] = [left[key], memberOf(right, key)];
      if ((one === undefined) !== (other === undefined) || !this.areEqual(place, one, other)) return false;
    }
    for (const key in right) if (right[key] !== undefined && memberOf(left, key) === undefined) return false;
    return true;
  }

  #areStructsEqual({ fields }: StructSchema, a: JsonObject, b: JsonObject): boolean {
    for (const key in a)
      if (!this.areEqual(memberOf(fields, key) ?? AS_WRITTEN, a[key], memberOf(b, key))) return false;
    for (const key in b) {
      if (!Object.hasOwn(a, key) && !this.areEqual(memberOf(fields, key) ?? AS_WRITTEN, undefined, b[key]))
        return false;
    }
    return true;
  }

  #areUnionsEqual(union: Union, a: unknown, b: unknown): boolean {
    const form = formOf(union, a);
    return form !== undefined && form === formOf(union, b) && this.areEqual(form, a, b);
  }
}

type Items = readonly unknown[] | null | undefined;
type Members = { readonly [key: string]: unknown } | null | undefined;

function formOf(union: Union, value: unknown): Place | undefined {
  if (typeof value === 'boolean') return union.bool;
  return Array.isArray(value) ? union.list : isAbsent(value) ? undefined : union.object;
}

/** Quantities and times compare as text, which is exact in normal form. */
function areLeavesEqual(type: TypeRef, a: unknown, b: unknown): boolean {
  if (type === 'bytes') return (a ?? '') === (b ?? '');
  const zero = LEAVES[type]?.zero ?? null;
  return deepEqual(a ?? zero, b ?? zero);
}

/** A number that is kept as its digits is one value, though an object. */
function isNested(value: unknown): value is JsonObject {
  return Array.isArray(value) || isObject(value);
}
