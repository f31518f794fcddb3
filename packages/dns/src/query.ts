import { labelText, NAME_BYTES_MAX } from './names.ts';
import { RCODE, TYPE } from './records.ts';

export const HEADER_BYTES = 12;
/** Of a header's second word (RFC 1035, 4.1.1; RFC 4035, 3.1.6). */
export const FLAG = {
  response: 0x8000,
  authoritative: 0x0400,
  truncated: 0x0200,
  desired: 0x0100,
  available: 0x0080,
  unchecked: 0x0010,
} as const;
/** An OPT record without options, and the flag in it that asks for signatures (RFC 6891, 6.1.2; RFC 3225). */
export const OPT_BYTES = 11;
export const DNSSEC_OK = 0x8000;
const OPCODE = 0x7800;
const POINTER = 0xc0;
/** A name of so many labels has no room for more: further ones are there to keep the reader busy. */
const POINTERS_MAX = 126;
const EDNS_BYTES_MIN = 512;
/** Behind a question stand its OPT record and a signature, where it has one. */
const ADDITIONALS_MAX = 8;

/** A question that can be answered. */
export interface Query {
  readonly kind: 'query';
  readonly id: number;
  readonly recursionDesired: boolean;
  readonly checkingDisabled: boolean;
  /** In the form of names.ts. */
  readonly name: string;
  readonly type: number;
  readonly class: number;
  /** The question as it came, letters' case and all: the reply repeats it. */
  readonly question: Uint8Array;
  /** Absent: the client knows no extensions (RFC 6891). */
  readonly edns: { readonly payload: number; readonly version: number; readonly dnssecOk: boolean } | undefined;
}

/** Something that gets an error, or, without a header to answer to, nothing at all. */
export interface BadQuery {
  readonly kind: 'bad';
  readonly id: number;
  readonly opcode: number;
  readonly rcode: number;
}

/**
 * Reads one query. Undefined: no answer is due (too short for a header, or itself a reply). Takes what a client needs
 * to say and no more: one question, and an OPT record among the additional ones.
 */
export function readQuery(bytes: Uint8Array): Query | BadQuery | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const view = viewOf(bytes);
  const [id, flags] = [view.getUint16(0), view.getUint16(2)];
  if ((flags & FLAG.response) !== 0) return undefined;
  const opcode = (flags & OPCODE) >> 11;
  const bad = (rcode: number): BadQuery => ({ kind: 'bad', id, opcode, rcode });
  if (opcode !== 0) return bad(RCODE.notImplemented);
  if (view.getUint16(4) !== 1 || view.getUint16(6) !== 0 || view.getUint16(8) !== 0) return bad(RCODE.formatError);
  const name = readName(bytes, HEADER_BYTES);
  if (name === undefined || name.end + 4 > bytes.length) return bad(RCODE.formatError);
  const end = name.end + 4;
  const edns = readEdns(bytes, end, view.getUint16(10));
  if (edns === 'broken') return bad(RCODE.formatError);
  return {
    kind: 'query',
    id,
    recursionDesired: (flags & FLAG.desired) !== 0,
    checkingDisabled: (flags & FLAG.unchecked) !== 0,
    name: name.text,
    type: view.getUint16(name.end),
    class: view.getUint16(name.end + 2),
    question: bytes.slice(HEADER_BYTES, end),
    edns,
  };
}

/** A name and where it ends; undefined where it is cut off, too long, or a pointer does not lead back. */
export function readName(bytes: Uint8Array, from: number): { readonly text: string; readonly end: number } | undefined {
  const labels: string[] = [];
  let at = from;
  let end: number | undefined;
  let length = 1;
  let pointers = 0;
  /** Pointers lead to what was written before: each one further back, so there is no circle. */
  let limit = from;
  for (;;) {
    const size = bytes[at];
    if (size === undefined) return undefined;
    if (size === 0) return { text: labels.join('.'), end: end ?? at + 1 };
    if ((size & POINTER) === POINTER) {
      const low = bytes[at + 1];
      if (low === undefined) return undefined;
      const target = ((size & ~POINTER) << 8) | low;
      if (target >= limit || ++pointers > POINTERS_MAX) return undefined;
      end ??= at + 2;
      limit = target;
      at = target;
      continue;
    }
    length += size + 1;
    if ((size & POINTER) !== 0 || at + 1 + size > bytes.length || length > NAME_BYTES_MAX) return undefined;
    labels.push(labelText(bytes.subarray(at + 1, at + 1 + size)));
    at += size + 1;
  }
}

/** One record as it lies in a message. */
export interface RecordPlace {
  readonly name: string;
  readonly type: number;
  readonly class: number;
  readonly ttl: number;
  /** Where its time to live stands. */
  readonly ttlAt: number;
  readonly dataAt: number;
  readonly end: number;
}

/** The record at a place; undefined where it is cut off. */
export function readRecord(bytes: Uint8Array, from: number): RecordPlace | undefined {
  const name = readName(bytes, from);
  if (name === undefined || name.end + 10 > bytes.length) return undefined;
  const view = viewOf(bytes);
  const dataAt = name.end + 10;
  const end = dataAt + view.getUint16(name.end + 8);
  if (end > bytes.length) return undefined;
  return {
    name: name.text,
    type: view.getUint16(name.end),
    class: view.getUint16(name.end + 2),
    ttl: view.getUint32(name.end + 4),
    ttlAt: name.end + 4,
    dataAt,
    end,
  };
}

function readEdns(bytes: Uint8Array, from: number, count: number): Query['edns'] | 'broken' {
  if (count > ADDITIONALS_MAX) return 'broken';
  let found: Query['edns'];
  let at = from;
  for (let i = 0; i < count; i++) {
    const record = readRecord(bytes, at);
    if (record === undefined) return 'broken';
    at = record.end;
    if (record.type !== TYPE.OPT) continue;
    if (found !== undefined || record.name !== '') return 'broken';
    found = {
      payload: Math.max(EDNS_BYTES_MIN, record.class),
      version: (record.ttl >>> 16) & 0xff,
      dnssecOk: (record.ttl & DNSSEC_OK) !== 0,
    };
  }
  return found;
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
