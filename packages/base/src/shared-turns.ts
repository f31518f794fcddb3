import type { Clock } from './clock.ts';

/** So long may those who ask keep a turn of the event loop to themselves. */
const TURN_MS = 10;
/** Of those that wait, so many go on in each further turn. */
const GO_ON = 16;

/**
 * Turns of the event loop for work that is answered without ever leaving the process. Promises that settle at once never
 * let go of a turn: ten thousand questions in a row, each of a tenth of a millisecond, are a second in which no socket is
 * read. Who asks here before each is made to wait once the turn has lasted too long; in the order in which they asked.
 */
export class SharedTurns {
  readonly #clock: Pick<Clock, 'monotonic' | 'soon'>;
  #waiting: (() => void)[] = [];
  /** How many of them have gone on. */
  #gone = 0;
  /** When this turn began; undefined: nobody has asked in it. */
  #begunMs: number | undefined;

  constructor(clock: Pick<Clock, 'monotonic' | 'soon'>) {
    this.#clock = clock;
  }

  /** Undefined: go on at once. A promise: resolves in a later turn. Never rejects. */
  take(): Promise<void> | undefined {
    const now = this.#clock.monotonic();
    const begun = this.#begunMs ?? this.#begin(now);
    if (this.#waiting.length === 0 && now - begun < TURN_MS) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #begin(now: number): number {
    this.#begunMs = now;
    this.#clock.soon(() => this.#next());
    return now;
  }

  #next(): void {
    this.#begunMs = undefined;
    if (this.#waiting.length === 0) return;
    this.#begin(this.#clock.monotonic());
    const due = this.#waiting.slice(this.#gone, this.#gone + GO_ON);
    this.#gone += due.length;
    if (this.#gone === this.#waiting.length) {
      this.#waiting = [];
      this.#gone = 0;
    }
    for (const goOn of due) goOn();
  }
}
