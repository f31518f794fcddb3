import type { Clock } from '../clock.ts';

/** The same clock, for one who is asked afterwards what it still waits for. */
export interface CountedClock extends Clock {
  /** Timers set by way of it that have neither run nor been cancelled. */
  readonly pending: number;
}

/** Counts one user's timers on a clock that others use, too. */
export function countTimers(clock: Clock): CountedClock {
  const timers = new Set<object>();
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    soon: (run) => clock.soon(run),
    after(delayMs, run, options) {
      const key = {};
      timers.add(key);
      const fire = (): void => {
        timers.delete(key);
        run();
      };
      const timer = clock.after(delayMs, fire, options);
      const cancel = (): void => {
        timers.delete(key);
        timer.cancel();
      };
      return { cancel };
    },
    get pending() {
      return timers.size;
    },
  };
}
