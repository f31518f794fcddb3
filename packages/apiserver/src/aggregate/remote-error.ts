import { CatalogueError } from '@binnacle/base';

/** Another API server could not be asked, or did not answer as it has to. */
export class RemoteError extends CatalogueError {
  constructor(why: string, cause?: unknown) {
    super('remote-api-server', why, { cause });
  }
}
