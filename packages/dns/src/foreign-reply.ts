import { isWireName, nameBytes } from './names.ts';
import { DNSSEC_OK, FLAG, HEADER_BYTES, OPT_BYTES, readName, readRecord, viewOf } from './query.ts';
import type { Query, RecordPlace } from './query.ts';
import { CLASS_IN, OTHER, RCODE, TYPE } from './records.ts';
import type { ForeignData, ForeignRecord } from './records.ts';
import { UDP_BYTES_MAX } from './reply.ts';

/** Of a header's second word. */
const RCODE_BITS = 0xf;

/** What another server said, ready to be said again: its OPT record is off, its lives are known. */
export interface ForeignReply {
  /** Header, question and records as they came. */
  readonly bytes: Uint8Array;
  /** Where lives stand in `bytes`. */
  readonly ttlAt: readonly number[];
  /** Seconds for which it may be repeated; 0: not at all. */
  readonly life: number;
  readonly rcode: number;
}

/** Asks another server what a client asks us. */
export function encodeForeignQuery(query: Query, id: number): Uint8Array {
  const { question } = query;
  const bytes = new Uint8Array(HEADER_BYTES + question.length + OPT_BYTES);
  const view = viewOf(bytes);
  view.setUint16(0, id);
  view.setUint16(2, FLAG.desired | (query.checkingDisabled ? FLAG.unchecked : 0));
  view.setUint16(4, 1);
  view.setUint16(10, 1);
  bytes.set(question, HEADER_BYTES);
  const opt = HEADER_BYTES + question.length;
  view.setUint16(opt + 1, TYPE.OPT);
  view.setUint16(opt + 3, UDP_BYTES_MAX);
  view.setUint16(opt + 7, query.edns?.dnssecOk === true ? DNSSEC_OK : 0);
  return bytes;
}

/** Whether these bytes answer that question: the id, the name whatever its letters' case, type and class. */
export function answers(bytes: Uint8Array, query: Query, id: number): boolean {
  if (bytes.length < HEADER_BYTES) return false;
  const view = viewOf(bytes);
  if (view.getUint16(0) !== id || (view.getUint16(2) & FLAG.response) === 0 || view.getUint16(4) !== 1) return false;
  const name = readName(bytes, HEADER_BYTES);
  if (name === undefined || name.end - HEADER_BYTES + 4 !== query.question.length || name.end + 4 > bytes.length)
    return false;
  return (
    name.text === query.name && view.getUint16(name.end) === query.type && view.getUint16(name.end + 2) === query.class
  );
}

/** Whether the reply says that it is not whole. */
export function isTruncated(bytes: Uint8Array): boolean {
  return (viewOf(bytes).getUint16(2) & FLAG.truncated) !== 0;
}

/** How long answers that say no are believed at most, seconds. */
const NEGATIVE_LIFE_MAX = 30;

/** Reads a reply that `answers` has accepted; undefined when its records are broken. */
export function readForeignReply(bytes: Uint8Array, query: Query): ForeignReply | undefined {
  const view = viewOf(bytes);
  const counts = [view.getUint16(6), view.getUint16(8), view.getUint16(10)];
  const ttlAt: number[] = [];
  let at = HEADER_BYTES + query.question.length;
  let life = Number.POSITIVE_INFINITY;
  let additionals = 0;
  sections: for (const [section, count] of counts.entries()) {
    for (let i = 0; i < count; i++) {
      const record = readRecord(bytes, at);
      if (record === undefined) return undefined;
      const isAdditional = section === 2;
      // What follows the OPT record is additional, and may go with it.
      if (record.type === TYPE.OPT && isAdditional) break sections;
      // Elsewhere it has no business (RFC 6891, 6.1.1).
      if (record.type === TYPE.OPT) return undefined;
      if (isAdditional) additionals++;
      if (record.class === CLASS_IN) {
        ttlAt.push(record.ttlAt);
        life = Math.min(life, section === 1 ? authorityLife(view, record) : record.ttl);
      }
      at = record.end;
    }
  }
  const kept = bytes.slice(0, at);
  viewOf(kept).setUint16(10, additionals);
  const rcode = view.getUint16(2) & RCODE_BITS;
  return { bytes: kept, ttlAt, rcode, life: lifeOf(rcode, counts[0] ?? 0, life) };
}

