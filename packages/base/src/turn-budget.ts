import type { Clock } from './clock.ts';

/** Pieces of some microseconds each: together they take a turn no longer than a large request does. */
const PIECES_PER_TURN = 64;

/**
 * What many senders together may have done in one turn of the event loop. One chunk of a stream may hold thousands of
 * messages, and thousands of streams a chunk each: whoever takes them apart asks here before each, so that everybody
 * else is served in between. Those that wait go on in the order in which they asked: each waits with one piece, so that
 * this is a round of all of them.
 *
 * It stands beside `SharedTurns` because pieces are counted here and not timed. All cost about as little, so that a turn
 * stays below a millisecond, where requests, of which nobody knows what they take, have ten; no clock is read for any of
 * them; and no flows are kept apart, for whoever sends a thousand still waits with one.
 */
export class TurnBudget {
  readonly #clock: Pick<Clock, 'soon'>;
  readonly #perTurn: number;
  #left: number;
  #waiting: (() => void)[] = [];
  #isRunning = false;

  constructor(clock: Pick<Clock, 'soon'>, perTurn = PIECES_PER_TURN) {
    this.#clock = clock;
    this.#perTurn = perTurn;
    this.#left = perTurn;
  }

  /** Undefined: go on at once. A promise: the turn is used up; resolves in a later one. Never rejects. */
  take(): Promise<void> | undefined {
    this.#runSoon();
    if (this.#left > 0) {
      this.#left--;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #runSoon(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#clock.soon(() => {
      this.#isRunning = false;
      const due = this.#waiting.slice(0, this.#perTurn);
      this.#waiting = this.#waiting.slice(due.length);
      this.#left = this.#perTurn - due.length;
      if (this.#waiting.length > 0) this.#runSoon();
      for (const goOn of due) goOn();
    });
  }
}
