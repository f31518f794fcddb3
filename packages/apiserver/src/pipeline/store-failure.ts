import { status } from '@binnacle/machinery';
import type { StatusError } from '@binnacle/machinery';
import { KeyServiceAwayError } from '../storage/encryption/errors.ts';
import { RequestTooLargeError, StoreClosedError, StoreFullError, StoreTimeoutError } from '@binnacle/store';

/** Upstream's words to whoever comes too late. */
const ENDING = 'The apiserver is shutting down, please try again later.';

/** Who asks at a server's end, or when its start was given up. */
export const isOfClosedStore = (error: unknown): boolean => error instanceof StoreClosedError;

/**
 * What the store refuses, as upstream tells it of etcd: no room is 500 with etcd's own words, no answer in time 504, too
 * large a transaction 413; a key service that is away is no fault of what is stored; a store that was closed is that of a
 * server at its end, 503. Undefined for everything else.
 */
export function storeFailure(error: unknown): StatusError | undefined {
  if (error instanceof StoreFullError) return status.internalFailure('etcdserver: mvcc: database space exceeded');
  if (error instanceof RequestTooLargeError) return status.requestEntityTooLarge(error.message);
  if (error instanceof StoreTimeoutError) {
    return status.timeout('request did not complete within requested timeout - context deadline exceeded', 0);
  }
  if (isOfClosedStore(error)) return status.serviceUnavailable(ENDING);
  if (error instanceof KeyServiceAwayError) return status.internalError(error.message);
  return undefined;
}
