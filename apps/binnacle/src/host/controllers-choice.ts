import { controllersIn, UnknownControllerError } from '@binnacle/controllers';
import { UsageError } from '../errors.ts';

/** A list that names a controller which there is not is told of before anything starts. Throws UsageError. */
export function refuseUnknownControllers(list: readonly string[] = []): void {
  try {
    controllersIn(list);
  } catch (error) {
    if (error instanceof UnknownControllerError) throw new UsageError(`--controllers: ${error.message}`);
    throw error;
  }
}
