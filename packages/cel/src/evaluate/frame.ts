/** One run of an expression: the variables, and what it has cost so far. */
import type { Meter } from '../compare.ts';
import { codePoints } from '../values.ts';
import { CostError } from '../errors.ts';
import type { EvaluationError } from '../errors.ts';
import type { Value } from '../values.ts';

/** Steps that no cost counts: copying lists, comparing what is deep. Beyond any rule that means well. */
const WORK_MAX = 20_000_000;
/** Shorter texts are counted each time. */
const LONG = 256;

/** A bind that nobody has asked for yet. */
export const PENDING = Symbol('pending');

/** What a fold carries along when a step failed: the next one may make it harmless. */
export class Failure {
  readonly error: EvaluationError;

  constructor(error: EvaluationError) {
    this.error = error;
  }
}

type Slot = Value | typeof PENDING | Failure | undefined;

export class Frame implements Meter {
  readonly slots: Slot[];
  readonly #limit: number;
  #cost = 0;
  #work = 0;
  #lengths: Map<string, number> | undefined;

  /** `limit`: in units of cost. */
  constructor(slots: Slot[], limit: number) {
    this.slots = slots;
    this.#limit = limit;
  }

  get cost(): number {
    return this.#cost;
  }

  /** Throws CostError beyond the limit. */
  charge(amount: number): void {
    this.#cost += amount;
    if (this.#cost > this.#limit) throw new CostError();
  }

  work(units: number): void {
    this.#work += units;
    if (this.#work > WORK_MAX) throw new CostError();
  }

  lengthOf(text: string): number {
    if (text.length <= LONG) return codePoints(text);
    this.#lengths ??= new Map<string, number>();
    let length = this.#lengths.get(text);
    if (length === undefined) {
      this.work(text.length);
      this.#lengths.set(text, (length = codePoints(text)));
    }
    return length;
  }
}
