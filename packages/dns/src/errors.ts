import { CatalogueError } from '@binnacle/base';

/** No name server answered, or none may be asked. */
export class UpstreamError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('dns-upstream', message, { cause });
  }
}

/** The configuration of the server cannot be read; the message names the key. */
export class DnsConfigError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('dns-config', message, { cause });
  }
}
