import type { Cause } from '@binnacle/base';

const BOUND = 16_384;

/**
 * Which request made which revision (law 11), for the last 16,384 revisions. Each revision has its slot, which the one
 * that comes a whole round later takes over: nothing is ever searched or thrown out.
 */
export class CauseTable {
  readonly #bound: number;
  readonly #revisions: number[] = [];
  readonly #causes: (Cause | undefined)[] = [];

  constructor(bound: number = BOUND) {
    this.#bound = bound;
  }

  /** `revision`: a whole number from 1 on. */
  remember(revision: number, cause: Cause): void {
    const slot = revision % this.#bound;
    // From the front, so that the arrays stay dense.
    while (this.#revisions.length <= slot) {
      this.#revisions.push(0);
      this.#causes.push(undefined);
    }
    if ((this.#revisions[slot] ?? 0) > revision) return;
    this.#revisions[slot] = revision;
    this.#causes[slot] = cause;
  }

  /** Undefined when nobody here made it, or it is too long ago. */
  find(revision: number): Cause | undefined {
    const slot = revision % this.#bound;
    const cause = this.#revisions[slot] === revision ? this.#causes[slot] : undefined;
    return cause === undefined ? undefined : { ...cause, revision: String(revision) };
  }
}
