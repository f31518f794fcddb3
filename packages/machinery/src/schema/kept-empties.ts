/**
 * What is left of empty lists and maps once they have rested: upstream keeps built-in kinds as protobuf, which cannot tell
 * an empty list from none. Where Go's encoder leaves empty ones out they are gone already; elsewhere they are null.
 */
import { isObject, putMember } from './member.ts';
import type { JsonObject } from './shape.ts';
import type { FieldSchema, SchemaTable, TypeRef } from './table.ts';

type Keep = (value: unknown) => unknown;

interface Step {
  readonly name: string;
  readonly keep: Keep;
}

/**
 * A function from an object in normal form, of this struct, to what rests of it: the object itself where nothing is
 * forgotten, else a copy that shares all that stayed. Never writes into its argument. Looks only where something may be.
 */
export function keptEmpties(schemas: { readonly table: SchemaTable }, struct: string): <T extends object>(of: T) => T {
  let keep: Keep | undefined;
  return <T extends object>(object: T): T => {
    keep ??= new Keepers(schemas.table).struct(struct) ?? unchanged;
    return keep(object) as T;
  };
}

const unchanged: Keep = (value) => value;

class Keepers {
  readonly #table: SchemaTable;
  readonly #structs = new Map<string, Keep | undefined>();

  constructor(table: SchemaTable) {
    this.#table = table;
  }

  /** Undefined: nothing in the struct is ever forgotten. */
  struct(name: string): Keep | undefined {
    if (this.#structs.has(name)) return this.#structs.get(name);
    // Known before its members are looked at, which may be of the same struct.
    let steps: readonly Step[] | undefined;
    const keep: Keep = (value) => keepMembers((steps ??= this.#steps(name)), value);
    const known = this.#forgets(name) ? keep : undefined;
    this.#structs.set(name, known);
    return known;
  }

  /** Whether it, or a struct in it, has a place of which something may be forgotten. */
  #forgets(name: string): boolean {
    const seen = new Set([name]);
    for (const struct of seen) {
      for (const field of Object.values(this.#table[struct]?.fields ?? {})) {
        if (isForgotten(field) || field.type === BYTES_BY_NAME) return true;
        const inner = innermost(field.type);
        if (inner.startsWith('#')) seen.add(inner.slice(1));
      }
    }
    return false;
  }

  #steps(name: string): readonly Step[] {
    return Object.entries(this.#table[name]?.fields ?? {}).flatMap(([field, schema]) => {
      const below = this.#type(schema.type);
      if (isForgotten(schema)) return [{ name: field, keep: orNull(below ?? unchanged) }];
      return below === undefined ? [] : [{ name: field, keep: below }];
    });
  }

  #type(type: TypeRef): Keep | undefined {
    if (type === BYTES_BY_NAME) return keepBytes;
    if (type.startsWith('#')) return this.struct(type.slice(1));
    const isList = type.startsWith('[]');
    if (!isList && !type.startsWith('{}')) return undefined;
    const item = this.#type(type.slice(2));
    if (item === undefined) return undefined;
    return isList ? (value) => keepItems(item, value) : (value) => keepValues(item, value);
  }
}

/** Bytes that are null are none, which are bytes. */
const BYTES_BY_NAME = '{}bytes';

function isForgotten({ type, omitEmpty }: FieldSchema): boolean {
  return omitEmpty !== true && (type.startsWith('[]') || type.startsWith('{}'));
}

function innermost(type: TypeRef): TypeRef {
  return type.startsWith('[]') || type.startsWith('{}') ? innermost(type.slice(2)) : type;
}

function orNull(keep: Keep): Keep {
  return (value) => (isEmpty(value) ? null : keep(value));
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value as object) return false;
  return true;
}

function keepMembers(steps: readonly Step[], value: unknown): unknown {
  if (!isObject(value)) return value;
  let kept: JsonObject = value;
  for (const { name, keep } of steps) {
    const was = value[name];
    if (was === undefined || was === null) continue;
    const is = keep(was);
    if (is === was) continue;
    if (kept === value) kept = { ...value };
    kept[name] = is;
  }
  return kept;
}

function keepItems(keep: Keep, value: unknown): unknown {
  const items = value as readonly unknown[];
  let kept: unknown[] | undefined;
  for (let at = 0; at < items.length; at++) {
    const is = keep(items[at]);
    if (is !== items[at]) (kept ??= items.slice())[at] = is;
  }
  return kept ?? items;
}

function keepValues(keep: Keep, value: unknown): unknown {
  const values = value as JsonObject;
  let kept: JsonObject | undefined;
  for (const name in values) {
    const is = keep(values[name]);
    if (is !== values[name]) putMember((kept ??= { ...values }), name, is);
  }
  return kept ?? values;
}

function keepBytes(value: unknown): unknown {
  return keepValues((bytes) => bytes ?? '', value);
}
