import { randomBelow } from '@binnacle/base';
import type { Random } from '@binnacle/base';

/** Who is to be chosen from. */
export interface Ballot {
  /** The total of each candidate, by place; -Infinity: not a candidate. */
  readonly totals: Float64Array;
  readonly count: number;
  /** How many pods a node has, by slot. */
  readonly pods: Float64Array;
  /** The slot at each place; absent: the place is the slot. */
  readonly slots?: Int32Array;
}

/**
 * The place of the highest total; of those the one whose node has the fewest pods; of those any, each with the same
 * chance (docs/decisions/0100-a-tie-goes-to-the-emptier-node.md).
 */
export function pickBest({ totals, count, pods, slots }: Ballot, random: Random): number {
  let winner = 0;
  let highest = -Infinity;
  let fewest = Infinity;
  let equals = 0;
  for (let i = 0; i < count; i++) {
    const value = totals[i]!;
    if (value < highest) continue;
    const there = pods[slots === undefined ? i : slots[i]!]!;
    if (value > highest || there < fewest) {
      highest = value;
      winner = i;
      fewest = there;
      equals = 1;
    } else if (there === fewest) equals++;
  }
  if (equals <= 1 || highest === -Infinity) return winner;
  let pick = randomBelow(random, equals);
  for (let i = winner; i < count; i++) {
    const isEqual = totals[i] === highest && pods[slots === undefined ? i : slots[i]!] === fewest;
    if (isEqual && pick-- === 0) return i;
  }
  return winner;
}
