import type { Clock } from '@binnacle/base';

/** Upstream's defaults of `--max-requests-inflight` and `--max-mutating-requests-inflight`. */
const PLACES = { reading: 400, mutating: 200 };
/** So many more may wait for a place, each at most so long: a burst is served late rather than refused. */
const WAITING_MAX = 5_000;
const WAIT_MAX_MS = 15_000;

export type Kind = keyof typeof PLACES;
type Waiter = (placed: boolean) => void;

/** How many requests are in the pipeline, and the line of those that wait for a place. */
export class InFlight {
  reading = 0;
  mutating = 0;
  readonly #lines: { readonly [kind in Kind]: Set<Waiter> } = { reading: new Set(), mutating: new Set() };

  /** Whether a place was taken: at once, or later when there is one; false when the line is full or too slow. */
  enter(kind: Kind, clock: Clock): boolean | Promise<boolean> {
    if (this[kind] < PLACES[kind]) {
      this[kind]++;
      return true;
    }
    const line = this.#lines[kind];
    return line.size < WAITING_MAX && this.#wait(line, clock);
  }

  /** Gives a place back, or on to the one that waits longest. */
  leave(kind: Kind): void {
    for (const waiter of this.#lines[kind]) return waiter(true);
    this[kind]--;
  }

  #wait(line: Set<Waiter>, clock: Clock): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter: Waiter = (placed) => {
        timer.cancel();
        line.delete(waiter);
        resolve(placed);
      };
      const timer = clock.after(WAIT_MAX_MS, () => waiter(false), { background: true });
      line.add(waiter);
    });
  }
}
