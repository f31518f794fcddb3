/** A connection on which requests wait. */
export interface WaitingLine {
  readonly destroyed: boolean;
  pause(): unknown;
  resume(): unknown;
}

/** So many wait before the connection is read no further; those that were in the same piece come beyond it. */
const WAITING_MAX = 16;

interface Line {
  readonly waiting: (() => void)[];
  /** Whether a request of the connection is being answered. */
  isServing: boolean;
  isPaused: boolean;
}

/**
 * Requests of one HTTP/1.1 connection, one after the other: their replies go in this order anyway, and clients may send
 * thousands ahead, each of which would take a connection to a backend of its own.
 */
export class OneByOne {
  readonly #lines = new WeakMap<WaitingLine, Line>();

  /** Begins a request when it is its turn. */
  enter(connection: WaitingLine, begin: () => void): void {
    let line = this.#lines.get(connection);
    if (line === undefined) this.#lines.set(connection, (line = { waiting: [], isServing: false, isPaused: false }));
    if (!line.isServing) {
      line.isServing = true;
      begin();
      return;
    }
    line.waiting.push(begin);
    if (line.isPaused || line.waiting.length < WAITING_MAX) return;
    line.isPaused = true;
    connection.pause();
  }

  /** The request that was begun is answered. Who waits on a connection that is gone is forgotten. */
  leave(connection: WaitingLine): void {
    const line = this.#lines.get(connection);
    if (line === undefined) return;
    if (connection.destroyed) line.waiting.length = 0;
    const next = line.waiting.shift();
    if (line.isPaused && line.waiting.length < WAITING_MAX) {
      line.isPaused = false;
      connection.resume();
    }
    if (next === undefined) line.isServing = false;
    else next();
  }
}
