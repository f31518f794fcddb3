/** Patterns of users, matched in time proportional to text and pattern: RE2, never the platform's own. */
import { RE2JS } from 're2js';
import { EvaluationError } from '../errors.ts';

/** Longer ones are refused: a matcher takes memory in proportion to its pattern. */
const LENGTH_MAX = 10_000;
/** Patterns are few and used often. */
const KEPT_MAX = 100;

/** Reads a pattern. Throws EvaluationError in the words of Go's regexp. */
export function patternOf(source: string): RE2JS {
  if (source.length > LENGTH_MAX) throw new EvaluationError('error parsing regexp: expression too large');
  try {
    return RE2JS.compile(source);
  } catch (error) {
    throw new EvaluationError(error instanceof Error ? error.message : String(error));
  }
}

/** Keeps what it has read last, so that a rule that runs over a list reads its pattern once. */
export class PatternShelf {
  readonly #kept = new Map<string, RE2JS>();

  /** Throws EvaluationError. */
  get(source: string): RE2JS {
    const known = this.#kept.get(source);
    if (known !== undefined) return known;
    const made = patternOf(source);
    if (this.#kept.size >= KEPT_MAX) this.#kept.clear();
    this.#kept.set(source, made);
    return made;
  }
}
