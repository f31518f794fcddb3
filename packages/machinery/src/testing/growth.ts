/** Work that is to grow in proportion to its input, measured. */

export interface Growth {
  /** CPU of this process so far, in microseconds. */
  readonly cpuMicros: () => number;
  /** The smallest size; also 4 and 16 times it are run. */
  readonly size: number;
}

/** So many runs per size and look: the others waited for somebody. */
const RUNS = 5;
/** Looks are taken until one of them says linear: each adds to the runs of which the least counts. */
const LOOKS = 6;
/** Sixteen times the input may take this many times as long, caches and collector included. */
const FACTOR_MAX = 40;
/** Below this a measurement says nothing. */
const SLACK_MICROS = 4000;

/**
 * What is wrong with the growth of `run`, which makes its input in `prepare`; undefined when it is linear. A busy
 * machine makes runs longer and never shorter, so that the least of all runs of a size is what it costs: it is kept from
 * look to look, and a fault is told only when no look brought the larger size down.
 */
export function superlinear<T>(prepare: (size: number) => T, run: (input: T) => void, how: Growth): string | undefined {
  const inputs = [1, 4, 16].map((times) => prepare(how.size * times));
  const best = inputs.map(() => Number.POSITIVE_INFINITY);
  for (let look = 0; look < LOOKS; look++) {
    inputs.forEach((input, i) => {
      best[i] = Math.min(best[i] ?? 0, least(input, run, how.cpuMicros));
    });
    if (isLinear(best)) return undefined;
  }
  const [small, , large] = best;
  return `16 times the input takes ${large} µs instead of ${small} µs`;
}

function isLinear([small = 0, , large = 0]: readonly number[]): boolean {
  return large <= small * FACTOR_MAX + SLACK_MICROS;
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
