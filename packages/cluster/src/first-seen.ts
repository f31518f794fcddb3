import { sleep } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import type { ResourceClient } from '@binnacle/client';
import { StatusError } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';

/** What is waited for among the objects of a resource. */
export interface Sought<T extends KubeObject, R> {
  readonly fieldSelector?: string;
  /** Undefined: it is not this one, or not yet. Asked of what is there and of each change, again after a gap; must not throw. */
  readonly find: (object: T) => R | undefined;
}

/** Between a watch that ended and the next. */
const RETRY_MS = 500;

/**
 * The first thing that `find` answers. Servers close watches now and then, and connections break: the next watch begins with what is
 * there. Throws the StatusError of a server that will not let us look, and the signal's reason.
 */
export async function firstSeen<T extends KubeObject, R>(
  source: ResourceClient<T>,
  sought: Sought<T, R>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<R> {
  for (;;) {
    const found = await seenByOneWatch(source, sought, signal);
    if (found !== undefined) return found;
    // A watch that broke is not opened again at once.
    await sleep(clock, RETRY_MS, signal);
  }
}

/** Undefined: the watch ended before. */
function seenByOneWatch<T extends KubeObject, R>(
  source: ResourceClient<T>,
  { fieldSelector, find }: Sought<T, R>,
  signal: AbortSignal,
): Promise<R | undefined> {
  return new Promise((resolve, reject) => {
    const abandon = (): void => settle(() => reject(signal.reason as Error));
    // What comes second does not count: a watch that is stopped ends as well.
    const settle = (act: () => void): void => {
      act();
      signal.removeEventListener('abort', abandon);
      handle.stop();
    };
    const handle = source.watch(
      { resourceVersion: '0', ...(fieldSelector === undefined ? {} : { fieldSelector }) },
      {
        events(batch) {
          for (const { type, object } of batch) {
            const found = type === 'ADDED' || type === 'MODIFIED' ? find(object) : undefined;
            if (found !== undefined) return settle(() => resolve(found));
          }
          return undefined;
        },
        end: (error) => settle(() => (isFinal(error) ? reject(error) : resolve(undefined))),
      },
    );
    signal.addEventListener('abort', abandon, { once: true });
    if (signal.aborted) abandon();
  });
}

/** A refusal that asking again does not change; not one of a server that is busy, starts or has forgotten the version. */
function isFinal(error: Error | undefined): error is StatusError {
  return error instanceof StatusError && error.httpCode < 500 && error.httpCode !== 429 && error.httpCode !== 410;
}
