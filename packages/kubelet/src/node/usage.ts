import type { FileHandle } from 'node:fs/promises';
import { orAbsent } from './absent.ts';
import { holdChild, mountOf, namesIn } from './descent.ts';

/** Every level holds two descriptors. */
const DEPTH_MAX = 256;
const BLOCK_BYTES = 512;

interface Count {
  readonly mount: string;
  readonly enough: number;
  bytes: number;
}

/**
 * Bytes that a held tree, or file, takes on its disk. Ends as soon as there are more than `enough`. What lies too deep cannot be
 * counted, so that such a tree has more than any limit: nobody hides bytes there.
 */
export async function treeUsage(held: FileHandle, enough: number): Promise<number> {
  const found = await held.stat();
  if (!found.isDirectory()) return found.blocks * BLOCK_BYTES;
  const count: Count = { mount: await mountOf(held), enough, bytes: 0 };
  await countFolder(count, held, 0);
  return Math.round(count.bytes);
}

async function countFolder(count: Count, folder: FileHandle, depth: number): Promise<void> {
  for await (const name of namesIn(folder)) {
    if (count.bytes > count.enough) return;
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
  count.bytes += (blocks * BLOCK_BYTES) / (isFolder ? 1 : Math.max(1, nlink));
  if (!isFolder) return;
  if (depth < DEPTH_MAX) await countFolder(count, child, depth + 1);
  else if (count.enough !== Infinity) count.bytes = Math.max(count.bytes, count.enough + 1);
}
