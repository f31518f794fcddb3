import { CatalogueError } from '@binnacle/base';

/** An owner reference names a kind that the server does not serve (any more, or yet). */
export class UnknownKindError extends CatalogueError {
  constructor(apiVersion: string, kind: string) {
    super('unknown-kind', `no resource of kind ${kind} in ${apiVersion}`, { facts: { apiVersion, kind } });
  }
}
