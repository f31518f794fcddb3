import { randomBelow } from '@binnacle/base';
import type { Random } from '@binnacle/base';

/** Slots that are summed up together. */
const CHUNK_BITS = 6;
const CHUNK = 1 << CHUNK_BITS;

/** What is to be chosen from, by slot, as `Ballot` has it. */
export interface SlotTotals {
  /** -Infinity: not a candidate. */
  readonly totals: Float64Array;
  readonly end: number;
  /** How many pods a node has. */
  readonly pods: Float64Array;
}

/**
 * Chooses as `pickBest` does, from totals of which few change between two choices: of each chunk of slots it keeps the
 * highest total, the fewest pods among those that have it, and how many share both.
 *
 *     slots     0 … 63   64 … 127   128 … 191
 *     highest   180      192        192
 *     fewest    1        0          0
 *     equals    4        2          60         62 share the best; the 40th of them is the 38th of the last chunk
 */
export class BestSlots {
  readonly #highest: Float64Array;
  readonly #fewest: Float64Array;
  readonly #equals: Int32Array;
  /** 1: summed up before something changed in it. */
  readonly #isStale: Uint8Array;

  /** For so many slots at most. */
  constructor(size: number) {
    const chunks = (size >> CHUNK_BITS) + 1;
    this.#highest = new Float64Array(chunks);
    this.#fewest = new Float64Array(chunks);
    this.#equals = new Int32Array(chunks);
    this.#isStale = new Uint8Array(chunks).fill(1);
  }

  /** The total of a slot changed, or how many pods are there. */
  touch(slot: number): void {
    this.#isStale[slot >> CHUNK_BITS] = 1;
  }

  /** The slot that is chosen; 0 where there is no candidate. Asks for chance as often as `pickBest`. */
  pick(slots: SlotTotals, random: Random): number {
    const chunks = (slots.end + CHUNK - 1) >> CHUNK_BITS;
    let highest = -Infinity;
    let fewest = Infinity;
    let equals = 0;
    for (let chunk = 0; chunk < chunks; chunk++) {
      if (this.#isStale[chunk] === 1) this.#sumUp(chunk, slots);
      const total = this.#highest[chunk]!;
      if (total === -Infinity || total < highest) continue;
      const there = this.#fewest[chunk]!;
      if (total > highest || there < fewest) {
        highest = total;
        fewest = there;
        equals = this.#equals[chunk]!;
      } else if (there === fewest) equals += this.#equals[chunk]!;
    }
    if (equals === 0) return 0;
    let pick = equals === 1 ? 0 : randomBelow(random, equals);
    for (let chunk = 0; chunk < chunks; chunk++) {
      if (this.#highest[chunk] !== highest || this.#fewest[chunk] !== fewest) continue;
      if (pick < this.#equals[chunk]!) return slotIn(chunk, pick, { ...slots, highest, fewest });
      pick -= this.#equals[chunk]!;
    }
    return 0;
  }

  #sumUp(chunk: number, { totals, end, pods }: SlotTotals): void {
    let highest = -Infinity;
    let fewest = Infinity;
    let equals = 0;
    const to = Math.min(end, (chunk + 1) << CHUNK_BITS);
    for (let slot = chunk << CHUNK_BITS; slot < to; slot++) {
      const total = totals[slot]!;
      if (total === -Infinity || total < highest) continue;
      const there = pods[slot]!;
      if (total > highest || there < fewest) {
        highest = total;
        fewest = there;
        equals = 1;
      } else if (there === fewest) equals++;
    }
    this.#highest[chunk] = highest;
    this.#fewest[chunk] = fewest;
    this.#equals[chunk] = equals;
    this.#isStale[chunk] = 0;
  }
}

/** The nth slot of a chunk that shares the best. */
function slotIn(
  chunk: number,
  nth: number,
  { totals, pods, end, highest, fewest }: SlotTotals & { readonly highest: number; readonly fewest: number },
): number {
  let left = nth;
  const to = Math.min(end, (chunk + 1) << CHUNK_BITS);
  for (let slot = chunk << CHUNK_BITS; slot < to; slot++) {
    if (totals[slot] === highest && pods[slot] === fewest && left-- === 0) return slot;
  }
  return 0;
}
