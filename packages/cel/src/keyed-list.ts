import { Duration, keyOf, MapValue, Timestamp, typeNameOf } from './values.ts';
import type { Value } from './values.ts';

/**
 * A list whose items are told apart by what they are (a set) or by some of their fields (a map): its order says
 * nothing, and what is added to it takes the place of what has the same key.
 */
export class KeyedList extends Array<Value> {
  #keys: readonly string[] = [];
  #byKey: ReadonlyMap<string, Value> | undefined;

  /** What is made of such a list is a plain one. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  /** `keys`: names of the fields that make an item's key; none: the whole item is. */
  static keyed(items: readonly Value[], keys: readonly string[]): KeyedList {
    const list = new KeyedList();
    for (const item of items) list.push(item);
    list.#keys = keys;
    return list;
  }

  /** The same items in any order. */
  hasAll(others: readonly Value[], isEqual: (a: Value, b: Value) => boolean): boolean {
    if (others.length !== this.length) return false;
    const known = this.#index();
    return others.every((other) => {
      const mine = known.get(this.#keyOf(other));
      return mine !== undefined && isEqual(mine, other);
    });
  }

  /** With others: in the place of those that have their key, and after the rest. */
  joined(others: readonly Value[]): KeyedList {
    const items = new Map(this.#index());
    const isSet = this.#keys.length === 0;
    for (const other of others) {
      const key = this.#keyOf(other);
      if (!isSet || !items.has(key)) items.set(key, other);
    }
    return KeyedList.keyed([...items.values()], this.#keys);
  }

  #index(): ReadonlyMap<string, Value> {
    this.#byKey ??= new Map(Array.from(this, (item) => [this.#keyOf(item), item]));
    return this.#byKey;
  }

  #keyOf(item: Value): string {
    if (this.#keys.length === 0) return keyText(item);
    return this.#keys.map((key) => (item instanceof MapValue ? keyText(item.get(key) ?? null) : '')).join('\0');
  }
}

/** Of what is made of other values; made once. */
const texts = new WeakMap<object, string>();

/** The same for equal values, and for no others. */
function keyText(value: Value): string {
  if (typeof value === 'number') return `number:${value}`;
  if (typeof value !== 'object' || value === null) return `${typeof value}:${String(keyOf(value))}`;
  let text = texts.get(value);
  if (text === undefined) texts.set(value, (text = textOf(value)));
  return text;
}

function textOf(value: Exclude<Value, bigint | number | string | boolean | null>): string {
  if (value instanceof Timestamp || value instanceof Duration) return `${typeNameOf(value)}:${value.nanos}`;
  if (value instanceof Uint8Array) return `bytes:${value.join()}`;
  if (Array.isArray(value)) return JSON.stringify((value as readonly Value[]).map(keyText));
  if (!(value instanceof MapValue)) return `${typeNameOf(value)}:${String(keyOf(value))}`;
  const members = Array.from(value.keys(), (key) => [keyText(key), keyText(value.get(key) ?? null)] as const);
  return `{${JSON.stringify(members.toSorted(([a], [b]) => (a < b ? -1 : 1)))}`;
}
