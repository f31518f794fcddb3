import { CatalogueError } from '@binnacle/base';

/** A KubeProxyConfiguration is not as it should be; the message names the field. */
export class ProxyConfigError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('proxy-config', message, { cause });
  }
}
