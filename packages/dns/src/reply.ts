import { labelBytes } from './names.ts';
import { FLAG, HEADER_BYTES, OPT_BYTES } from './query.ts';
import type { BadQuery, Query } from './query.ts';
import { CLASS_IN, OTHER, RCODE, TYPE } from './records.ts';
import type { Finding, ForeignRecord } from './records.ts';

/** What one datagram carries safely without fragments (DNS flag day 2020); larger wishes are cut to it. */
export const UDP_BYTES_MAX = 1232;
/** What a client without extensions takes (RFC 1035, 4.2.1). */
const PLAIN_BYTES_MAX = 512;
/** A message over TCP. */
export const TCP_BYTES_MAX = 65_535;

/** Pointers reach so far. */
const POINTER_MAX = 0x3fff;

/** How many bytes the reply to a query may have when it goes by UDP. */
export function udpLimit({ edns }: Query): number {
  return edns === undefined ? PLAIN_BYTES_MAX : Math.min(edns.payload, UDP_BYTES_MAX);
}

/** More records than any message has room for. */
export const RECORDS_MAX = 4096;

/**
 * The message that answers a query, of at most `limit` bytes: with names compressed (RFC 1035, 4.1.4), and cut after
 * the last record that fits, which the truncation flag says. Additional records may be left out silently. `first`: the answer
 * that it begins with; those before it come last. Costs what fits, however many there are.
 */
export function encodeReply(
  query: Query,
  finding: Omit<Finding, 'answers'> & {
    readonly answers: readonly ForeignRecord[];
    readonly authoritative: boolean;
    readonly first?: number;
  },
  limit: number,
): Uint8Array {
  const { edns } = query;
  const message = new Message(limit - (edns === undefined ? 0 : OPT_BYTES));
  message.begin(query);
  const counts = [0, 0, 0];
  let truncated = false;
  for (const [section, records] of [finding.answers, finding.authorities, finding.additionals].entries()) {
    if (truncated) break;
    const written = addRecords(message, records, section === 0 ? (finding.first ?? 0) : 0);
    counts[section] = written;
    truncated = section < 2 && written < records.length;
  }
  const flags =
    FLAG.response |
    FLAG.available |
    (finding.authoritative ? FLAG.authoritative : 0) |
    (truncated ? FLAG.truncated : 0) |
    (query.recursionDesired ? FLAG.desired : 0) |
    (query.checkingDisabled ? FLAG.unchecked : 0);
  const [answers = 0, authorities = 0, additionals = 0] = counts;
  message.head(query.id, flags | (finding.rcode & 0xf), [
    1,
    answers,
    authorities,
    additionals + (edns === undefined ? 0 : 1),
  ]);
  return message.finish(edns === undefined ? undefined : finding.rcode >> 4);
}

/** Writes records until one finds no room; answers with how many. */
function addRecords(message: Message, records: readonly ForeignRecord[], first: number): number {
  for (let at = 0; at < records.length; at++) {
    const record = records[(first + at) % records.length];
    if (record !== undefined && !message.add(record)) return at;
  }
  return records.length;
}

/** The answer to what is no query that we can read: a header only. */
export function encodeError({ id, opcode, rcode }: BadQuery): Uint8Array {
  const message = new Message(HEADER_BYTES);
  message.head(id, FLAG.response | (opcode << 11) | rcode, [0, 0, 0, 0]);
  return message.finish(undefined);
}

/** Says that nothing could be found out. */
export const SERVER_FAILURE: Finding = { rcode: RCODE.serverFailure, answers: [], authorities: [], additionals: [] };

