import { delayUntil } from '@binnacle/base';
import type { Clock, Timer } from '@binnacle/base';

interface Due {
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
  run: (() => void) | undefined;
}

/** Many things to do later, with one timer of the clock for all. */
export class DueList {
  readonly #clock: Clock;
  /** A heap: the next is first. */
  readonly #heap: Due[] = [];
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What has not run and was not called off yet, some of the latter included. */
  get size(): number {
    return this.#heap.length;
  }

  /** Runs it once after so long. The answer calls it off. */
  after(delayMs: number, run: () => void): () => void {
    const due: Due = { at: this.#clock.monotonic() + delayMs, run };
    this.#push(due);
    this.#wind();
    return () => {
      due.run = undefined;
      this.#dropCalledOff();
    };
  }

  stop(): void {
    this.#heap.length = 0;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  #wind(): void {
    const next = this.#heap[0];
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
    for (let next = this.#heap[0]; next !== undefined && next.at <= now; next = this.#heap[0]) {
      this.#pop();
      next.run?.();
    }
    this.#wind();
  }

  /** So that what was called off does not pile up at the front. */
  #dropCalledOff(): void {
    for (let next = this.#heap[0]; next !== undefined && next.run === undefined; next = this.#heap[0]) this.#pop();
    if (this.#heap.length > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  #push(due: Due): void {
    const heap = this.#heap;
    let at = heap.push(due) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || above.at <= due.at) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = due;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const [left, right] = [heap[child], heap[child + 1]];
      if (left === undefined) break;
      const smaller = right !== undefined && right.at < left.at ? right : left;
      if (smaller === right) child++;
      if (smaller.at >= last.at) break;
      heap[at] = smaller;
      at = child;
    }
    heap[at] = last;
  }
}
