/** How long to wait before each further try, in milliseconds. */
const PAUSES_MS: readonly number[] = [150, 600, 2400];

/**
 * Runs what reads, and runs it again where the way there broke (a TypeError, as `fetch` and `import` tell it): browsers drop
 * what waits for a connection whenever an address of their machine comes or goes, as with every container that starts.
 * Refusals and everything else are the caller's at once, and so is the error of the last try.
 */
export async function again<T>(
  run: () => Promise<T>,
  { signal, wait = sleep }: { readonly signal?: AbortSignal | undefined; readonly wait?: typeof sleep } = {},
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await run();
    } catch (error) {
      const pauseMs = PAUSES_MS[tries];
      if (!(error instanceof TypeError) || pauseMs === undefined || signal?.aborted === true) throw error;
      await wait(pauseMs);
    }
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
