import type { Clock, Pieces } from '@binnacle/base';

/** So long it goes on at once. */
const SLICE_MS = 5;

/** Work in pieces, between which others may have their turn. */
export type Turning = Pick<Turns, 'next'>;

/** What is too small to keep anybody waiting: the clock is not even looked at. */
export const AT_ONCE: Turning = { next: () => undefined };

/** Long work, piece by piece, that lets the others have their turn in between. */
export class Turns {
  readonly #clock: Clock;
  #since: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  /** Undefined: go on; else wait for it. */
  next(): Promise<void> | undefined {
    if (this.#clock.monotonic() - this.#since < SLICE_MS) return undefined;
    return new Promise((resolve) => {
      this.#clock.soon(() => {
        this.#since = this.#clock.monotonic();
        resolve();
      });
    });
  }
}

/** Does all of it, with turns for the others between its pieces. */
export async function inTurns<T>(pieces: Pieces<T>, turns: Turning): Promise<T> {
  for (let piece = pieces.next(); ; piece = pieces.next()) {
    if (piece.done === true) return piece.value;
    const turn = turns.next();
    if (turn !== undefined) await turn;
  }
}

/** Likewise, and at once where nobody has to wait for their turn meanwhile. */
export function inTurnsIfLong<T>(pieces: Pieces<T>, turns: Turning): T | Promise<T> {
  for (let piece = pieces.next(); ; piece = pieces.next()) {
    if (piece.done === true) return piece.value;
    const turn = turns.next();
    if (turn !== undefined) return turn.then(() => inTurns(pieces, turns));
  }
}

/** Something that is made piece by piece, once for all who wait for it: each does the next piece when it has its turn. */
export class SharedWork<T> {
  readonly #start: () => Pieces<T>;
  #pieces: Pieces<T> | undefined;
  #made: { readonly value: T } | undefined;

  constructor(start: () => Pieces<T>) {
    this.#start = start;
  }

  /** Undefined until it is made. */
  get value(): T | undefined {
    return this.#made?.value;
  }

  /** What is left to do. Throws what the work throws, which then begins anew. */
  *rest(): Pieces<T> {
    for (;;) {
      if (this.#made !== undefined) return this.#made.value;
      this.#pieces ??= this.#start();
      let piece: IteratorResult<void, T>;
      try {
        piece = this.#pieces.next();
      } catch (error) {
        this.#pieces = undefined;
        throw error;
      }
      if (piece.done === true) {
        this.#pieces = undefined;
        this.#made = { value: piece.value };
      } else yield;
    }
  }
}
