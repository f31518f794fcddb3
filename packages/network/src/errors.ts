import { CatalogueError } from '@binnacle/base';

/** The machine did not take rules, or a tool that they need is not there; the message says which. */
export class NetworkError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('network', message, { cause });
  }
}
