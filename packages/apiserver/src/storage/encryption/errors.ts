import { CatalogueError } from '@binnacle/base';

/** A stored value that none of the configured keys opens. */
export class TransformError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('transform', message, { cause });
  }
}

/** An EncryptionConfiguration that cannot be followed; the message names the field. */
export class EncryptionConfigError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('encryption-config', message, { cause });
  }
}
