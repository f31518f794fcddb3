import { CatalogueError } from '@binnacle/base';

/** The certificates of the data directory cannot be made, read or trusted. */
export class CertificateError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('certificate', message, { cause });
  }
}
