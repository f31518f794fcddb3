import { CatalogueError } from '@binnacle/base';

/** No object begins with it. */
const MARK = 0;

/** A value that could not be restored to its plain form. */
export class UnrestoredValueError extends CatalogueError {
  constructor(why: string) {
    super('unrestored-value', why);
  }
}

/** What stands in the place of a value that cannot be restored: why. */
export function unrestored(why: string): Uint8Array {
  return new TextEncoder().encode(`\0${why}`);
}

/** Throws UnrestoredValueError for what stands in the place of a value. */
export function refuseUnrestored(value: Uint8Array): void {
  if (value[0] === MARK) throw new UnrestoredValueError(new TextDecoder().decode(value.subarray(1)));
}
