/**
 * Objects in normal form written as Kubernetes' protobuf, by the field numbers of the schema table: the way back of
 * protobuf.ts. Fields go in the order of their numbers, maps in the order of their keys, as Go writes them; what is
 * absent is left out, which Go reads as the zero value.
 */
import { assert } from '@binnacle/base';
import type { Int64 } from '../int64.ts';
import { ProtoWriter } from './proto-writer.ts';
import type { FieldSchema, SchemaTable, TypeRef, Union } from './table.ts';
import { safeInHtml } from '../safe-in-html.ts';

type JsonObject = { readonly [key: string]: unknown };
/** Writes one value, which is there, as a field of that number. */
type WriteValue = (writer: ProtoWriter, number: number, value: unknown) => void;

/** One number of a message: a field, or a message that Go embeds and whose fields JSON has one level up. */
interface Part {
  readonly number: number;
  readonly name: string;
  readonly write: WriteValue | undefined;
  readonly parts: readonly Part[] | undefined;
}

/** What goes into an envelope, which says what the message is. */
export interface Enveloped {
  readonly apiVersion: string;
  readonly kind: string;
}

const MAGIC = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

/** A body of `application/vnd.kubernetes.protobuf` around a message. */
export function sealProtobuf(type: Enveloped, message: Uint8Array): Uint8Array {
  const writer = new ProtoWriter(message.length + 128);
  openEnvelope(writer, type);
  writer.bytes(2, message);
  closeEnvelope(writer);
  return writer.finish();
}

/** The same in three parts, for a message that is never in one piece: what goes before and after so many bytes. */
export function protobufEnvelope(type: Enveloped, messageBytes: number): { head: Uint8Array; tail: Uint8Array } {
  const writer = new ProtoWriter(128);
  openEnvelope(writer, type);
  writer.lengthOf(2, messageBytes);
  const head = writer.finish();
  writer.reset();
  closeEnvelope(writer);
  return { head, tail: writer.finish() };
}

function openEnvelope(writer: ProtoWriter, { apiVersion, kind }: Enveloped): void {
  writer.raw(MAGIC);
  const type = writer.begin(1);
  writer.string(1, apiVersion);
  writer.string(2, kind);
  writer.end(type);
}

/** Encoding and type of the message: the plain ones. */
function closeEnvelope(writer: ProtoWriter): void {
  writer.string(3, '');
  writer.string(4, '');
}

/** Writes messages by one table; owns what it derives from it. */
export class ProtobufEncoder {
  readonly #table: SchemaTable;
  readonly #plans = new Map<string, readonly Part[]>();
  /** Made with the first message: custom kinds have none, and there may be thousands of them. */
  #writer: ProtoWriter | undefined;

  constructor(table: SchemaTable) {
    this.#table = table;
  }

