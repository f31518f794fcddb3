import type { Cause } from '@binnacle/base';

const BOUND = 16_384;

/**
 * Which request made which revision (law 11): the last 16,384 writes, the oldest forgotten first.
 * A ring of slots with a map beside it, so that neither side is ever searched.
 */
export class CauseTable {
  readonly #bound: number;
  readonly #byRevision = new Map<number, Cause>();
  readonly #order: number[] = [];
  #next = 0;

  constructor(bound: number = BOUND) {
    this.#bound = bound;
  }

  remember(revision: number, cause: Cause): void {
    const oldest = this.#order[this.#next];
    if (oldest !== undefined) this.#byRevision.delete(oldest);
    this.#order[this.#next] = revision;
    this.#next = (this.#next + 1) % this.#bound;
    this.#byRevision.set(revision, cause);
  }

  /** Undefined when nobody here made it, or it is too long ago. */
  find(revision: number): Cause | undefined {
    const cause = this.#byRevision.get(revision);
    return cause === undefined ? undefined : { ...cause, revision: String(revision) };
  }
}
