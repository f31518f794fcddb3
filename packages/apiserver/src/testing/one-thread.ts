import { Heap } from '@binnacle/base';
import type { Clock, Timer } from '@binnacle/base';

/** What comes from outside, or is due, at a time. */
interface Due {
  readonly at: number;
  readonly number: number;
  run: (() => void) | undefined;
}

/** Promises that follow each other in what one piece of work sets going, at most. */
const STEPS = 8;

/**
 * One thread and its event loop in virtual time. As in Node, a turn first takes what has come by its begin, then what was
 * put off until then; promises run behind each piece. Time passes by what work takes, and while there is none.
 */
export class OneThread implements Clock {
  readonly #due = new Heap<Due>((a, b) => a.at < b.at || (a.at === b.at && a.number < b.number));
  #later: (() => void)[] = [];
  #ms = 0;
  #count = 0;

  now(): number {
    return this.#ms;
  }

  monotonic(): number {
    return this.#ms;
  }

  after(delayMs: number, run: () => void): Timer {
    const due: Due = { at: this.#ms + delayMs, number: this.#count++, run };
    this.#due.push(due);
    return { cancel: () => void (due.run = undefined) };
  }

  soon(run: () => void): Timer {
    this.#later.push(run);
    return { cancel: () => assertNever() };
  }

  /** The thread is busy for so long. */
  work(ms: number): void {
    this.#ms += ms;
  }

  /** Turns until this time, or until nothing is left to do. */
  async run(untilMs: number): Promise<void> {
    while (this.#ms < untilMs) {
      const come = this.#come();
      if (come.length === 0 && this.#later.length === 0) {
        const next = this.#due.peek();
        if (next === undefined) return;
        this.#ms = next.at;
        continue;
      }
      for (const { run } of come) await piece(run);
      const later = this.#later;
      this.#later = [];
      for (const run of later) await piece(run);
    }
  }

  #come(): Due[] {
    const come: Due[] = [];
    for (let next = this.#due.peek(); next !== undefined && next.at <= this.#ms; next = this.#due.peek()) {
      this.#due.pop();
      come.push(next);
    }
    return come;
  }
}

async function piece(run: (() => void) | undefined): Promise<void> {
  if (run === undefined) return;
  run();
  for (let step = 0; step < STEPS; step++) await Promise.resolve();
}

function assertNever(): never {
  throw new Error('nobody calls off what was put off');
}
