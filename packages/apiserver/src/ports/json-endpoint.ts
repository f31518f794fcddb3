import type { HttpTrust } from '@binnacle/base';

/** Somebody over HTTPS who is sent JSON and answers it: what a kubeconfig of a webhook says. */
export interface JsonEndpoint {
  readonly url: string;
  readonly trust?: HttpTrust;
  /** Bearer token. */
  readonly token?: string;
}
