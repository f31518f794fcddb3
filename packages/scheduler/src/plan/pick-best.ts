import { randomBelow } from '@binnacle/base';
import type { Random } from '@binnacle/base';

/** The place of the highest total among the first `count`; among equals each with the same chance. */
export function pickBest(totals: Float64Array, count: number, random: Random): number {
  let winner = 0;
  let highest = totals[0] ?? -Infinity;
  let equals = 1;
  for (let i = 1; i < count; i++) {
    const value = totals[i] as number;
    if (value > highest) {
      highest = value;
      winner = i;
      equals = 1;
    } else if (value === highest) {
      equals++;
    }
  }
  if (equals === 1) return winner;
  let pick = randomBelow(random, equals);
  for (let i = winner; i < count; i++) {
    if (totals[i] === highest && pick-- === 0) return i;
  }
  return winner;
}
