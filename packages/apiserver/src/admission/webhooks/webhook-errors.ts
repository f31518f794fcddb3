import { CatalogueError } from '@binnacle/base';

/** A webhook could not be asked, or did not answer as it should: `failed calling webhook "x": …`. */
export class WebhookCallError extends CatalogueError {
  constructor(hook: string, why: string, cause?: unknown) {
    super('webhook-call', `failed calling webhook ${JSON.stringify(hook)}: ${why}`, { cause });
  }
}
