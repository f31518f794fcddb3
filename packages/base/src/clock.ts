/** A pending call of a clock. Cancelling twice, or after it ran, does nothing. */
export interface Timer {
  cancel(): void;
}

/** Time as a guest (law 3): whoever needs time is handed one of these. */
export interface Clock {
  /** Wall time, milliseconds since the epoch. May jump. */
  now(): number;
  /** Milliseconds that never go back; only differences mean something. */
  monotonic(): number;
  /** Calls `run` once after `delayMs`. Does not keep the process alive when `background` is set. */
  after(delayMs: number, run: () => void, options?: { readonly background?: boolean }): Timer;
  /** Calls `run` in a later turn of the event loop, after pending I/O had its chance. */
  soon(run: () => void): Timer;
}

/** Resolves after `delayMs`, or rejects with the signal's reason when it aborts first. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const onAbort = (): void => {
      timer.cancel();
      reject(signal?.reason as Error);
    };
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * How long to wait until `monotonic()` is at least `atMs`, in whole milliseconds. With a fraction, a timer may ring a hair
 * before its moment by rounding, and who then sets it anew for what is left would do so for ever: that hair moves no clock.
 */
export function delayUntil(clock: Clock, atMs: number): number {
  return Math.max(0, Math.ceil(atMs - clock.monotonic()));
}

/** RFC 3339 with seconds, as `metav1.Time` travels. */
export function formatTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/** `formatTime` for one who writes the time that is, again and again: it is made once a second. */
export function createTimeFormatter(): (epochMs: number) => string {
  let second = Number.NaN;
  let text = '';
  return (epochMs) => {
    const now = Math.floor(epochMs / 1000);
    if (now !== second) text = formatTime(epochMs);
    second = now;
    return text;
  };
}

/** RFC 3339 with six decimals, as `metav1.MicroTime` travels. */
export function formatMicroTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 23)}000Z`;
}
