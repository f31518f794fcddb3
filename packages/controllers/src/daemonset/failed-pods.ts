import { RecentTable } from '@binnacle/base';
import type { Clock } from '@binnacle/base';

// Upstream's figures: 1 s doubling to 15 minutes, forgotten after twice that without a failure.
const FIRST_MS = 1000;
const MOST_MS = 15 * 60_000;
const REMEMBERED_MAX = 100_000;

/** How long a node waits until a pod that failed there is tried again. */
export class FailedPods {
  readonly #clock: Clock;
  readonly #tries = new RecentTable<{ delayMs: number; atMs: number }>(REMEMBERED_MAX);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long there is still to wait, ms; 0 when the next try is due. */
  waitMs(key: string): number {
    const known = this.#tries.get(key);
    return known === undefined ? 0 : Math.max(0, known.atMs + known.delayMs - this.#clock.monotonic());
  }

  /** A try is made now. */
  note(key: string): void {
    const now = this.#clock.monotonic();
    const known = this.#tries.get(key);
    const fresh = known === undefined || now - known.atMs > 2 * MOST_MS;
    this.#tries.set(key, { delayMs: fresh ? FIRST_MS : Math.min(known.delayMs * 2, MOST_MS), atMs: now });
  }
}
