import type { Clock } from './clock.ts';
import { FairOrder } from './fair-order.ts';
import type { Standing, Took } from './fair-order.ts';

/** So long may those who ask keep a turn of the event loop to themselves. */
const TURN_MS = 10;
/** Of those that wait, so many at most go on in each further turn, as long as it has time. */
const GO_ON = 64;

/** Whose question it is. */
export interface TurnFlow {
  /** Of one sender, say: whoever asks much keeps nobody else waiting. */
  readonly name: string;
  /** The flows of a level have one part of the time together, however many they are. Absent: all are of the same. */
  readonly level?: string;
  /** How large that part is, beside those of other levels that ask; above 0. Absent: 1. */
  readonly share?: number;
}

/**
 * Turns of the event loop for work that is answered without ever leaving the process. Promises that settle at once never
 * let go of a turn: ten thousand questions in a row, each of a tenth of a millisecond, are a second in which no socket is
 * read; and hundreds of requests run one behind the other in the single turn in which they came. Who asks here before
 * each is made to wait once the turn has lasted too long. Those who wait go on in later turns, by the time that their
 * level and their flow were given (see `FairOrder`): who asks now and then waits for the one that runs, and not for one
 * of each other flow. Within a flow they go in the order in which they asked.
 * For pieces that all cost little and of which each sender waits with one there is `TurnBudget`.
 */
export class SharedTurns {
  readonly #clock: Pick<Clock, 'monotonic' | 'soon'>;
  readonly #turnMs: number;
  readonly #levels = new Map<string, Level>();
  readonly #order: FairOrder<Level>;
  #waiting = 0;
  /** Who was let go on last, and since when, until it is known how long it took. */
  #running: Running | undefined;
  /** When the turn began, by the clock that never goes back; undefined: nobody has asked in it. */
  #begunMs: number | undefined;
  /** How many looks at those who wait are on their way: each lets at most one of them go on. */
  #looks = 0;

  /** `turnMs`: how much of a turn those who ask may take together. */
  constructor(clock: Pick<Clock, 'monotonic' | 'soon'>, turnMs = TURN_MS) {
    this.#clock = clock;
    this.#turnMs = turnMs;
    this.#order = new FairOrder(turnMs);
  }

  /** Of how many somebody waits or runs. */
  get levels(): number {
    return this.#levels.size;
  }

  /** How many of a flow wait. */
  waitingOf({ name, level = '' }: TurnFlow): number {
    return this.#levels.get(level)?.lines.get(name)?.size ?? 0;
  }

  /** Undefined: go on at once. A promise: resolves in a later turn. Rejects with what `flowOf` throws, asked only of who has to wait. */
  take(flowOf: () => TurnFlow): Promise<void> | undefined {
    if (this.#waiting === 0 && !this.#isOver(this.#clock.monotonic())) return undefined;
    return new Promise((resolve) => {
      this.#stand(flowOf(), resolve);
      if (this.#looks < GO_ON) this.#lookSoon();
    });
  }

  /** Whether the turn has lasted too long; it begins with whoever asks first. */
  #isOver(nowMs: number): boolean {
    if (this.#begunMs !== undefined) return nowMs - this.#begunMs >= this.#turnMs;
    this.#begunMs = nowMs;
    this.#clock.soon(() => {
      this.#begunMs = undefined;
      // Much else has been done since the turn was over: how long the last one took is not known.
      this.#charge({ tookMs: undefined, nowMs });
    });
    return false;
  }

  #stand(flow: TurnFlow, resolve: () => void): void {
    const { name, level: levelName = '', share = 1 } = flow;
    const nowMs = this.#clock.monotonic();
    this.#waiting++;
    let level = this.#levels.get(levelName);
    if (level === undefined) {
      level = new Level(share, this.#turnMs);
      this.#levels.set(levelName, level);
      this.#order.add(levelName, level, { share, nowMs });
    }
    level.share = share;
    level.stand(name, resolve, nowMs);
  }

  #lookSoon(): void {
    this.#looks++;
    this.#clock.soon(() => this.#look());
  }

  /**
   * What one lets go on runs before the next look does, so that each sees what time is left: how long a request takes
   * shows only when it has run. There are twice as many in a turn as found something to do in the one before: those that
   * find it over cost time too.
   */
  #look(): void {
    this.#looks--;
    const nowMs = this.#clock.monotonic();
    if (this.#running !== undefined) this.#charge({ tookMs: nowMs - this.#running.sinceMs, nowMs });
    if (this.#waiting === 0) return;
    const isOver = this.#isOver(nowMs);
    if (!isOver) this.#goOn(nowMs);
    if (this.#waiting === 0 || (isOver && this.#looks > 0)) return;
    this.#lookSoon();
    if (!isOver && this.#looks < GO_ON) this.#lookSoon();
  }

  #goOn(nowMs: number): void {
    const level = this.#order.next();
    const flow = level?.value.order.next();
    if (level === undefined || flow === undefined) return;
    this.#running = { level, flow, sinceMs: nowMs };
    this.#waiting--;
    flow.value.shift()?.();
  }

  /** Of who was let go on last it is known how long it took. Its flow and its level stand again where more of them wait. */
  #charge(took: Took): void {
    if (this.#running === undefined) return;
    const { level: of, flow } = this.#running;
    this.#running = undefined;
    const level = of.value;
    const { nowMs } = took;
    const charged = level.order.charge(flow, took);
    if (flow.value.size > 0) level.order.add(flow.name, flow.value, { share: 1, nowMs });
    else level.lines.delete(flow.name);
    this.#order.charge(of, { tookMs: charged, nowMs });
    if (level.lines.size > 0) this.#order.add(of.name, level, { share: level.share, nowMs });
    else this.#levels.delete(of.name);
  }
}

interface Running {
  readonly level: Standing<Level>;
  readonly flow: Standing<Line>;
  readonly sinceMs: number;
}

/** Flows that have one part of the time together. */
class Level {
  readonly lines = new Map<string, Line>();
  readonly order: FairOrder<Line>;
  share: number;

  constructor(share: number, freeMs: number) {
    this.share = share;
    this.order = new FairOrder(freeMs);
  }

  stand(name: string, resolve: () => void, nowMs: number): void {
    const line = this.lines.get(name);
    // That of who runs stands again when it is known how long it took.
    if (line !== undefined) return line.push(resolve);
    const opened = new Line(resolve);
    this.lines.set(name, opened);
    this.order.add(name, opened, { share: 1, nowMs });
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
