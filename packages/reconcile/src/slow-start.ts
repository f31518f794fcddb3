/**
 * Runs `count` calls in batches of 1, 2, 4, … and stops after a batch in which one failed, so that a quota or a
 * webhook that refuses everything is asked a few times instead of hundreds. Answers how many succeeded and the
 * first error.
 */
export async function runInSlowStartBatches(
  count: number,
  run: (index: number) => Promise<void>,
): Promise<{ readonly succeeded: number; readonly started: number; readonly error: unknown }> {
  let started = 0;
  let succeeded = 0;
  for (let size = 1; started < count; size *= 2) {
    const batch = Math.min(size, count - started);
    const first = started;
    started += batch;
    const results = await Promise.allSettled(Array.from({ length: batch }, (_, i) => run(first + i)));
    const failed = results.find((result) => result.status === 'rejected');
    succeeded += results.filter((result) => result.status === 'fulfilled').length;
    if (failed !== undefined) return { succeeded, started, error: failed.reason };
  }
  return { succeeded, started, error: undefined };
}
