import { CatalogueError, messageOf } from '@binnacle/base';

/** A stored value that none of the configured keys opens. */
export class TransformError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('transform', message, { cause });
  }
}

/** A key service gives no answer: what it sealed is as good as before, and can be read when it is back. */
export class KeyServiceAwayError extends TransformError {
  constructor(name: string, cause: unknown) {
    super(`failed to decrypt DEK, error: key service ${name} is away: ${messageOf(cause)}`, cause);
  }
}

/** An EncryptionConfiguration that cannot be followed; the message names the field. */
export class EncryptionConfigError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('encryption-config', message, { cause });
  }
}
