import type { VirtualClock } from '@binnacle/base';

/** So long each step seems to take: more than work may go on for at once. */
const STEP_MS = 10;

/** How often work has let the others have their turn. */
export interface Rests {
  readonly count: number;
  /** From now on each step between two looks at the clock seems to take long. */
  slow(): void;
}

/** Counts rests under a clock; they end at once. */
export function countRests(clock: VirtualClock): Rests {
  let count = 0;
  clock.soon = (run) => {
    count++;
    queueMicrotask(run);
    return { cancel: () => undefined };
  };
  return {
    get count() {
      return count;
    },
    slow() {
      let now = clock.monotonic();
      clock.monotonic = () => (now += STEP_MS);
    },
  };
}
