import { readTexts, roomFor, writeNarrow, writeWide } from './texts.ts';

/** How much a ring keeps. */
export interface RingBound {
  readonly entries: number;
  readonly bytes: number;
}

/** One entry. */
export interface Row {
  /** Grows from row to row. */
  readonly seq: number;
  /** When it was: milliseconds since the epoch, with fractions. */
  readonly at: number;
  readonly ms: number;
  /** What sort of entry it is: 0 to 255. */
  readonly sort: number;
  /** What else is a number: a code, a revision. */
  readonly number: number;
  /** Up to 127. */
  readonly texts: readonly (string | undefined)[];
  /** What is kept as it is: of something that lives anyway, or nothing. */
  readonly held: unknown;
}

const SLOTS_MIN = 64;
const BYTES_MIN = 16 << 10;

/**
 * The last rows, bounded by their number and by the bytes of their texts; the oldest goes first. Kept in columns of numbers
 * and one stretch of bytes, so that what it remembers is nothing that a garbage collector walks through, moves or sweeps:
 * objects that live for as long as a ring turns grow old, and are paid for by every write. They are made of rows when
 * somebody reads.
 */
export class Ring {
  readonly #bound: RingBound;
  #slots = 0;
  #seqs = new Float64Array();
  #times = new Float64Array();
  #durations = new Float64Array();
  #numbers = new Float64Array();
  #sorts = new Uint8Array();
  #starts = new Uint32Array();
  #ends = new Uint32Array();
  #held: unknown[] = [];
  #bytes = new Uint8Array();
  /** Where the next texts are written. */
  #end = 0;
  #head = 0;
  #count = 0;
  /** How many were taken out: the place of the oldest among all that ever were in. */
  #gone = 0;
  #skipped = 0;
  #completeSince: number | undefined;

  constructor(bound: RingBound) {
    this.#bound = bound;
  }

  get size(): number {
    return this.#count;
  }

  /** How many are gone. */
  get forgotten(): number {
    return this.#gone + this.#skipped;
  }

  /** Since when (milliseconds since the epoch) nothing was forgotten; undefined: nothing ever was. */
  get completeSince(): number | undefined {
    return this.#completeSince;
  }

