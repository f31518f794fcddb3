import type { FileHandle } from 'node:fs/promises';
import type { DiskCount } from '../figures.ts';
import { orAbsent } from './absent.ts';
import { holdChild, mountOf, namesIn } from './descent.ts';

/** Every level holds two descriptors. */
const DEPTH_MAX = 256;
const BLOCK_BYTES = 512;

type Unit = keyof DiskCount;

interface Count {
  readonly mount: string;
  /** Of the unit, to be found before the walk may end. */
  readonly enough: number;
  readonly unit: Unit;
  bytes: number;
  inodes: number;
}

/**
 * Bytes that a held tree, or file, takes on its disk, or how many inodes. Ends as soon as there are more than `enough`. What lies too deep cannot be
 * counted, so that such a tree has more than any limit: nobody hides bytes there.
 */
export async function treeUsage(held: FileHandle, enough: number, unit: Unit = 'bytes'): Promise<number> {
  return (await counted(held, { enough, unit }))[unit];
}

/** All of both, by one walk; what lies too deep is left out. */
export function treeCount(held: FileHandle): Promise<DiskCount> {
  return counted(held, { enough: Infinity, unit: 'bytes' });
}

async function counted(held: FileHandle, of: { readonly enough: number; readonly unit: Unit }): Promise<DiskCount> {
  const found = await held.stat();
  if (!found.isDirectory()) return { bytes: found.blocks * BLOCK_BYTES, inodes: 1 };
  const count: Count = { ...of, mount: await mountOf(held), bytes: 0, inodes: 1 };
  await countFolder(count, held, 0);
  return { bytes: Math.round(count.bytes), inodes: Math.round(count.inodes) };
}

async function countFolder(count: Count, folder: FileHandle, depth: number): Promise<void> {
  for await (const name of namesIn(folder)) {
    if (count[count.unit] > count.enough) return;
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
  const share = 1 / (isFolder ? 1 : Math.max(1, nlink));
  count.bytes += blocks * BLOCK_BYTES * share;
  count.inodes += share;
  if (!isFolder) return;
  if (depth < DEPTH_MAX) await countFolder(count, child, depth + 1);
  else if (count.enough !== Infinity) count[count.unit] = Math.max(count[count.unit], count.enough + 1);
}
