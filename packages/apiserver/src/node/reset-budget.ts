import type { Clock } from '@binnacle/base';

/** So many requests may be taken back before they are answered, and so many more each second. */
const BURST = 1000;
const PER_SECOND = 100;

/**
 * How often the client of one connection may take requests back that nobody has answered yet: each costs the server more
 * than the client. Watches that are ended do not count, and clients end them by the thousand.
 */
export class ResetBudget {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #left = BURST;
  #since: number;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  /** Counts one; false where that was one too many. */
  take(): boolean {
    const now = this.#clock.monotonic();
    this.#left = Math.min(BURST, this.#left + ((now - this.#since) / 1000) * PER_SECOND);
    this.#since = now;
    this.#left--;
    return this.#left >= 0;
  }
}
