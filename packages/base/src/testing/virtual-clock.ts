import type { Clock, Timer } from '../clock.ts';
import { Heap } from '../heap.ts';

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  live: boolean;
}

/** A clock that moves only when told to. Due calls run in the order of their time, then of their making. */
export class VirtualClock implements Clock {
  #elapsed = 0;
  #order = 0;
  readonly #start: number;
  readonly #heap = new Heap<Entry>(before);

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#start = startMs;
  }

  now(): number {
    return this.#start + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  after(delayMs: number, run: () => void): Timer {
    const entry: Entry = { at: this.#elapsed + Math.max(0, delayMs), order: this.#order++, run, live: true };
    this.#heap.push(entry);
    return {
      cancel: (): void => {
        entry.live = false;
      },
    };
  }

  soon(run: () => void): Timer {
    return this.after(0, run);
  }

  /** How many calls are still waiting. */
  get pending(): number {
    return this.#heap.items.filter((e) => e.live).length;
  }

  /** Moves time forward, running what falls due, and lets promises settle between the calls. */
  async advance(ms: number): Promise<void> {
    const target = this.#elapsed + ms;
    await settle();
    for (let next = this.#heap.peek(); next !== undefined && next.at <= target; next = this.#heap.peek()) {
      this.#heap.pop();
      if (!next.live) continue;
      this.#elapsed = Math.max(this.#elapsed, next.at);
      next.live = false;
      next.run();
      await settle();
    }
    this.#elapsed = target;
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** Where there is such a thing: Node has it, browsers have not. */
declare const setImmediate: ((run: () => void) => unknown) | undefined;

/** How many turns a chain of promises gets where there is none; deeper chains go on in the next step. */
const SETTLE_TURNS = 200;

/**
 * Lets every promise that can settle without time passing do so: they all have, once the event loop turns. Hundreds of
 * promises to wait for them took most of the time of a test, as the test runner keeps a book of each.
 */
async function settle(): Promise<void> {
  if (typeof setImmediate === 'function') {
    const turn = setImmediate;
    return new Promise((resolve) => {
      turn(resolve);
    });
  }
  for (let i = 0; i < SETTLE_TURNS; i++) await Promise.resolve();
}
