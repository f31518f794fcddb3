/**
 * Patterns of users, read by RE2: matching takes time in proportion to text and pattern. A door of its own
 * (`@binnacle/machinery/pattern`), as the engine is large and few need it.
 */
import { CatalogueError } from '@binnacle/base';
import { RE2JS } from 're2js';
import { stepsOf } from './pattern-size.ts';

/** A pattern that is none; the message is that of Go's regexp. */
export class PatternError extends CatalogueError {
  constructor(message: string) {
    super('pattern', message);
  }
}

/** A pattern that was read. */
export interface Pattern {
  readonly expression: RE2JS;
  /** About how many steps it has: matching takes up to so many, of some nanoseconds, for each character of a text. */
  readonly steps: number;
}

/**
 * Reads a pattern, in some tens of milliseconds at most. Throws PatternError for one that RE2 does not take, or that
 * would become too large: a hundred bytes with numbers in braces can hold everybody up for a second.
 */
export function readPattern(source: string): Pattern {
  const steps = stepsOf(source);
  if (steps === undefined) throw new PatternError('error parsing regexp: expression too large');
  try {
    return { expression: RE2JS.compile(source), steps };
  } catch (error) {
    throw new PatternError(error instanceof Error ? error.message : 'cannot be compiled');
  }
}
