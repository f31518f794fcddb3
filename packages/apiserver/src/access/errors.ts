import { CatalogueError } from '@binnacle/base';

/** A choice or file of authentication or authorization that cannot be honoured; the message names the field. */
export class AuthenticationConfigError extends CatalogueError {
  constructor(message: string) {
    super('authentication-config', message);
  }
}
