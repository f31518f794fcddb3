import { CatalogueError } from '@binnacle/base';
import { StatusError } from '@binnacle/machinery';

/** A webhook could not be asked, or did not answer as it should: `failed calling webhook "x": …`. */
export class WebhookCallError extends CatalogueError {
  constructor(hook: string, why: string, cause?: unknown) {
    super('webhook-call', `failed calling webhook ${JSON.stringify(hook)}: ${why}`, { cause });
  }
}

/** A webhook answered, and said no. */
export class WebhookRefusal extends StatusError {}