/** A message under construction. */
class Message {
  readonly #limit: number;
  #bytes = new Uint8Array(PLAIN_BYTES_MAX + OPT_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #length = HEADER_BYTES;
  /** Where the name that ends so was written. */
  readonly #suffixes = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  begin({ question, name }: Query): void {
    this.#reserve(question.length);
    this.#bytes.set(question, this.#length);
    this.#remember(name, this.#length);
    this.#length += question.length;
  }

  head(id: number, flags: number, counts: readonly number[]): void {
    for (const [i, value] of [id, flags, ...counts].entries()) this.#view.setUint16(i * 2, value);
  }

  /** Whether there was room for it. */
  add(record: ForeignRecord): boolean {
    const start = this.#length;
    this.#name(record.name);
    this.#uint16(record.type === OTHER ? record.code : record.type);
    this.#uint16(CLASS_IN);
    this.#uint32(record.ttl);
    const lengthAt = this.#length;
    this.#uint16(0);
    this.#data(record);
    this.#view.setUint16(lengthAt, this.#length - lengthAt - 2);
    if (this.#length <= this.#limit) return true;
    this.#length = start;
    for (const [suffix, at] of this.#suffixes) if (at >= start) this.#suffixes.delete(suffix);
    return false;
  }

  /** With an OPT record where the client sent one; `extended`: the upper bits of the answer's code. */
  finish(extended: number | undefined): Uint8Array {
    if (extended !== undefined) {
      this.#uint8(0);
      this.#uint16(TYPE.OPT);
      this.#uint16(UDP_BYTES_MAX);
      this.#uint32(extended << 24);
      this.#uint16(0);
    }
    return this.#bytes.subarray(0, this.#length);
  }

  #data(record: ForeignRecord): void {
    switch (record.type) {
      case TYPE.A:
      case TYPE.AAAA:
        return this.#raw(record.address);
      case OTHER:
        return this.#raw(record.data);
      case TYPE.NS:
      case TYPE.CNAME:
      case TYPE.PTR:
        return this.#name(record.target);
      case TYPE.SRV:
        this.#uint16(record.priority);
        this.#uint16(record.weight);
        this.#uint16(record.port);
        // Targets of SRV records are not compressed (RFC 2782).
        return this.#plainName(record.target);
      case TYPE.TXT:
        for (const text of record.texts) {
          const bytes = new TextEncoder().encode(text).subarray(0, 255);
          this.#uint8(bytes.length);
          this.#raw(bytes);
        }
        return undefined;
      case TYPE.SOA:
        this.#name(record.primary);
        this.#name(record.mailbox);
        for (const field of [record.serial, record.refresh, record.retry, record.expire, record.minimum])
          this.#uint32(field);
    }
  }

  #name(name: string): void {
    let rest = name;
    while (rest !== '') {
      const known = this.#suffixes.get(rest);
      if (known !== undefined) return this.#uint16(0xc000 | known);
      if (this.#length <= POINTER_MAX) this.#suffixes.set(rest, this.#length);
      rest = this.#label(rest);
    }
    this.#uint8(0);
  }

  #plainName(name: string): void {
    for (let rest = name; rest !== '';) rest = this.#label(rest);
    this.#uint8(0);
  }

  /** Writes the first label; answers with what follows it. */
  #label(name: string): string {
    const dot = name.indexOf('.');
    const bytes = labelBytes(dot === -1 ? name : name.slice(0, dot));
    this.#uint8(bytes.length);
    this.#raw(bytes);
    return dot === -1 ? '' : name.slice(dot + 1);
  }

  #remember(name: string, from: number): void {
    let at = from;
    for (let rest = name; rest !== '';) {
      this.#suffixes.set(rest, at);
      const dot = rest.indexOf('.');
      at += labelBytes(dot === -1 ? rest : rest.slice(0, dot)).length + 1;
      rest = dot === -1 ? '' : rest.slice(dot + 1);
    }
  }

  #raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #uint8(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  #uint16(value: number): void {
    this.#reserve(2);
    this.#view.setUint16(this.#length, value);
    this.#length += 2;
  }

  #uint32(value: number): void {
    this.#reserve(4);
    this.#view.setUint32(this.#length, value >>> 0);
    this.#length += 4;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}
