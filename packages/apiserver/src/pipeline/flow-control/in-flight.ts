import type { Clock, Timer } from '@binnacle/base';
import { BodyLedger } from './body-ledger.ts';

/** Upstream's defaults of `--max-requests-inflight` and `--max-mutating-requests-inflight`. */
const PLACES = { reading: 400, mutating: 200 };
/** So many more may wait for a place, each at most so long: a burst is served late rather than refused. */
const WAITING_MAX = 5_000;
const WAIT_MAX_MS = 15_000;

export type RequestKind = keyof typeof PLACES;

interface Waiter {
  readonly settle: (placed: boolean) => void;
  readonly timer: Timer;
}

/** Those that wait for one kind of place: a line for each flow, served in turn. */
class Lines {
  /** In the order of their turn; a flow that was served goes to the end. */
  readonly #byFlow = new Map<string, Set<Waiter>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(flow: string, waiter: Waiter): void {
    const line = this.#byFlow.get(flow);
    if (line === undefined) this.#byFlow.set(flow, new Set([waiter]));
    else line.add(waiter);
    this.#size++;
  }

  /** The one that has waited longest in the flow whose turn it is. */
  next(): Waiter | undefined {
    for (const [flow, line] of this.#byFlow) {
      for (const waiter of line) {
        this.remove(flow, waiter);
        if (line.size > 0) {
          this.#byFlow.delete(flow);
          this.#byFlow.set(flow, line);
        }
        return waiter;
      }
    }
    return undefined;
  }

  /** The newest of the longest line, where that is longer than the line of `flow`. */
  dropFor(flow: string): Waiter | undefined {
    let longest: readonly [flow: string, line: Set<Waiter>] | undefined;
    for (const row of this.#byFlow) if (longest === undefined || row[1].size > longest[1].size) longest = row;
    if (longest === undefined || longest[1].size <= (this.#byFlow.get(flow)?.size ?? 0)) return undefined;
    const newest = [...longest[1]].at(-1);
    if (newest !== undefined) this.remove(longest[0], newest);
    return newest;
  }

  remove(flow: string, waiter: Waiter): boolean {
    const line = this.#byFlow.get(flow);
    if (line?.delete(waiter) !== true) return false;
    this.#size--;
    if (line.size === 0) this.#byFlow.delete(flow);
    return true;
  }
}

/**
 * How many requests are in the pipeline, and the lines of those that wait for a place. Users take turns: who sends
 * thousands waits behind himself. Only requests that are here whole, body and all, come this far.
 */
export class InFlight {
  reading = 0;
  mutating = 0;
  /** What the bodies of requests weigh until they are answered. */
  readonly bodies = new BodyLedger();
  readonly #clock: Clock;
  readonly #lines: { readonly [kind in RequestKind]: Lines } = { reading: new Lines(), mutating: new Lines() };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Whether a place was taken: at once, or later when there is one; false when the lines are full or too slow.
   * `flow`: who shares a turn, a user's name.
   */
  enter(kind: RequestKind, flow: string): boolean | Promise<boolean> {
    if (this[kind] < PLACES[kind]) {
      this[kind]++;
      return true;
    }
    const lines = this.#lines[kind];
    if (lines.size >= WAITING_MAX) {
      const dropped = lines.dropFor(flow);
      if (dropped === undefined) return false;
      dropped.timer.cancel();
      dropped.settle(false);
    }
    return new Promise((settle) => {
      const timer = this.#clock.after(WAIT_MAX_MS, () => lines.remove(flow, waiter) && settle(false), {
        background: true,
      });
      const waiter: Waiter = { settle, timer };
      lines.add(flow, waiter);
    });
  }

  /** Gives a place back, or on to the next in turn. */
  leave(kind: RequestKind): void {
    const next = this.#lines[kind].next();
    if (next === undefined) {
      this[kind]--;
      return;
    }
    next.timer.cancel();
    next.settle(true);
  }
}
