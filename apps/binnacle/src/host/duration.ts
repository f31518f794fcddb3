import { DurationError, parseGoDuration } from '@binnacle/base';
import { UsageError } from '../errors.ts';

/** Go's durations of flags and configuration files, in milliseconds. Throws UsageError in Go's words; none is negative here. */
export function parseDuration(given: string): number {
  try {
    return parseGoDuration(given);
  } catch (error) {
    if (error instanceof DurationError) throw new UsageError(error.message);
    throw error;
  }
}
