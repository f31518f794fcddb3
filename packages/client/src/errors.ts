import { CatalogueError } from '@binnacle/base';

/** Where a call got lost: before, on, or after the way. */
export type TransportFault = 'connect' | 'cut' | 'timeout' | 'protocol' | 'closed' | 'kubeconfig';

/** The call or its answer never arrived: nobody knows whether the server did it. */
export class TransportError extends CatalogueError {
  readonly fault: TransportFault;

  constructor(
    fault: TransportFault,
    message: string,
    options: { facts?: { readonly [name: string]: unknown }; cause?: unknown } = {},
  ) {
    super(`transport-${fault}`, message, options);
    this.fault = fault;
  }
}

/** Whether the wire failed, as opposed to the server refusing (StatusError). */
export function isTransportError(error: unknown): error is TransportError {
  return error instanceof TransportError;
}