/** The end of a SOA's data says how long its zone's word that there is nothing holds (RFC 2308, 4). */
function authorityLife(view: DataView, { type, ttl, dataAt, end }: RecordPlace): number {
  return type === TYPE.SOA && end - dataAt >= SOA_BYTES_MIN ? Math.min(ttl, view.getUint32(end - 4)) : ttl;
}

/** Two names and five numbers. */
const SOA_BYTES_MIN = 22;

function lifeOf(rcode: number, answerCount: number, shortest: number): number {
  if (rcode !== RCODE.noError && rcode !== RCODE.nameError) return 0;
  if (shortest === Number.POSITIVE_INFINITY) return 0;
  return rcode === RCODE.noError && answerCount > 0 ? shortest : Math.min(shortest, NEGATIVE_LIFE_MAX);
}

/** The same answer for another query: its id, its spelling of the name, what is left of the lives, its size. */
export function repeatReply(
  reply: ForeignReply,
  query: Query,
  { age, limit, ttl }: { readonly age: number; readonly limit: number; readonly ttl?: number },
): Uint8Array {
  const optBytes = query.edns === undefined ? 0 : OPT_BYTES;
  const fits = reply.bytes.length + optBytes <= limit;
  const length = fits ? reply.bytes.length : HEADER_BYTES + query.question.length;
  const bytes = new Uint8Array(length + optBytes);
  bytes.set(reply.bytes.subarray(0, length));
  bytes.set(query.question, HEADER_BYTES);
  const view = viewOf(bytes);
  const flags =
    FLAG.response |
    FLAG.available |
    reply.rcode |
    (fits ? 0 : FLAG.truncated) |
    (query.recursionDesired ? FLAG.desired : 0) |
    (query.checkingDisabled ? FLAG.unchecked : 0);
  view.setUint16(0, query.id);
  view.setUint16(2, flags);
  if (fits) for (const place of reply.ttlAt) view.setUint32(place, ttl ?? Math.max(0, view.getUint32(place) - age));
  else for (const place of [6, 8, 10]) view.setUint16(place, 0);
  if (optBytes === 0) return bytes;
  view.setUint16(10, view.getUint16(10) + 1);
  view.setUint16(length + 1, TYPE.OPT);
  view.setUint16(length + 3, UDP_BYTES_MAX);
  return bytes;
}

/** So many bytes stand before the name that such a record leads to; no others that are asked for have names that may be cut short. */
const BEFORE_NAME: ReadonlyMap<number, number> = new Map([
  [TYPE.CNAME, 0],
  [TYPE.NS, 0],
  [TYPE.PTR, 0],
  [TYPE.MX, 2],
  [TYPE.SRV, 6],
]);

/** Another server's answers, as records of ours; `age` and `ttl` as the forwarder tells them. */
export function readForeignAnswers(
  { bytes }: ForeignReply,
  { age, ttl }: { readonly age: number; readonly ttl?: number },
): ForeignRecord[] {
  const records: ForeignRecord[] = [];
  const question = readName(bytes, HEADER_BYTES);
  let at = (question?.end ?? bytes.length) + 4;
  for (let count = viewOf(bytes).getUint16(6); count > 0; count--) {
    const place = readRecord(bytes, at);
    if (place === undefined) break;
    at = place.end;
    const data = place.class === CLASS_IN ? dataOf(bytes, place) : undefined;
    if (data !== undefined) records.push({ ...data, name: place.name, ttl: ttl ?? Math.max(0, place.ttl - age) });
  }
  return records;
}

/** Undefined for what is broken, or has more names than one. */
function dataOf(bytes: Uint8Array, { type, dataAt, end }: RecordPlace): ForeignData | undefined {
  if (type === TYPE.SOA || type === TYPE.OPT) return undefined;
  if (type === TYPE.A || type === TYPE.AAAA) return { type, address: bytes.slice(dataAt, end) };
  const before = BEFORE_NAME.get(type);
  if (before === undefined) return { type: OTHER, code: type, data: bytes.slice(dataAt, end) };
  const target = readName(bytes, dataAt + before);
  if (target === undefined || !isWireName(target.text)) return undefined;
  if (type === TYPE.CNAME) return { type: TYPE.CNAME, target: target.text };
  const data = Uint8Array.from([...bytes.subarray(dataAt, dataAt + before), ...nameBytes(target.text)]);
  return { type: OTHER, code: type, data };
}
