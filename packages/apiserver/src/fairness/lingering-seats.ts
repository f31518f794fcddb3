import { delayUntil, Heap } from '@binnacle/base';
import type { Clock, Timer } from '@binnacle/base';

/** Seats of a request that has ended. */
export interface Lingering {
  /** When they are free, in milliseconds of the clock that never goes back. */
  readonly at: number;
  /** Frees them; is told as of when. */
  readonly release: (atMs: number) => void;
}

/**
 * Seats that stay taken for some milliseconds behind their requests. They are freed when somebody looks, each as of its own
 * moment, and by a timer only while somebody waits for seats: else each write would wake the server once more for what nobody asks.
 */
export class LingeringSeats {
  readonly #clock: Clock;
  readonly #isAwaited: () => boolean;
  readonly #heap = new Heap<Lingering>((a, b) => a.at < b.at);
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  /** `isAwaited`: whether somebody waits for seats; `hurry` is called when somebody begins to. */
  constructor(clock: Clock, isAwaited: () => boolean) {
    this.#clock = clock;
    this.#isAwaited = isAwaited;
  }

  add(one: Lingering): void {
    this.#heap.push(one);
    this.hurry();
  }

  /** Frees what is free by now: for who is about to look. */
  settle(nowMs: number): void {
    for (let next = this.#heap.peek(); next !== undefined && next.at <= nowMs; next = this.#heap.peek()) {
      this.#heap.pop();
      next.release(next.at);
    }
  }

  /** Whoever waits is not kept waiting for somebody to look. */
  hurry(): void {
    const next = this.#heap.peek();
    if (next === undefined || next.at >= this.#timerAt || !this.#isAwaited()) return;
    this.#timer?.cancel();
    this.#timerAt = next.at;
    this.#timer = this.#clock.after(delayUntil(this.#clock, next.at), () => this.#ring(), { background: true });
  }

  stop(): void {
    this.#heap.clear();
    this.#timer?.cancel();
  }

  #ring(): void {
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    this.settle(this.#clock.monotonic());
    this.hurry();
  }
}
