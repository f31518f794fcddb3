import { CatalogueError } from '@binnacle/base';

/** A KubeProxyConfiguration is not as it should be; the message names the field. */
export class ProxyConfigError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('proxy-config', message, { cause });
  }
}

/** A pod that begins is gone already: nobody holds it back. */
export class PodGoneError extends CatalogueError {
  constructor(pod: string) {
    super('pod-gone', `pod ${pod} is gone`);
  }
}
