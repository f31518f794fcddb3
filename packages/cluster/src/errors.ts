import { CatalogueError, messageOf } from '@binnacle/base';

/** A cluster could not be put together as asked. */
export class ClusterError extends CatalogueError {}

const REASONS: { readonly [code: string]: string } = {
  EADDRINUSE: 'the address is in use',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'permission denied',
};

/** The socket of the API server could not be opened. */
export function cannotListen(address: string, cause: unknown): ClusterError {
  const reason = REASONS[(cause as { readonly code?: string }).code ?? ''] ?? messageOf(cause);
  return new ClusterError('cannot-listen', `cannot listen on ${address}: ${reason}`, { facts: { address }, cause });
}
