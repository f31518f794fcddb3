import { getHeapSpaceStatistics } from 'node:v8';
import { exposeCollector } from '../node/exposed-collector.ts';
import type { Collect } from '../node/exposed-collector.ts';

const CHECK_BYTES = 16 * 1024 * 1024;
let collect: Collect | undefined;

/** Collects all that nobody holds: in a turn of its own, as a WeakRef holds what it was made of until the end of one. */
export async function collectGarbage(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  collect ??= exposeCollector();
  // Twice: the first one's buffers are let go of in the background, at the latest when the second one begins.
  for (let times = 0; times < 2; times++) collect({ type: 'major', execution: 'sync', flavor: 'regular' });
}

/**
 * Bytes that outlived the young collections of `work` although nobody held them: each waits for a full collection. What is still
 * on its way when `work` ends is counted too.
 */
export async function bytesGrownOld(work: () => Promise<void>): Promise<number> {
  await collectGarbage();
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  collect ??= exposeCollector();
  // The first leaves all that it finds alive among the young, the second among the old.
  for (let times = 0; times < 3; times++) collect({ type: 'minor' });
  const grown = oldBytes();
  await collectGarbage();
  return grown - oldBytes();
}

function oldBytes(): number {
  const spaces = getHeapSpaceStatistics();
  return spaces.find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0;
}

/**
 * The most bytes of buffers that are held while `total` bytes pass, looked at every 16 MiB. `read` answers how many came;
 * none: it has ended. Throws RangeError where it ends before its time, or more comes.
 */
export async function peakOfBuffers(total: number, read: () => Promise<number>): Promise<number> {
  let [received, peak, checkAt] = [0, 0, 0];
  while (received < total) {
    const count = await read();
    received += count;
    if (count === 0 || received > total) throw new RangeError(`${received} bytes came instead of ${total}`);
    if (received < checkAt) continue;
    checkAt += CHECK_BYTES;
    await collectGarbage();
    peak = Math.max(peak, process.memoryUsage().arrayBuffers);
  }
  return peak;
}
