/** From the least to the most that something can be. What is beyond 64 bits counts as the most there is. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

const MOST = 2 ** 64;

export const NOTHING: Range = { min: 0, max: 0 };
export const ANY_SIZE: Range = { min: 0, max: MOST };

export function exactly(amount: number): Range {
  return { min: amount, max: amount };
}

export function add(...ranges: readonly Range[]): Range {
  let [min, max] = [0, 0];
  for (const range of ranges) {
    min = Math.min(MOST, min + range.min);
    max = Math.min(MOST, max + range.max);
  }
  return { min, max };
}

export function multiply(a: Range, b: Range): Range {
  return { min: Math.min(MOST, a.min * b.min), max: Math.min(MOST, a.max * b.max) };
}

/** Times a factor, rounded up. */
export function scale({ min, max }: Range, factor: number): Range {
  return { min: Math.min(MOST, Math.ceil(min * factor)), max: Math.min(MOST, Math.ceil(max * factor)) };
}

/** What holds both. */
export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
