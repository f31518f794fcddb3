/** What one level may be given, in seats, and what it would like. */
export interface SeatClaim {
  readonly target: number;
  readonly lowest: number;
  readonly highest: number;
}

/** What each is given, in the order of the claims, and which part of its target everybody may have. */
export interface SeatAllocation {
  readonly seats: readonly number[];
  readonly fairFraction: number;
}

/** A level that wants nothing gets a little all the same, so that proportions exist. */
const TARGET_MIN = 0.001;

/**
 * Divides `total` seats so that everybody gets the same fraction of their target, within their bounds. The sum of what is
 * given grows with that fraction, in straight pieces between the fractions at which a bound begins or ceases to hold; so
 * the piece in which the sum passes the total is looked for. Where the bounds cannot add up to the total, everybody gets
 * the bound that is nearest.
 */
export function allocateSeats(total: number, claims: readonly SeatClaim[]): SeatAllocation {
  const targets = claims.map(({ target }) => Math.max(target, TARGET_MIN));
  const given = (fraction: number): number[] =>
    claims.map(({ lowest, highest }, i) => Math.min(highest, Math.max(lowest, fraction * (targets[i] ?? 0))));
  const bends = claims
    .flatMap(({ lowest, highest }, i) => [lowest / (targets[i] ?? 1), highest / (targets[i] ?? 1)])
    .sort((a, b) => a - b);
  const above = firstThat(bends, (fraction) => sum(given(fraction)) >= total);
  const high = bends[above] ?? bends.at(-1) ?? 0;
  const low = above === 0 ? high : (bends[above - 1] ?? high);
  const [from, to] = [sum(given(low)), sum(given(high))];
  const fairFraction =
    above === bends.length || to === from ? high : low + ((total - from) * (high - low)) / (to - from);
  return { seats: given(fairFraction), fairFraction };
}

/** The place of the first value of which it is true, where it is true of all that follow. */
function firstThat(values: readonly number[], isTrue: (value: number) => boolean): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isTrue(values[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
