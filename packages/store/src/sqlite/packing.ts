import type { Change, Entry } from '../mvcc/entry.ts';
import { DAMAGED } from '../mvcc/entry.ts';
import type { LeaseRecord } from '../mvcc/journal.ts';

/**
 * Records on their way between the threads: numbers in one array, keys and values behind each other in another, so
 * that a batch is two buffers that change hands and nothing is cloned.
 */
export interface Packed {
  readonly count: number;
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What the numbers of a record mean. A lease record uses position for its id, and two more for its times. */
export const FIELD = {
  kind: 0,
  position: 1,
  revision: 2,
  createRevision: 3,
  version: 4,
  lease: 5,
  previous: 6,
  keyLength: 7,
  valueLength: 8,
} as const;

export const STRIDE = 9;

/** `previous` is what the change before it replaced; it follows where one travels along. */
export const KIND = { put: 0, delete: 1, lease: 2, previous: 3 } as const;
/** Added to the kind of a record that failed its checksum. */
export const DAMAGED_BIT = 4;

const FIRST_RECORDS = 16;
const FIRST_BYTES = 8 * 1024;

/** Packs records; `take` hands the buffers over and starts anew, as large as the last time. */
export class Packer {
  #numbers = new Float64Array(FIRST_RECORDS * STRIDE);
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #count = 0;
  #used = 0;

  get count(): number {
    return this.#count;
  }

  get used(): number {
    return this.#used;
  }

  addChange(change: Change): void {
    this.addEntry(change.type === 'put' ? KIND.put : KIND.delete, change.kv, change.prevKv?.position ?? 0);
  }

  addEntry(kind: number, entry: Entry, previous: number): void {
    const { key, value } = entry;
    const at = this.#reserve(key.length + value.byteLength);
    const numbers = this.#numbers;
    numbers[at] = kind;
    numbers[at + FIELD.position] = entry.position;
    numbers[at + FIELD.revision] = entry.modRevision;
    numbers[at + FIELD.createRevision] = entry.createRevision;
    numbers[at + FIELD.version] = entry.version;
    numbers[at + FIELD.lease] = entry.lease;
    numbers[at + FIELD.previous] = previous;
    numbers[at + FIELD.keyLength] = key.length;
    numbers[at + FIELD.valueLength] = value.byteLength;
    this.#bytes.write(key, this.#used, key.length, 'latin1');
    this.#bytes.set(value, this.#used + key.length);
    this.#used += key.length + value.byteLength;
  }

  addLease(record: LeaseRecord): void {
    const at = this.#reserve(0);
    this.#numbers.fill(0, at, at + STRIDE);
    this.#numbers[at] = KIND.lease;
    this.#numbers[at + FIELD.position] = record.id;
    this.#numbers[at + FIELD.revision] = record.grantedTtl;
    this.#numbers[at + FIELD.createRevision] = record.ttl;
  }

  take(): Packed {
    const packed = { count: this.#count, numbers: this.#numbers, bytes: this.#bytes };
    const records = Math.max(FIRST_RECORDS, Math.min(this.#count * 2, 1024));
    this.#numbers = new Float64Array(records * STRIDE);
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, Math.min(this.#used + this.#used / 4, 1 << 20)) | 0);
    this.#count = 0;
    this.#used = 0;
    return packed;
  }

  /** Room for one more record with so many bytes; answers with the place of its numbers. */
  #reserve(bytes: number): number {
    const at = this.#count * STRIDE;
    if (at === this.#numbers.length) {
      const bigger = new Float64Array(this.#numbers.length * 2);
      bigger.set(this.#numbers);
      this.#numbers = bigger;
    }
    if (this.#used + bytes > this.#bytes.byteLength) {
      const bigger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.byteLength * 2, this.#used + bytes));
      bigger.set(this.#bytes.subarray(0, this.#used));
      this.#bytes = bigger;
    }
    this.#count++;
    return at;
  }
}

/** The records of a packed history, each change with what it replaced. */
export function unpackChanges(packed: Packed): Change[] {
  const changes: Change[] = [];
  let before: Entry | undefined;
  // A previous value stands in front of its change.
  for (const { kind, entry } of unpackEntries(packed)) {
    if (kind === KIND.previous) {
      before = entry;
      continue;
    }
    const type = kind === KIND.put ? 'put' : 'delete';
    changes.push(before === undefined ? { type, kv: entry } : { type, kv: entry, prevKv: before });
    before = undefined;
  }
  return changes;
}

/** The records as entries; each value is a copy of its own, so that none keeps the whole buffer alive. */
export function* unpackEntries(packed: Packed): Iterable<{ readonly kind: number; readonly entry: Entry }> {
  const { numbers } = packed;
  const bytes = Buffer.from(packed.bytes.buffer, packed.bytes.byteOffset, packed.bytes.byteLength);
  let used = 0;
  for (let i = 0; i < packed.count; i++) {
    const number = (field: number): number => numbers[i * STRIDE + field] ?? 0;
    const keyEnd = used + number(FIELD.keyLength);
    const valueEnd = keyEnd + number(FIELD.valueLength);
    const kind = number(FIELD.kind);
    const isDamaged = kind >= DAMAGED_BIT;
    const entry: Entry = {
      key: bytes.toString('latin1', used, keyEnd),
      value: isDamaged ? DAMAGED : Uint8Array.prototype.slice.call(bytes, keyEnd, valueEnd),
      createRevision: number(FIELD.createRevision),
      modRevision: number(FIELD.revision),
      version: number(FIELD.version),
      lease: number(FIELD.lease),
      position: number(FIELD.position),
    };
    used = valueEnd;
    yield { kind: isDamaged ? kind - DAMAGED_BIT : kind, entry };
  }
}
