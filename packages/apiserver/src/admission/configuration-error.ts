import { CatalogueError } from '@binnacle/base';

/** A choice or configuration of admission that cannot be honoured; the message names plugin and field. */
export class AdmissionConfigurationError extends CatalogueError {
  constructor(message: string) {
    super('AdmissionConfiguration', message);
  }
}
