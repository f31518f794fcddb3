import { CatalogueError } from '@binnacle/base';

/** There was no seat for a request, and no place to wait for one. */
export class NoSeatError extends CatalogueError {
  /** When to come again. */
  readonly retryAfterSeconds: number;

  constructor(reason: string, retryAfterSeconds: number) {
    super('no-seat', 'Too many requests, please try again later.', { facts: { reason } });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
