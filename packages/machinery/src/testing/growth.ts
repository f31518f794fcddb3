/** Work that is to grow in proportion to its input, measured. */

export interface Growth {
  /** CPU of this process so far, in microseconds. */
  readonly cpuMicros: () => number;
  /** The smallest size; also 4 and 16 times it are run. */
  readonly size: number;
}

/** Least of so many runs per size: the others waited for somebody. */
const RUNS = 5;
/** Sixteen times the input may take this many times as long, caches and collector included. */
const FACTOR_MAX = 40;
/** Below this a measurement says nothing. */
const SLACK_MICROS = 4000;

/**
 * What is wrong with the growth of `run`, which makes its input in `prepare`; undefined when it is linear. A second
 * and third look is taken before anything is said.
 */
export function superlinear<T>(prepare: (size: number) => T, run: (input: T) => void, how: Growth): string | undefined {
  let said: string | undefined;
  for (let look = 0; look < 3; look++) {
    const [small, , large] = [1, 4, 16].map((times) => least(prepare(how.size * times), run, how.cpuMicros));
    if (small === undefined || large === undefined) return undefined;
    if (large <= small * FACTOR_MAX + SLACK_MICROS) return undefined;
    said = `16 times the input takes ${large} µs instead of ${small} µs`;
  }
  return said;
}

function least<T>(input: T, run: (input: T) => void, cpuMicros: () => number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < RUNS; i++) {
    const start = cpuMicros();
    run(input);
    best = Math.min(best, cpuMicros() - start);
  }
  return best;
}
