import { delayUntil, Heap } from '@binnacle/base';
import type { Clock, Timer } from '@binnacle/base';

interface Due {
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
  run: (() => void) | undefined;
}

/** Many things to do later, with one timer of the clock for all. */
export class DueList {
  readonly #clock: Clock;
  readonly #heap = new Heap<Due>((a, b) => a.at < b.at);
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What has not run and was not called off yet, some of the latter included. */
  get size(): number {
    return this.#heap.size;
  }

  /** Runs it once after so long. The answer calls it off. */
  after(delayMs: number, run: () => void): () => void {
    const due: Due = { at: this.#clock.monotonic() + delayMs, run };
    this.#heap.push(due);
    this.#wind();
    return () => {
      due.run = undefined;
      this.#dropCalledOff();
    };
  }

  stop(): void {
    this.#heap.clear();
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  #wind(): void {
    const next = this.#heap.peek();
    if (next === undefined || next.at >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = next.at;
    const delay = delayUntil(this.#clock, next.at);
    this.#timer = this.#clock.after(delay, () => this.#runDue(), { background: true });
  }

  #runDue(): void {
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = this.#clock.monotonic();
    for (let next = this.#heap.peek(); next !== undefined && next.at <= now; next = this.#heap.peek()) {
      this.#heap.pop();
      next.run?.();
    }
    this.#wind();
  }

  /** So that what was called off does not pile up at the front. */
  #dropCalledOff(): void {
    for (let next = this.#heap.peek(); next !== undefined && next.run === undefined; next = this.#heap.peek())
      this.#heap.pop();
    if (this.#heap.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
  }
}
