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
  // One tight pass over the totals; only those that share the highest are looked at again.
  let highest = -Infinity;
  for (let i = 0; i < count; i++) if (totals[i]! > highest) highest = totals[i]!;
  if (highest === -Infinity) return 0;
  let winner = 0;
  let fewest = Infinity;
  let equals = 0;
  for (let i = 0; i < count; i++) {
    if (totals[i] !== highest) continue;
    const there = pods[slots === undefined ? i : slots[i]!]!;
    if (there < fewest) {
      fewest = there;
      winner = i;
      equals = 1;
    } else if (there === fewest) equals++;
  }
  if (equals <= 1) return winner;
  let pick = randomBelow(random, equals);
  for (let i = winner; i < count; i++) {
    if (totals[i] !== highest || pods[slots === undefined ? i : slots[i]!] !== fewest) continue;
    if (pick-- === 0) return i;
  }
  return winner;
}
