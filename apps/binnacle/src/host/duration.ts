import { parseGoDuration } from '@binnacle/base';
import { UsageError } from '../errors.ts';

/** Go's durations of flags and configuration files, in milliseconds. Throws UsageError in Go's words; none is negative here. */
export function parseDuration(given: string): number {
  return parseGoDuration(given, (message) => {
    throw new UsageError(message);
  });
}
