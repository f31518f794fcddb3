import { CatalogueError } from '@binnacle/base';

/** The other side broke the rules of its protocol; the connection is of no more use. */
export class StreamProtocolError extends CatalogueError {
  constructor(message: string, facts: { readonly [name: string]: unknown } = {}) {
    super('stream-protocol', message, { facts });
  }
}

/** The other side dropped one stream of many (RST_STREAM), or would not have it. */
export class StreamResetError extends CatalogueError {
  /** SPDY's status: 1 protocol error, 2 invalid stream, 3 refused, 5 cancelled, … */
  readonly status: number;

  constructor(status: number) {
    super('stream-reset', 'stream reset', { facts: { status } });
    this.status = status;
  }
}
