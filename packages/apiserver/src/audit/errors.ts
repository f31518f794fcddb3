import { CatalogueError } from '@binnacle/base';

/** An audit policy that cannot be honoured; the message names the field. */
export class AuditPolicyError extends CatalogueError {
  constructor(message: string) {
    super('audit-policy', message);
  }
}

/** Events did not reach the place where they are kept. */
export class AuditSinkError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('audit-sink', message, { cause });
  }
}
