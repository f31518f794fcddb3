import { type FileHandle, readdir } from 'node:fs/promises';
import { orAbsent } from './absent.ts';
import { heldPath, holdChild, mountOf } from './descent.ts';

const DEPTH_MAX = 256;
const BLOCK_BYTES = 512;

interface Count {
  readonly mount: string;
  readonly enough: number;
  /** Files of several names count once. */
  readonly seen: Set<string>;
  bytes: number;
}

/** Bytes that a held tree takes on its disk. Ends as soon as there are more than `enough`; what is too deep is passed over. */
export async function treeUsage(held: FileHandle, enough: number): Promise<number> {
  const count: Count = { mount: await mountOf(held), enough, seen: new Set(), bytes: 0 };
  await countFolder(count, held, 0);
  return count.bytes;
}

async function countFolder(count: Count, folder: FileHandle, depth: number): Promise<void> {
  for (const name of await readdir(heldPath(folder))) {
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
  const { nlink, ino, blocks, ...found } = await child.stat();
  const isFolder = (found.mode & 0o170000) === 0o040000;
  if (isFolder && (await mountOf(child)) !== count.mount) return;
  if (!isFolder && nlink > 1) {
    if (count.seen.has(String(ino))) return;
    count.seen.add(String(ino));
  }
  count.bytes += blocks * BLOCK_BYTES;
  if (isFolder && depth < DEPTH_MAX) await countFolder(count, child, depth + 1);
}
