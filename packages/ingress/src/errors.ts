import { CatalogueError } from '@binnacle/base';

/** A backend did not answer in its time. */
export class GatewayTimeoutError extends CatalogueError {
  constructor(stage: 'connect' | 'reply') {
    super('gateway-timeout', `the backend did not ${stage === 'connect' ? 'take the connection' : 'answer'} in time`);
  }
}

/** A backend's reply is none that can be passed on. */
export class BadReplyError extends CatalogueError {
  constructor(cause: unknown) {
    super('bad-reply', 'the reply of the backend cannot be passed on', { cause });
  }
}

/** A certificate comes with a key that is not its own. */
export class UnfitKeyError extends CatalogueError {
  constructor() {
    super('unfit-key', 'the private key does not match the public key of the certificate');
  }
}
