import { delayUntil } from '@binnacle/base';
import type { Clock } from '@binnacle/base';

// 50 objects wait 1 ms, 5,000 wait 100.
const GATHER_FROM = 50;
const GATHER_MS_PER_OBJECT = 0.02;
const GATHER_MS_MAX = 500;

/**
 * How long changes are gathered before a sync that looks at `count` objects, ms. In proportion to what the sync costs,
 * so that n changes of n objects cost in the order of n looks and not n².
 */
export function gatherMs(count: number): number {
  return count < GATHER_FROM ? 0 : Math.min(count * GATHER_MS_PER_OBJECT, GATHER_MS_MAX);
}

/**
 * When keys were last synced. What is urgent goes at once, but not again before as long has passed as other changes are
 * gathered: pods that end by the hundred are urgent each.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #syncedMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The key was synced just now; `isThere`: what it is of may change again. */
  synced(key: string, isThere: boolean): void {
    if (isThere) this.#syncedMs.set(key, this.#clock.monotonic());
    else this.#syncedMs.delete(key);
  }

  /** How long a change waits for others, ms, where the sync looks at `count` objects. */
  waitMs(key: string, { count, urgent }: { readonly count: number; readonly urgent: boolean }): number {
    const gathered = gatherMs(count);
    if (!urgent || gathered === 0) return gathered;
    const syncedMs = this.#syncedMs.get(key);
    return syncedMs === undefined ? 0 : Math.min(gathered, delayUntil(this.#clock, syncedMs + gathered));
  }
}
