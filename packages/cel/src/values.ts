/**
 * The values of CEL: integers are bigints, doubles are numbers, lists are arrays; text, truth, null and bytes are
 * JavaScript's own. Nothing here is ever written into.
 */
export type Value =
  | bigint
  | number
  | string
  | boolean
  | null
  | Uint8Array
  | readonly Value[]
  | Uint
  | MapValue
  | Timestamp
  | Duration
  | Optional
  | TypeValue
  | LibraryValue;

/** An unsigned integer. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** Values by key: maps, and objects with fields. */
export abstract class MapValue {
  /** What `type(x)` calls it. */
  readonly typeName: string = 'map';

  abstract get size(): number;
  /** Undefined: nothing is there. */
  abstract get(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;

  /** Whether a key is there, as `in` asks. */
  has(key: Value): boolean {
    return this.get(key) !== undefined;
  }

  /** What is under a name that an expression spells out; undefined: nothing. */
  field(name: string): Value | undefined {
    return this.get(name);
  }
}

/** A map whose keys are of any type; unsigned integers and whole doubles are found under the integer. */
export class CelMap extends MapValue {
  readonly #entries: Map<unknown, readonly [Value, Value]>;

  constructor(entries: Iterable<readonly [Value, Value]> = []) {
    super();
    this.#entries = new Map();
    for (const entry of entries) this.#entries.set(keyOf(entry[0]), entry);
  }

  override get size(): number {
    return this.#entries.size;
  }

  override get(key: Value): Value | undefined {
    return this.#entries.get(keyOf(key))?.[1];
  }

  override *keys(): Iterable<Value> {
    for (const [key] of this.#entries.values()) yield key;
  }

  /** Puts an entry in while a fold makes the map; false: the key is there already. */
  insert(key: Value, value: Value): boolean {
    const name = keyOf(key);
    if (this.#entries.has(name)) return false;
    this.#entries.set(name, [key, value]);
    return true;
  }
}

/** Members of a document, each made into a value when it is first asked for, and kept. */
export class DocumentMap extends MapValue {
  override readonly typeName: string;
  readonly #members: { readonly [name: string]: unknown };
  readonly #names: readonly string[];
  readonly #read: (name: string, member: unknown) => Value;
  readonly #made = new Map<string, Value>();

  /** `typeName`: that of an object with declared fields; else it is a map. */
  constructor(
    members: { readonly [name: string]: unknown },
    read: (name: string, member: unknown) => Value,
    typeName = 'map',
  ) {
    super();
    this.#members = members;
    this.#names = Object.keys(members).filter((name) => members[name] !== undefined);
    this.#read = read;
    this.typeName = typeName;
  }

  override get size(): number {
    return this.#names.length;
  }

  override get(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#members, key)) return undefined;
    const made = this.#made.get(key);
    if (made !== undefined) return made;
    const member = this.#members[key];
    if (member === undefined) return undefined;
    const value = this.#read(key, member);
    this.#made.set(key, value);
    return value;
  }

  override keys(): Iterable<Value> {
    return this.#names;
  }
}

/** An object that an expression wrote, `Object.spec{replicas: 1}`: what it says, by field. */
export class StructValue extends MapValue {
  override readonly typeName: string;
  readonly fields: ReadonlyMap<string, Value>;

  constructor(typeName: string, fields: ReadonlyMap<string, Value>) {
    super();
    this.typeName = typeName;
    this.fields = fields;
  }

  override get size(): number {
    return this.fields.size;
  }

  override get(key: Value): Value | undefined {
    return typeof key === 'string' ? this.fields.get(key) : undefined;
  }

  override keys(): Iterable<Value> {
    return this.fields.keys();
  }
}

/** A moment, in nanoseconds since the epoch. */
export class Timestamp {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A span of time, in nanoseconds. */
export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A value, or none. */
export class Optional {
  readonly value: Value | undefined;

  constructor(value?: Value) {
    this.value = value;
  }
}

/** What `type(x)` answers. */
export class TypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** What a library adds: quantities, addresses, the authorizer. */
export abstract class LibraryValue {
  abstract readonly typeName: string;
  abstract isEqualTo(other: LibraryValue): boolean;
}

/** What `type(x)` calls the type of a value, and overloads are chosen by. */
export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    default:
      return objectTypeName(value);
  }
}

function objectTypeName(value: Value & (object | null)): string {
  if (value === null) return 'null_type';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Uint) return 'uint';
  if (value instanceof MapValue || value instanceof LibraryValue) return value.typeName;
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  return value instanceof Optional ? 'optional_type' : 'type';
}

/** As the key of a map; undefined for what is no key. */
export function keyOf(value: Value): bigint | string | boolean | undefined {
  if (value instanceof Uint) return value.value;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'bigint' || typeof value === 'string' || typeof value === 'boolean' ? value : undefined;
}

/** Code points, bytes, items or entries; 1 for what has no size. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return codePoints(value);
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length;
  if (value instanceof MapValue) return value.size;
  return value instanceof Optional && value.value !== undefined ? sizeOf(value.value) : 1;
}

/** How many characters a text has, where a pair of surrogates is one. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0xd800 && code < 0xdc00) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next < 0xe000) {
        count--;
        i++;
      }
    }
  }
  return count;
}
