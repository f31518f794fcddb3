/**
 * Kubernetes' protobuf, read by the field numbers of the schema table into the value that the same object has in
 * JSON; a walker then brings it into normal form.
 */
import { DecodeError } from '../errors.ts';
import { DEPTH_MAX } from './json-text.ts';
import { byteAt, FIELDS_PER_VALUE, newBudget, ProtoReader } from './proto-reader.ts';
import { readLeaf } from './proto-leaves.ts';
import type { FieldSchema, SchemaTable, StructSchema, TypeRef, Union } from './table.ts';

/** What the envelope says, and the message inside. */
export interface ProtobufBody {
  readonly apiVersion: string;
  readonly kind: string;
  readonly message: Uint8Array;
}

const MAGIC = [0x6b, 0x38, 0x73, 0x00];

/** Opens a body of `application/vnd.kubernetes.protobuf`. Throws DecodeError. */
export function openProtobuf(body: Uint8Array): ProtobufBody {
  if (MAGIC.some((byte, i) => byteAt(body, i) !== byte)) {
    throw new DecodeError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  let [apiVersion, kind] = ['', ''];
  let message: Uint8Array = new Uint8Array(0);
  const reader = new ProtoReader(body.subarray(MAGIC.length), newBudget());
  while (reader.next()) {
    if (reader.field === 1) {
      const type = reader.message();
      while (type.next()) {
        if (type.field === 1) apiVersion = type.string();
        else if (type.field === 2) kind = type.string();
        else type.skip();
      }
    } else if (reader.field === 2) message = reader.bytes();
    else reader.skip();
  }
  return { apiVersion, kind, message };
}

type JsonObject = { [key: string]: unknown };

/** Where the value of one field number goes. */
type Target =
  | { readonly kind: 'field'; readonly name: string; readonly type: TypeRef }
  | { readonly kind: 'embedded'; readonly fields: Targets };
type Targets = Map<number, Target>;

const NO_FIELDS: StructSchema = { fields: {} };

/** Reads messages by one table; owns what it derives from it. */
export class ProtobufDecoder {
  readonly #table: SchemaTable;
  readonly #targets = new Map<string, Targets>();
  readonly #known = new Map<string, boolean>();
  /** Messages that are open: some kinds hold themselves. */
  #depth = 0;

  constructor(table: SchemaTable) {
    this.#table = table;
  }

  /** Whether the table knows the field numbers of a struct. */
  knows(struct: string): boolean {
    let known = this.#known.get(struct);
    if (known === undefined) {
      const { fields } = Object.hasOwn(this.#table, struct) ? (this.#table[struct] ?? NO_FIELDS) : NO_FIELDS;
      known = Object.values(fields).some((field) => field.proto !== undefined);
      // Names come from callers; only those of the table are kept.
      if (fields !== NO_FIELDS.fields) this.#known.set(struct, known);
    }
    return known;
  }

  /** The value of a message. Throws DecodeError for one that is cut off, malformed or too deep, 413 for too many fields. */
  read(struct: string, message: Uint8Array): JsonObject {
    this.#depth = 0;
    return this.#message(struct, new ProtoReader(message, newBudget()));
  }

  #message(struct: string, message: ProtoReader): JsonObject {
    if (++this.#depth > DEPTH_MAX) throw new DecodeError('exceeded max depth');
    const out: JsonObject = {};
    this.#fields(this.#targetsOf(struct), message, out);
    this.#depth--;
    return out;
  }

  #fields(targets: Targets, reader: ProtoReader, out: JsonObject): void {
    while (reader.next()) {
      const target = targets.get(reader.field);
      if (target === undefined) reader.skip();
      else if (target.kind === 'embedded') this.#fields(target.fields, reader.message(), out);
      else this.#field(target.name, target.type, { reader, out });
    }
  }

  #field(name: string, type: TypeRef, { reader, out }: { reader: ProtoReader; out: JsonObject }): void {
    if (type.startsWith('{}')) return this.#entry(type.slice(2), reader, (out[name] ??= {}) as JsonObject);
    reader.charge(FIELDS_PER_VALUE - 1);
    if (type.startsWith('[]')) this.#item(type.slice(2), reader, (out[name] ??= []) as unknown[]);
    else out[name] = this.#value(type, reader);
  }

  #item(type: TypeRef, reader: ProtoReader, list: unknown[]): void {
    if (!reader.isPacked || !/^(int32|int64|bool)$/.test(type)) {
      list.push(this.#value(type, reader));
      return;
    }
    const packed = reader.message();
    while (packed.hasMore) {
      packed.charge(FIELDS_PER_VALUE);
      list.push(readLeaf(type, packed));
    }
  }

  #entry(type: TypeRef, reader: ProtoReader, map: JsonObject): void {
    let key = '';
    let value: unknown = null;
    const entry = reader.message();
    while (entry.next()) {
      if (entry.field === 1) key = entry.string();
      else if (entry.field === 2) value = this.#value(type, entry);
      else entry.skip();
    }
    // A key of a client must not touch a prototype.
    Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true });
  }

  #value(type: TypeRef, reader: ProtoReader): unknown {
    if (type.startsWith('#')) return this.#structValue(type.slice(1), reader.message());
    // A list inside a list or map is a message of its own, its items in field 1.
    if (type.startsWith('[]')) return this.#wrappedList(type.slice(2), reader.message());
    return readLeaf(type, reader);
  }

  #structValue(struct: string, message: ProtoReader): unknown {
    const union = this.#table[struct]?.union;
    return union === undefined ? this.#message(struct, message) : this.#union(union, message);
  }

  /** The form that the message has; a boolean that stands alone. */
  #union({ bool, object, list }: Union, reader: ProtoReader): unknown {
    if (++this.#depth > DEPTH_MAX) throw new DecodeError('exceeded max depth');
    let value: unknown = bool === undefined ? null : false;
    let isWhole = false;
    while (reader.next()) {
      if (reader.field === object?.proto) {
        value = this.#value(object.type, reader);
        isWhole = true;
      } else if (reader.field === list?.proto) {
        if (!Array.isArray(value)) value = [];
        this.#item(list.type.slice(2), reader, value as unknown[]);
        isWhole = true;
      } else if (reader.field === bool?.proto) {
        const said = this.#value(bool.type, reader);
        if (!isWhole) value = said;
      } else reader.skip();
    }
    this.#depth--;
    return value;
  }

  #wrappedList(type: TypeRef, reader: ProtoReader): unknown[] {
    const list: unknown[] = [];
    while (reader.next()) {
      if (reader.field === 1) this.#item(type, reader, list);
      else reader.skip();
    }
    return list;
  }

  #targetsOf(struct: string): Targets {
    let targets = this.#targets.get(struct);
    if (targets === undefined) {
      targets = new Map();
      for (const [name, field] of Object.entries(this.#table[struct]?.fields ?? {})) place(targets, name, field);
      this.#targets.set(struct, targets);
    }
    return targets;
  }
}

function place(targets: Targets, name: string, field: FieldSchema): void {
  if (field.proto === undefined) return;
  let level = targets;
  for (const number of field.protoIn ?? []) {
    const known = level.get(number);
    const embedded: Target = known?.kind === 'embedded' ? known : { kind: 'embedded', fields: new Map() };
    level.set(number, embedded);
    level = embedded.fields;
  }
  level.set(field.proto, { kind: 'field', name, type: field.type });
}
