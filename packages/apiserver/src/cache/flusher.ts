import type { Clock } from '@binnacle/base';

export interface Flushable {
  flush(): void;
}

/** A turn of handing out events lasts so long at most; then pending I/O has its chance. */
const SLICE_MS = 5;
const CHECK_EVERY = 16;

/** Hands out what watchers have gathered in a turn of the event loop: one write per stream. */
export class Flusher {
  readonly #clock: Clock;
  #waiting: Flushable[] = [];
  #scheduled = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `target` has something to hand out; the caller asks once per batch. */
  mark(target: Flushable): void {
    this.#waiting.push(target);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#clock.soon(() => this.#run());
  }

  #run(): void {
    this.#scheduled = false;
    const targets = this.#waiting;
    this.#waiting = [];
    const start = this.#clock.monotonic();
    for (let i = 0; i < targets.length; i++) {
      targets[i]?.flush();
      if (i % CHECK_EVERY !== CHECK_EVERY - 1 || this.#clock.monotonic() - start < SLICE_MS) continue;
      // What is left goes first in the next turn.
      this.#waiting = [...targets.slice(i + 1), ...this.#waiting];
      break;
    }
    if (this.#waiting.length > 0) this.#schedule();
  }
}
