import { status } from '@binnacle/machinery';
import type { StatusError } from '@binnacle/machinery';
import { KeyServiceAwayError } from '../storage/encryption/errors.ts';
import { RequestTooLargeError, StoreFullError, StoreTimeoutError } from '@binnacle/store';

/**
 * What the store refuses, as upstream tells it of etcd: no room is 500 with etcd's own words, no answer in time 504, too
 * large a transaction 413; a key service that is away is no fault of what is stored. Undefined for everything else.
 */
export function storeFailure(error: unknown): StatusError | undefined {
  if (error instanceof StoreFullError) return status.internalFailure('etcdserver: mvcc: database space exceeded');
  if (error instanceof RequestTooLargeError) return status.requestEntityTooLarge(error.message);
  if (error instanceof StoreTimeoutError) {
    return status.timeout('request did not complete within requested timeout - context deadline exceeded', 0);
  }
  if (error instanceof KeyServiceAwayError) return status.internalError(error.message);
  return undefined;
}
