import type { Clock } from '@binnacle/base';

/** How long requests may run at once in one turn of the event loop before others wait for the next, in milliseconds. */
const TURN_MS = 10;
/** So few at a time are not worth the trouble. */
const BUSY = 8;
/** So many of those who wait run in one turn, where that many have time in it. */
const A_TURN_MAX = 64;

/**
 * Shares the turns of the event loop among flows. Seats bound how many requests are under way, and hundreds of them run
 * one behind the other in the single turn in which they came: who comes meanwhile waits for all. Here those beyond the
 * time of a turn wait for later ones, as many a turn as it has time for, flow by flow: somebody with one request waits
 * for one of each other flow at most.
 */
export class FlowTurns {
  readonly #clock: Clock;
  /** Who waits, by flow; the flow whose turn is next stands first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** When the turn began, by the clock that never goes back; undefined: nobody has looked yet. */
  #beganAt: number | undefined;
  /** When those who waited for this turn were let go on. */
  #ranAt = 0;
  /** How many of those who wait run in a turn: as many as lately had time in one. */
  #aTurn = 1;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined: the request may run now; otherwise when this resolves. `executing`: how many are under way. */
  take(executing: number, flowOf: () => string): Promise<void> | undefined {
    if (this.#waiting.size === 0) {
      if (executing < BUSY) return undefined;
      const began = this.#beganAt ?? this.#begin();
      if (this.#clock.monotonic() - began < TURN_MS) return undefined;
    }
    const flow = flowOf();
    return new Promise((resolve) => {
      const others = this.#waiting.get(flow);
      if (others === undefined) this.#waiting.set(flow, [resolve]);
      else others.push(resolve);
    });
  }

  #begin(): number {
    // The second comes right behind what the first lets go on: what others do in a turn does not count.
    this.#clock.soon(() => this.#end());
    this.#clock.soon(() => this.#measure());
    return (this.#beganAt = this.#clock.monotonic());
  }

  #end(): void {
    this.#beganAt = undefined;
    this.#ranAt = this.#clock.monotonic();
    if (this.#waiting.size === 0) return;
    this.#begin();
    for (let n = 0; n < this.#aTurn; n++) this.#runNext();
  }

  #measure(): void {
    const took = this.#clock.monotonic() - this.#ranAt;
    if (took >= TURN_MS) this.#aTurn = Math.max(1, this.#aTurn / 2);
    else if (took < TURN_MS / 2) this.#aTurn = Math.min(A_TURN_MAX, this.#aTurn * 2);
  }

  /** Whoever waits longest in the flow that was served longest ago. */
  #runNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    const [flow, waiting] = next;
    this.#waiting.delete(flow);
    waiting.shift()?.();
    if (waiting.length > 0) this.#waiting.set(flow, waiting);
  }
}
