/** Patterns of users, matched in time proportional to text and pattern: RE2, never the platform's own. */
import { PatternError, readPattern } from '@binnacle/machinery/pattern';
import type { Pattern } from '@binnacle/machinery/pattern';
import { EvaluationError } from '../errors.ts';

/** Patterns are few and used often. */
const KEPT_MAX = 100;

/** Reads a pattern. Throws EvaluationError in the words of Go's regexp. */
export function patternOf(source: string): Pattern {
  try {
    return readPattern(source);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new EvaluationError(error.message);
  }
}

/** Keeps what it has read last, so that a rule that runs over a list reads its pattern once. */
export class PatternShelf {
  readonly #kept = new Map<string, Pattern>();

  /** Throws EvaluationError. */
  get(source: string): Pattern {
    const known = this.#kept.get(source);
    if (known !== undefined) return known;
    const made = patternOf(source);
    if (this.#kept.size >= KEPT_MAX) this.#kept.clear();
    this.#kept.set(source, made);
    return made;
  }
}
