import type { Clock } from './clock.ts';

/** So long may those who ask keep a turn of the event loop to themselves. */
const TURN_MS = 10;
/** Of those that wait, so many at most go on in each further turn, as long as it has time. */
const GO_ON = 64;

/**
 * Turns of the event loop for work that is answered without ever leaving the process. Promises that settle at once never
 * let go of a turn: ten thousand questions in a row, each of a tenth of a millisecond, are a second in which no socket is
 * read; and hundreds of requests run one behind the other in the single turn in which they came. Who asks here before
 * each is made to wait once the turn has lasted too long. Those who wait go on in later turns, flow by flow: somebody with
 * one question waits for one of each other flow at most, and within a flow they go in the order in which they asked.
 * For pieces that all cost little and of which each sender waits with one there is `TurnBudget`.
 */
export class SharedTurns {
  readonly #clock: Pick<Clock, 'monotonic' | 'soon'>;
  readonly #turnMs: number;
  /** Who waits, by flow; the flow whose turn is next stands first. */
  readonly #waiting = new Map<string, Line>();
  /** When the turn began, by the clock that never goes back; undefined: nobody has asked in it. */
  #begunMs: number | undefined;
  /** How many looks at those who wait are on their way: each lets at most one of them go on. */
  #looks = 0;

  /** `turnMs`: how much of a turn those who ask may take together. */
  constructor(clock: Pick<Clock, 'monotonic' | 'soon'>, turnMs = TURN_MS) {
    this.#clock = clock;
    this.#turnMs = turnMs;
  }

  /** How many of a flow wait. */
  waitingOf(flow: string): number {
    return this.#waiting.get(flow)?.size ?? 0;
  }

  /** Undefined: go on at once. A promise: resolves in a later turn. Rejects with what `flowOf` throws, asked only of who has to wait. */
  take(flowOf: () => string): Promise<void> | undefined {
    if (this.#waiting.size === 0 && !this.#isOver()) return undefined;
    return new Promise((resolve) => {
      const flow = flowOf();
      const line = this.#waiting.get(flow);
      if (line === undefined) this.#waiting.set(flow, new Line(resolve));
      else line.push(resolve);
      if (this.#looks < GO_ON) this.#lookSoon();
    });
  }

  /** Whether the turn has lasted too long; it begins with whoever asks first. */
  #isOver(): boolean {
    const now = this.#clock.monotonic();
    if (this.#begunMs !== undefined) return now - this.#begunMs >= this.#turnMs;
    this.#begunMs = now;
    this.#clock.soon(() => (this.#begunMs = undefined));
    return false;
  }

  #lookSoon(): void {
    this.#looks++;
    this.#clock.soon(() => this.#look());
  }

  /**
   * What one lets go on runs before the next look does, so that each sees what time is left: how long a request takes
   * shows only when it has run.
   */
  #look(): void {
    this.#looks--;
    if (this.#waiting.size === 0) return;
    if (!this.#isOver()) this.#goOn();
    if (this.#waiting.size > 0) this.#lookSoon();
  }

  /** Whoever waits longest in the flow that was served longest ago. */
  #goOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    const [flow, line] = next;
    this.#waiting.delete(flow);
    line.shift()?.();
    if (line.size > 0) this.#waiting.set(flow, line);
  }
}

/** First in, first out; takes no longer the more there are, and keeps nothing of those that are gone. */
class Line {
  #in: (() => void)[] = [];
  #out: (() => void)[];

  constructor(first: () => void) {
    this.#out = [first];
  }

  get size(): number {
    return this.#in.length + this.#out.length;
  }

  push(one: () => void): void {
    this.#in.push(one);
  }

  shift(): (() => void) | undefined {
    if (this.#out.length === 0) {
      this.#out = this.#in.reverse();
      this.#in = [];
    }
    return this.#out.pop();
  }
}