  /** Keeps a row. One whose texts are more than the whole ring holds is gone at once. */
  push({ seq, at, ms, sort, number, texts, held }: Row): void {
    const start = this.#write(texts);
    if (start === undefined) return this.skip(at);
    if (this.#count === this.#bound.entries) this.#forgetOldest();
    if (this.#count === this.#slots) this.#grow();
    const slot = this.#slotAt(this.#count);
    this.#seqs[slot] = seq;
    this.#times[slot] = at;
    this.#durations[slot] = ms;
    this.#numbers[slot] = number;
    this.#sorts[slot] = sort;
    this.#starts[slot] = start;
    this.#ends[slot] = this.#end;
    if (held !== undefined || this.#held[slot] !== undefined) this.#held[slot] = held;
    this.#count++;
  }

  /** One that is not kept at all counts among those that are gone. */
  skip(at: number): void {
    this.#skipped++;
    this.#tellGone(at);
  }

  /** Those with a greater number, the oldest first. Others may be pushed meanwhile: what is forgotten is left out. */
  *after(seq: number): Generator<Row> {
    for (let place = this.#gone + this.#firstAfter(seq); ; place++) {
      place = Math.max(place, this.#gone);
      if (place >= this.#gone + this.#count) return;
      yield this.#row(place - this.#gone);
    }
  }

  /** Those with a smaller number, the newest first, until one is forgotten. */
  *before(seq: number): Generator<Row> {
    for (let place = this.#gone + this.#firstAfter(seq - 1) - 1; place >= this.#gone; place--) {
      yield this.#row(place - this.#gone);
    }
  }

  #row(nth: number): Row {
    const slot = this.#slotAt(nth);
    return {
      seq: this.#seqs[slot] ?? 0,
      at: this.#times[slot] ?? 0,
      ms: this.#durations[slot] ?? 0,
      sort: this.#sorts[slot] ?? 0,
      number: this.#numbers[slot] ?? 0,
      texts: readTexts(this.#bytes, this.#starts[slot] ?? 0, this.#ends[slot] ?? 0),
      held: this.#held[slot],
    };
  }

  /** Of the nth from the oldest. */
  #slotAt(nth: number): number {
    const slot = this.#head + nth;
    return slot < this.#slots ? slot : slot - this.#slots;
  }

  /** Numbers grow along the ring. */
  #firstAfter(seq: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#seqs[this.#slotAt(middle)] ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #forgetOldest(): void {
    this.#tellGone(this.#times[this.#head] ?? 0);
    if (this.#held[this.#head] !== undefined) this.#held[this.#head] = undefined;
    this.#head = this.#slotAt(1);
    this.#count--;
    this.#gone++;
  }

  /** What is skipped is younger than the oldest row, and steps are told in another order than they began. */
  #tellGone(at: number): void {
    this.#completeSince = Math.max(this.#completeSince ?? at, at);
  }

  /** Answers with where they begin; undefined: there is no room for so much. */
  #write(texts: Row['texts']): number | undefined {
    if (!this.#makeRoom(roomFor(texts, 1))) return undefined;
    let start = this.#end;
    let end = writeNarrow(this.#bytes, start, texts);
    if (end === undefined) {
      if (!this.#makeRoom(roomFor(texts, 2))) return undefined;
      start = this.#end;
      end = writeWide(this.#bytes, start, texts);
    }
    this.#end = end;
    return start;
  }

  /** So many bytes from `#end` on, of which nothing is in use any more. */
  #makeRoom(bytes: number): boolean {
    if (bytes > this.#bound.bytes) return false;
    if (this.#end + bytes > this.#bytes.length) this.#growBytes(this.#end + bytes);
    if (this.#end + bytes > this.#bytes.length) {
      while (this.#oldestStart() >= this.#end) this.#forgetOldest();
      this.#end = 0;
    }
    const end = this.#end + bytes;
    for (let start = this.#oldestStart(); start >= this.#end && start < end; start = this.#oldestStart()) {
      this.#forgetOldest();
    }
    return true;
  }

  /** -1: there is none. */
  #oldestStart(): number {
    return this.#count === 0 ? -1 : (this.#starts[this.#head] ?? -1);
  }

  /** Only before it has ever gone round, so that nothing in it moves. */
  #growBytes(wanted: number): void {
    const length = Math.min(this.#bound.bytes, Math.max(BYTES_MIN, wanted, this.#bytes.length * 2));
    if (length === this.#bytes.length) return;
    const bytes = new Uint8Array(length);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }

  /** Twice as much room for one that is full, in order from the start; in two stretches, as a server that starts grows each of its rings thrice. */
  #grow(): void {
    const slots = Math.min(this.#bound.entries, Math.max(SLOTS_MIN, this.#slots * 2));
    const head = this.#head;
    const moved = <C extends Float64Array | Uint32Array | Uint8Array>(from: C, to: C): C => {
      to.set(from.subarray(head));
      to.set(from.subarray(0, head), from.length - head);
      return to;
    };
    this.#seqs = moved(this.#seqs, new Float64Array(slots));
    this.#times = moved(this.#times, new Float64Array(slots));
    this.#durations = moved(this.#durations, new Float64Array(slots));
    this.#numbers = moved(this.#numbers, new Float64Array(slots));
    this.#sorts = moved(this.#sorts, new Uint8Array(slots));
    this.#starts = moved(this.#starts, new Uint32Array(slots));
    this.#ends = moved(this.#ends, new Uint32Array(slots));
    const held = this.#held.slice(head).concat(this.#held.slice(0, head));
    while (held.length < slots) held.push(undefined);
    this.#held = held;
    this.#slots = slots;
    this.#head = 0;
  }
}
