/** How much a ring keeps. */
export interface RingBound {
  readonly entries: number;
  readonly bytes: number;
}

/** What entries a ring is made of, and what becomes of those that it lets go of. */
export interface RingStock<T> {
  /** Bytes. */
  weigh(entry: T): number;
  /** What is kept of an entry: itself, or one that was let go of and says the same from now on. */
  taken(entry: T): T;
  /** The ring holds it no more. */
  give(entry: T): void;
  /** For a reader, who may hold it longer than the ring does. */
  shown(entry: T): T;
}

/** The last entries, bounded by their number and by their weight in bytes; the oldest goes first. */
export class Ring<T extends { readonly seq: number; readonly at: number }> {
  readonly #bound: RingBound;
  readonly #stock: RingStock<T>;
  #slots: (T | undefined)[] = [];
  #head = 0;
  #count = 0;
  #bytes = 0;
  #forgotten = 0;
  #completeSince: number | undefined;

  constructor(bound: RingBound, stock: RingStock<T>) {
    this.#bound = bound;
    this.#stock = stock;
  }

  get size(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** How many are gone. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Since when (milliseconds since the epoch) nothing was forgotten; undefined: nothing ever was. */
  get completeSince(): number | undefined {
    return this.#completeSince;
  }

  push(entry: T): void {
    const weight = this.#stock.weigh(entry);
    while (this.#count > 0 && (this.#count >= this.#bound.entries || this.#bytes + weight > this.#bound.bytes)) {
      this.#forgetOldest();
    }
    if (this.#count === this.#slots.length && this.#slots.length < this.#bound.entries) this.#grow();
    this.#slots[(this.#head + this.#count) % this.#slots.length] = this.#stock.taken(entry);
    this.#count++;
    this.#bytes += weight;
  }

  /** One that is not kept at all counts among those that are gone. */
  skip(at: number): void {
    this.#forgotten++;
    this.#completeSince = at;
  }

  /** The oldest first. */
  *entries(): Generator<T> {
    yield* this.after(-1);
  }

  /** Those with a greater number, the oldest first. */
  *after(seq: number): Generator<T> {
    for (let at = this.#firstAfter(seq); at < this.#count; at++) {
      const entry = this.#slots[(this.#head + at) % this.#slots.length];
      if (entry !== undefined) yield this.#stock.shown(entry);
    }
  }

  /** Numbers grow along the ring. */
  #firstAfter(seq: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >> 1;
      const entry = this.#slots[(this.#head + middle) % this.#slots.length];
      if (entry !== undefined && entry.seq <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #forgetOldest(): void {
    const oldest = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) % this.#slots.length;
    this.#count--;
    this.#forgotten++;
    if (oldest === undefined) return;
    this.#bytes -= this.#stock.weigh(oldest);
    this.#completeSince = oldest.at;
    this.#stock.give(oldest);
  }

  /** Twice as much room, in order from the start. */
  #grow(): void {
    const size = Math.min(this.#bound.entries, Math.max(64, this.#slots.length * 2));
    const slots = Array.from<T | undefined>({ length: size }).fill(undefined);
    for (let at = 0; at < this.#count; at++) slots[at] = this.#slots[(this.#head + at) % this.#slots.length];
    this.#slots = slots;
    this.#head = 0;
  }
}
