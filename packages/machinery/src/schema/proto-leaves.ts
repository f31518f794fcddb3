/** The values of protobuf that are no messages of the table, as JSON has them. */
import { DecodeError } from '../errors.ts';
import { int64Of } from '../int64.ts';
import { parseDocument } from './json-text.ts';
import { FIELDS_PER_VALUE } from './proto-reader.ts';
import type { ProtoReader } from './proto-reader.ts';
import type { TypeRef } from './table.ts';
import { countValues } from './value-limit.ts';

const utf8 = new TextDecoder();

/** Reads the current field. */
export function readLeaf(type: TypeRef, reader: ProtoReader): unknown {
  switch (type) {
    case 'string':
      return reader.string();
    case 'bool':
      return reader.varint() !== 0n;
    case 'int32':
      return Number(reader.varint());
    case 'int64':
      return int64Of(reader.varint());
    case 'double':
      return reader.double();
    case 'bytes':
      return base64(reader.bytes());
    case 'Time':
    case 'MicroTime':
      return readTime(type, reader.message());
    case 'IntOrString':
      return readIntOrString(reader.message());
    case 'Quantity':
      return firstString(reader.message()) ?? '0';
    default:
      return readRaw(reader.message());
  }
}

function firstString(reader: ProtoReader): string | undefined {
  let text: string | undefined;
  while (reader.next()) {
    if (reader.field === 1) text = reader.string();
    else reader.skip();
  }
  return text === '' ? undefined : text;
}

/** FieldsV1 and RawExtension carry JSON. */
function readRaw(reader: ProtoReader): unknown {
  let json: Uint8Array | undefined;
  while (reader.next()) {
    if (reader.field === 1) json = reader.bytes();
    else reader.skip();
  }
  if (json === undefined || json.length === 0) return null;
  reader.charge(FIELDS_PER_VALUE * countValues(json));
  return parseDocument(utf8.decode(json), 'written');
}

/** An empty message is the zero time, which JSON writes as null. */
function readTime(type: 'Time' | 'MicroTime', reader: ProtoReader): string | null {
  let seconds: number | undefined;
  let nanos = 0;
  while (reader.next()) {
    if (reader.field === 1) seconds = Number(reader.varint());
    else if (reader.field === 2) nanos = Number(reader.varint());
    else reader.skip();
  }
  if (seconds === undefined && nanos === 0) return null;
  const date = new Date((seconds ?? 0) * 1000);
  if (Number.isNaN(date.getTime())) throw new DecodeError('the time is out of range');
  const whole = date.toISOString().slice(0, 19);
  const micros = String(Math.floor(nanos / 1000)).padStart(6, '0');
  return type === 'Time' ? `${whole}Z` : `${whole}.${micros}Z`;
}

function readIntOrString(reader: ProtoReader): number | string {
  let isString = false;
  let number = 0;
  let text = '';
  while (reader.next()) {
    if (reader.field === 1) isString = reader.varint() === 1n;
    else if (reader.field === 2) number = Number(reader.varint());
    else if (reader.field === 3) text = reader.string();
    else reader.skip();
  }
  return isString ? text : number;
}

/** Bytes that become text at once: whole groups of three, and few enough for one call. */
const CHUNK_BYTES = 0x6000;

function base64(bytes: Uint8Array): string {
  let out = '';
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    out += btoa(String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES)));
  }
  return out;
}
