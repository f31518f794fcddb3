import { CatalogueError } from '@binnacle/base';

/** A test's world could not be made, or what a test waited for did not come. */
export class TestkitError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('testkit', message, { cause });
  }
}
