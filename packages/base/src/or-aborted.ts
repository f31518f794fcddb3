/**
 * What `awaited` comes to, or the reason of the signal where it aborts first. Others who wait for the same are left
 * waiting. Whoever hears of either finds nothing left at the signal.
 */
export function orAborted<T>(awaited: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    const leave = (): void => signal.removeEventListener('abort', abort);
    awaited.then(
      (value) => {
        leave();
        resolve(value);
      },
      (error: unknown) => {
        leave();
        reject(error as Error);
      },
    );
  });
}
