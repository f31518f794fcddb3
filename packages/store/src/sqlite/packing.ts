import { assert } from '@binnacle/base';
import type { Change, Entry } from '../mvcc/entry.ts';
import { DAMAGED } from '../mvcc/entry.ts';
import type { LeaseRecord } from '../mvcc/journal.ts';

/**
 * Records on their way between the threads: numbers in one array, keys and values behind each other in another, so
 * that a batch is two pieces of memory that change hands and nothing is cloned.
 */
export interface Packed {
  readonly count: number;
  readonly numbers: Float64Array;
  /** As many as are used. */
  readonly bytes: Uint8Array;
}

/** Memory to pack into. */
export interface Room {
  readonly numbers: Float64Array;
  readonly bytes: Buffer;
}

/** Where the memory is nobody else's, it can be handed over for good. */
export function buffersOf({ numbers, bytes }: Packed): ArrayBuffer[] {
  assert(
    numbers.buffer instanceof ArrayBuffer && bytes.buffer instanceof ArrayBuffer,
    'shared memory stays where it is',
  );
  return [numbers.buffer, bytes.buffer];
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

const NO_ROOM: Room = { numbers: new Float64Array(0), bytes: Buffer.alloc(0) };

/**
 * Packs records into the room that is given, and where there is none, or not enough, into memory of its own; `take`
 * hands it over.
 */
export class Packer {
  readonly #give: () => Room | undefined;
  #room = NO_ROOM;
  #isOwn = false;
  #count = 0;
  #used = 0;
  /** Of the last batch in memory of its own: the next one is taken to be as large. */
  #lastCount = 0;
  #lastUsed = 0;

  constructor(give: () => Room | undefined = () => undefined) {
    this.#give = give;
  }

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
    const { numbers, bytes } = this.#room;
    numbers[at] = kind;
    numbers[at + FIELD.position] = entry.position;
    numbers[at + FIELD.revision] = entry.modRevision;
    numbers[at + FIELD.createRevision] = entry.createRevision;
    numbers[at + FIELD.version] = entry.version;
    numbers[at + FIELD.lease] = entry.lease;
    numbers[at + FIELD.previous] = previous;
    numbers[at + FIELD.keyLength] = key.length;
    numbers[at + FIELD.valueLength] = value.byteLength;
    bytes.write(key, this.#used, key.length, 'latin1');
    bytes.set(value, this.#used + key.length);
    this.#used += key.length + value.byteLength;
  }

  addLease(record: LeaseRecord): void {
    const at = this.#reserve(0);
    const { numbers } = this.#room;
    numbers.fill(0, at, at + STRIDE);
    numbers[at] = KIND.lease;
    numbers[at + FIELD.position] = record.id;
    numbers[at + FIELD.revision] = record.grantedTtl;
    numbers[at + FIELD.createRevision] = record.ttl;
  }

  take(): Packed {
    const { numbers, bytes } = this.#room === NO_ROOM ? this.#ownRoom() : this.#room;
    const packed = { count: this.#count, numbers, bytes: bytes.subarray(0, this.#used) };
    if (this.#isOwn) {
      this.#lastCount = this.#count;
      this.#lastUsed = this.#used;
    }
    this.#room = NO_ROOM;
    this.#isOwn = false;
    this.#count = 0;
    this.#used = 0;
    return packed;
  }

  /** Room for one more record with so many bytes; answers with the place of its numbers. */
  #reserve(bytes: number): number {
    if (this.#room === NO_ROOM) this.#room = this.#give() ?? this.#ownRoom();
    const at = this.#count * STRIDE;
    if (at === this.#room.numbers.length || this.#used + bytes > this.#room.bytes.byteLength) this.#grow(bytes);
    this.#count++;
    return at;
  }

  #ownRoom(): Room {
    this.#isOwn = true;
    const records = Math.max(FIRST_RECORDS, Math.min(this.#lastCount * 2, 1024));
    const bytes = Math.max(FIRST_BYTES, Math.min(this.#lastUsed + this.#lastUsed / 4, 1 << 20));
    return { numbers: new Float64Array(records * STRIDE), bytes: Buffer.allocUnsafeSlow(Math.floor(bytes)) };
  }

  /** What was given does not grow; what is handed over must not be a part of it. */
  #grow(more: number): void {
    const { numbers, bytes } = this.#room;
    const isFull = this.#count * STRIDE === numbers.length;
    if (isFull || !this.#isOwn) {
      const bigger = new Float64Array(isFull ? numbers.length * 2 : numbers.length);
      bigger.set(numbers.subarray(0, this.#count * STRIDE));
      this.#room = { numbers: bigger, bytes };
    }
    if (this.#used + more > bytes.byteLength || !this.#isOwn) {
      const bigger = Buffer.allocUnsafeSlow(Math.max(bytes.byteLength * 2, this.#used + more));
      bigger.set(bytes.subarray(0, this.#used));
      this.#room = { numbers: this.#room.numbers, bytes: bigger };
    }
    this.#isOwn = true;
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
