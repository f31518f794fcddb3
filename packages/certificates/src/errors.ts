import { CatalogueError } from '@binnacle/base';

/** A certificate or key that cannot be made, read or used; the message names the file where there is one. */
export class CertificateError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('certificate', message, { cause });
  }
}
