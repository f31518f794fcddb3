/** So many changes are kept: as many as the journal of the nodes has (node-columns.ts). */
const CHANGES_MAX = 4096;
const CHANGES_MIN = 64;

/** What is said of every node: by slot, in columns that are written over as nodes change. */
export interface SlotColumns {
  readonly verdicts: Uint16Array;
  readonly scores: readonly { readonly raw: Float64Array }[];
}

/** The same as it was, in columns that are nobody else's. */
export interface PastColumns {
  readonly verdicts: Uint16Array;
  /** In the order of the scores. */
  readonly raw: readonly Float64Array[];
}

/**
 * What slots were said to be before they changed: a decision changes one node or two, so that what an earlier one saw of
 * all nodes is told by taking changes back, and nobody copies the columns of 5,000 nodes for each decision.
 *
 *     mark 7 ──► slot 3: 90 before   slot 8: 75 before   slot 3: 85 before  ──► the columns as they are
 */
export class SlotHistory {
  readonly #columns: SlotColumns;
  #slots = new Int32Array(CHANGES_MIN);
  #verdicts = new Uint16Array(CHANGES_MIN);
  /** One score after the other, of one change after the other. */
  #raw: Float64Array;
  #end = 0;

  /** Of these columns. */
  constructor(columns: SlotColumns) {
    this.#columns = columns;
    this.#raw = new Float64Array(CHANGES_MIN * columns.scores.length);
  }

  /** What stays in memory while somebody points here, the columns and all; grows with the changes. */
  get bytes(): number {
    const { verdicts, scores } = this.#columns;
    const columns = verdicts.length * (Uint16Array.BYTES_PER_ELEMENT + Float64Array.BYTES_PER_ELEMENT * scores.length);
    return columns + this.#slots.byteLength + this.#verdicts.byteLength + this.#raw.byteLength;
  }

  /** The columns as they are now, for `before`. */
  get mark(): number {
    return this.#end;
  }

  /** To be called before a slot is written over. */
  note(slot: number): void {
    const { verdicts, scores } = this.#columns;
    if (this.#end === this.#slots.length && this.#end < CHANGES_MAX) this.#grow();
    const at = this.#end++ % this.#slots.length;
    this.#slots[at] = slot;
    this.#verdicts[at] = verdicts[slot]!;
    for (let i = 0; i < scores.length; i++) this.#raw[at * scores.length + i] = scores[i]!.raw[slot]!;
  }

  /** What was said then of the first `count` slots; undefined: it is not known any more. */
  before(mark: number, count: number): PastColumns | undefined {
    if (this.#end - mark > this.#slots.length) return undefined;
    const { verdicts, scores } = this.#columns;
    const past = verdicts.slice(0, count);
    const raw = scores.map((column) => column.raw.slice(0, count));
    // The latest first: a slot ends as the first change behind the mark found it.
    for (let change = this.#end - 1; change >= mark; change--) {
      const at = change % this.#slots.length;
      const slot = this.#slots[at]!;
      if (slot >= count) continue;
      past[slot] = this.#verdicts[at]!;
      for (const [i, column] of raw.entries()) column[slot] = this.#raw[at * raw.length + i]!;
    }
    return { verdicts: past, raw };
  }

  /** Only before it has ever gone round, so that every change keeps its place. */
  #grow(): void {
    const [slots, verdicts, raw] = [this.#slots, this.#verdicts, this.#raw];
    this.#slots = new Int32Array(slots.length * 2);
    this.#verdicts = new Uint16Array(verdicts.length * 2);
    this.#raw = new Float64Array(raw.length * 2);
    this.#slots.set(slots);
    this.#verdicts.set(verdicts);
    this.#raw.set(raw);
  }
}
