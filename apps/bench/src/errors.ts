import { CatalogueError } from '@binnacle/base';

/** A measurement could not be made. */
export class BenchError extends CatalogueError {
  constructor(message: string) {
    super('bench', message);
  }
}