  /** The message of an object in normal form, in memory of its own. */
  write(struct: string, value: object): Uint8Array {
    this.#writer ??= new ProtoWriter(64 * 1024);
    const writer = this.#writer;
    writer.reset();
    writeParts(writer, this.#plan(struct), value as JsonObject);
    return writer.finish();
  }

  #plan(struct: string): readonly Part[] {
    let plan = this.#plans.get(struct);
    if (plan === undefined) {
      const parts: Part[] = [];
      // Before its fields: some structs hold themselves.
      this.#plans.set(struct, (plan = parts));
      for (const [name, field] of Object.entries(this.#table[struct]?.fields ?? {})) this.#place(parts, name, field);
      sortParts(parts);
    }
    return plan;
  }

  #place(parts: Part[], name: string, field: FieldSchema): void {
    if (field.proto === undefined) return;
    let level = parts;
    for (const number of field.protoIn ?? []) {
      let embedded = level.find((part) => part.number === number);
      if (embedded === undefined) level.push((embedded = { number, name: '', write: undefined, parts: [] }));
      assert(embedded.parts !== undefined, 'a number is a field or an embedded message', { name, number });
      level = embedded.parts as Part[];
    }
    level.push({ number: field.proto, name, write: this.#field(field.type), parts: undefined });
  }

  #field(type: TypeRef): WriteValue {
    if (type.startsWith('[]')) return listWriter(this.#value(type.slice(2)));
    if (type.startsWith('{}')) return mapWriter(this.#value(type.slice(2)));
    return this.#value(type);
  }

  #value(type: TypeRef): WriteValue {
    if (type.startsWith('#')) return this.#struct(type.slice(1));
    // A list inside a list or map is a message of its own, its items in field 1.
    if (type.startsWith('[]')) return wrapped(this.#field(type));
    return LEAVES[type] ?? writeRaw;
  }

  /** By the form that a value has; made on first use, as the forms may hold the union again. */
  #union({ bool, object, list }: Union): WriteValue {
    return (writer, number, value) => {
      const start = writer.begin(number);
      const form = typeof value === 'boolean' ? bool : Array.isArray(value) ? list : object;
      if (bool !== undefined && form !== bool) writer.bool(bool.proto, value !== null);
      if (form !== undefined && value !== null) this.#field(form.type)(writer, form.proto, value);
      writer.end(start);
    };
  }

  #struct(name: string): WriteValue {
    const union = this.#table[name]?.union;
    if (union !== undefined) return this.#union(union);
    let plan: readonly Part[] | undefined;
    return (writer, number, value) => {
      const start = writer.begin(number);
      writeParts(writer, (plan ??= this.#plan(name)), value as JsonObject);
      writer.end(start);
    };
  }
}

function sortParts(parts: Part[]): void {
  parts.sort((a, b) => a.number - b.number);
  for (const { parts: inner } of parts) if (inner !== undefined) sortParts(inner as Part[]);
}

function writeParts(writer: ProtoWriter, parts: readonly Part[], object: JsonObject): void {
  for (const { number, name, write, parts: inner } of parts) {
    if (write !== undefined) {
      const value = object[name];
      if (value !== undefined && value !== null) write(writer, number, value);
    } else if (inner !== undefined && holdsAny(inner, object)) {
      const start = writer.begin(number);
      writeParts(writer, inner, object);
      writer.end(start);
    }
  }
}

function holdsAny(parts: readonly Part[], object: JsonObject): boolean {
  return parts.some(({ name, parts: inner }) =>
    inner === undefined ? object[name] !== undefined && object[name] !== null : holdsAny(inner, object),
  );
}

function listWriter(write: WriteValue): WriteValue {
  return (writer, number, value) => {
    for (const item of value as readonly unknown[]) write(writer, number, item);
  };
}

function wrapped(write: WriteValue): WriteValue {
  return (writer, number, value) => {
    const start = writer.begin(number);
    if (value !== null) write(writer, 1, value);
    writer.end(start);
  };
}

function mapWriter(write: WriteValue): WriteValue {
  return (writer, number, value) => {
    const map = value as JsonObject;
    for (const key of Object.keys(map).sort()) {
      const start = writer.begin(number);
      writer.string(1, key);
      write(writer, 2, map[key]);
      writer.end(start);
    }
  };
}

const LEAVES: { readonly [type: string]: WriteValue } = {
  string: (writer, number, value) => writer.string(number, value as string),
  bool: (writer, number, value) => writer.bool(number, value as boolean),
  int32: (writer, number, value) => writer.int(number, value as number),
  int64: (writer, number, value) => writer.int(number, value as number | Int64),
  double: (writer, number, value) => writer.double(number, Number(value)),
  // Nothing at all is no bytes, where a list or map has a place for it.
  bytes: (writer, number, value) => writer.base64(number, (value ?? '') as string),
  Time: writeTime,
  MicroTime: writeTime,
  Quantity(writer, number, value) {
    const start = writer.begin(number);
    writer.string(1, String(value));
    writer.end(start);
  },
  IntOrString(writer, number, value) {
    const isString = typeof value === 'string';
    const start = writer.begin(number);
    writer.int(1, isString ? 1 : 0);
    writer.int(2, isString ? 0 : (value as number));
    writer.string(3, isString ? value : '');
    writer.end(start);
  },
};

const SECONDS_CHARACTERS = 19;

/** An empty message is the zero time, which JSON writes as null. */
function writeTime(writer: ProtoWriter, number: number, value: unknown): void {
  const start = writer.begin(number);
  if (value !== null) {
    const text = value as string;
    const micros = text.length > SECONDS_CHARACTERS + 1 ? Number(text.slice(SECONDS_CHARACTERS + 1, -1)) : 0;
    writer.int(1, Date.parse(`${text.slice(0, SECONDS_CHARACTERS)}Z`) / 1000);
    writer.int(2, micros * 1000);
  }
  writer.end(start);
}

/** FieldsV1 and RawExtension carry JSON, as Go's encoder writes it: who compares bytes finds their own. */
function writeRaw(writer: ProtoWriter, number: number, value: unknown): void {
  const start = writer.begin(number);
  if (value !== null) writer.string(1, safeInHtml(JSON.stringify(value)));
  writer.end(start);
}
