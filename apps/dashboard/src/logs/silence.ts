import type { Texts } from '../texts/english.ts';
import type { LogErrors } from './show-log.ts';

/** What there is of a log. */
export interface Heard {
  /** How many lines are shown. */
  readonly shown: number;
  readonly filter: string;
  readonly errors: LogErrors;
}

/**
 * What stands in the place of lines; undefined where there are some, or something else says why there are none. Some servers
 * answer with the first line and not before: whether one has been asked in vain is not known.
 */
export function silenceOf({
  shown,
  filter,
  errors,
}: Heard): Extract<keyof Texts, 'silentLog' | 'noLineFits'> | undefined {
  if (shown > 0 || errors.size > 0) return undefined;
  return filter === '' ? 'silentLog' : 'noLineFits';
}
