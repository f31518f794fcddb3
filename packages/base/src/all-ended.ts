/**
 * As `Promise.all`, but a failure is told once all have ended: what was begun beside it does nothing more behind its caller's
 * back. The first failure in the order of the tasks counts.
 */
export async function allEnded<T extends readonly unknown[]>(
  tasks: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(tasks);
  return Promise.all(tasks);
}
