import { readFile, statfs } from 'node:fs/promises';
import type { NodePressure } from '../ports.ts';
import { numberIn } from './number-in.ts';

/** Hard thresholds as upstream sets them: memory.available, nodefs.available, nodefs.inodesFree. */
const RESERVED_MEMORY_BYTES = 100 * 2 ** 20;
const RESERVED_DISK_PART = 0.1;
const RESERVED_INODES_PART = 0.05;

/** What is left of a machine, from /proc and the file system of the pods. What cannot be read is unknown. */
export async function measurePressure(rootDirectory: string, proc = '/proc'): Promise<NodePressure> {
  const [memory, disk, pid] = await Promise.all([
    measured(async () => (await availableMemory(proc)) < RESERVED_MEMORY_BYTES),
    measured(() => diskIsShort(rootDirectory)),
    measured(() => pidsAreShort(proc)),
  ]);
  return { memory, disk, pid };
}

async function measured(look: () => Promise<boolean>): Promise<boolean | 'unknown'> {
  try {
    return await look();
  } catch {
    return 'unknown';
  }
}

async function availableMemory(proc: string): Promise<number> {
  return numberIn(/^MemAvailable:\s+(\d+) kB$/m, await readFile(`${proc}/meminfo`, 'utf8')) * 1024;
}

async function diskIsShort(path: string): Promise<boolean> {
  const { blocks, bavail, files, ffree } = await statfs(path);
  return bavail < blocks * RESERVED_DISK_PART || (files > 0 && ffree < files * RESERVED_INODES_PART);
}

/** No threshold is set by upstream: only a table without a free place presses. */
async function pidsAreShort(proc: string): Promise<boolean> {
  const max = numberIn(/^(\d+)/, await readFile(`${proc}/sys/kernel/pid_max`, 'utf8'));
  return numberIn(/\/(\d+) /, await readFile(`${proc}/loadavg`, 'utf8')) >= max;
}
