import { delayUntil } from '@binnacle/base';
import type { Clock, Timer } from '@binnacle/base';

/** How much history is kept: what is older, or more, is compacted away. */
export interface RetentionLimits {
  readonly ageMsMax: number;
  readonly bytesMax: number;
}

interface Mark {
  readonly at: number;
  readonly revision: number;
  /** Bytes written to history since the start. */
  readonly written: number;
}

const MARKS_PER_LIMIT = 64;

/**
 * Decides up to which revision history goes, by age or bytes. Notes a mark each 64th of either limit and asks for
 * compaction at marks only. Its timer runs only while there is something that can grow old.
 */
export class Retention {
  readonly #clock: Clock;
  readonly #limits: RetentionLimits;
  readonly #compact: (revision: number) => void;
  #marks: Mark[] = [];
  #written = 0;
  #timer: Timer | undefined;
  #closed = false;

  constructor(clock: Clock, limits: RetentionLimits, compact: (revision: number) => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#compact = compact;
  }

  /** `bytes` went into the history up to `revision`. */
  note(revision: number, bytes: number): void {
    this.#written += bytes;
    const now = this.#clock.monotonic();
    const last = this.#marks.at(-1);
    const isDue =
      last === undefined ||
      now - last.at >= this.#limits.ageMsMax / MARKS_PER_LIMIT ||
      this.#written - last.written >= this.#limits.bytesMax / MARKS_PER_LIMIT;
    if (!isDue) return;
    this.#marks.push({ at: now, revision, written: this.#written });
    this.#enforce(now);
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  #enforce(now: number): void {
    let reached: Mark | undefined;
    for (let mark = this.#marks[0]; mark !== undefined && this.#isOver(mark, now); mark = this.#marks[0]) {
      reached = mark;
      this.#marks.shift();
    }
    if (reached !== undefined) this.#compact(reached.revision);
    this.#arm();
  }

  #isOver(mark: Mark, now: number): boolean {
    return mark.at + this.#limits.ageMsMax <= now || this.#written - mark.written > this.#limits.bytesMax;
  }

  #arm(): void {
    const oldest = this.#marks[0];
    if (this.#timer !== undefined || oldest === undefined || this.#closed) return;
    // Nothing grows too old: no timer for a moment that never comes.
    if (this.#limits.ageMsMax === Infinity) return;
    const delay = delayUntil(this.#clock, oldest.at + this.#limits.ageMsMax);
    this.#timer = this.#clock.after(delay, () => this.#onTimer(), { background: true });
  }

  #onTimer(): void {
    this.#timer = undefined;
    this.#enforce(this.#clock.monotonic());
  }
}
