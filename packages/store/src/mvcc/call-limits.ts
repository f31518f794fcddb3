import { RequestTooLargeError, StoreTimeoutError } from '../errors.ts';
import type { CallOptions, Operation, TxnRequest } from '../ports.ts';

/** etcd's `--max-request-bytes`. */
export const REQUEST_BYTES_MAX = 1.5 * 1024 * 1024;
/** What the frame of one operation and its numbers take in etcd's encoding, from above. */
const OPERATION_BYTES = 40;

/** The answer, or StoreTimeoutError when the caller's signal aborts first. */
export function withinSignal<T>(
  call: () => Promise<T>,
  options: CallOptions | undefined,
  outcomeUnknown: boolean,
): Promise<T> {
  const signal = options?.signal;
  if (signal === undefined) return call();
  if (signal.aborted) return Promise.reject(timedOut(signal, false));
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(timedOut(signal, outcomeUnknown));
    signal.addEventListener('abort', onAbort, { once: true });
    call()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

export function timedOut(signal: AbortSignal, outcomeUnknown: boolean): StoreTimeoutError {
  return new StoreTimeoutError('it did not answer in time', { outcomeUnknown, cause: signal.reason });
}

/** Throws RequestTooLargeError when etcd with the same limit would refuse the transaction for its size. */
export function assertRequestSize(request: TxnRequest, bytesMax: number): void {
  let bytes = 0;
  for (const compare of request.compare) {
    bytes += OPERATION_BYTES + compare.key.length + (compare.target === 'value' ? compare.value.byteLength : 0);
  }
  for (const op of request.success) bytes += sizeOf(op);
  for (const op of request.failure) bytes += sizeOf(op);
  if (bytes > bytesMax) throw new RequestTooLargeError({ bytes, bytesMax });
}

function sizeOf(op: Operation): number {
  return OPERATION_BYTES + op.key.length + (op.type === 'put' ? op.value.byteLength : (op.end?.length ?? 0));
}
