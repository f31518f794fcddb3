import type { ApiRequest } from './api-request.ts';

/** A signal of an answer that lasts: set off by its reader who has enough, and by the client's leaving. */
export interface Until {
  readonly signal: AbortSignal;
  /** Has it set off, and forgets the client. */
  cancel(): void;
}

/** One for the answer to this request; from the first moment, so that nobody is asked on behalf of one who has gone. */
export function untilCancelled(request: Pick<ApiRequest, 'signal' | 'gone'>): Until {
  const abort = new AbortController();
  const given = request.signal ?? request.gone?.();
  const cancel = (): void => {
    given?.removeEventListener('abort', cancel);
    abort.abort();
  };
  if (given?.aborted === true) abort.abort();
  given?.addEventListener('abort', cancel, { once: true });
  return { signal: abort.signal, cancel };
}
