import type { FileHandle } from 'node:fs/promises';
import { orAbsent } from './absent.ts';
import { holdChild, mountOf, namesIn } from './descent.ts';

/** Every level holds two descriptors. */
const DEPTH_MAX = 256;
const BLOCK_BYTES = 512;

interface Count {
  readonly mount: string;
  readonly enough: number;
  readonly unit: 'bytes' | 'inodes';
  sum: number;
}

/**
 * Bytes that a held tree, or file, takes on its disk, or how many inodes. Ends as soon as there are more than `enough`. What lies too deep cannot be
 * counted, so that such a tree has more than any limit: nobody hides bytes there.
 */
export async function treeUsage(held: FileHandle, enough: number, unit: 'bytes' | 'inodes' = 'bytes'): Promise<number> {
  const found = await held.stat();
  if (!found.isDirectory()) return unit === 'bytes' ? found.blocks * BLOCK_BYTES : 1;
  const count: Count = { mount: await mountOf(held), enough, unit, sum: unit === 'bytes' ? 0 : 1 };
  await countFolder(count, held, 0);
  return Math.round(count.sum);
}

async function countFolder(count: Count, folder: FileHandle, depth: number): Promise<void> {
  for await (const name of namesIn(folder)) {
    if (count.sum > count.enough) return;
    const child = await orAbsent(holdChild(folder, name));
    if (child === undefined) continue;
    try {
      await countOne(count, child, depth);
    } finally {
      await child.close();
    }
  }
}

async function countOne(count: Count, child: FileHandle, depth: number): Promise<void> {
  const { nlink, blocks, ...found } = await child.stat();
  const isFolder = (found.mode & 0o170000) === 0o040000;
  if (isFolder && (await mountOf(child)) !== count.mount) return;
  // A file of several names is counted by shares: to remember which were seen would take memory for each.
  count.sum += (count.unit === 'bytes' ? blocks * BLOCK_BYTES : 1) / (isFolder ? 1 : Math.max(1, nlink));
  if (!isFolder) return;
  if (depth < DEPTH_MAX) await countFolder(count, child, depth + 1);
  else if (count.enough !== Infinity) count.sum = Math.max(count.sum, count.enough + 1);
}
