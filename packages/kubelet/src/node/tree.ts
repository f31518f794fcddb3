/** Work on whole trees in which others make links, mounts and what they like: by descriptor, never through either. */
import { type FileHandle, chmod, chown, lchown, rename, rmdir, unlink } from 'node:fs/promises';
import { PathError } from '../errors.ts';
import { codeOf, orAbsent } from './absent.ts';
import { heldPath, holdChild, mountOf, namesIn } from './descent.ts';

/** Every level holds a descriptor. */
const DEPTH_MAX = 256;

/** Removes `name` in a held folder with all that is in it; what is mounted there stays, with the folders above it. */
export async function removeTree(parent: FileHandle, name: string): Promise<void> {
  const held = await orAbsent(holdChild(parent, name));
  if (held === undefined) return;
  try {
    if (!(await held.stat()).isDirectory()) return await removeFile(parent, name);
    const mount = await mountOf(held);
    if (mount !== (await mountOf(parent))) return undefined;
    const removal: Removal = { top: held, mount, moved: 0 };
    for (let moved = -1; moved !== removal.moved;) {
      ({ moved } = removal);
      await removeContent(removal, held, 1);
    }
  } finally {
    await held.close();
  }
  return removeFolder(parent, name);
}

/** Where a removal stands. */
interface Removal {
  /** Deep folders are moved up into it, so that depth costs no descriptors; then it is gone through again. */
  readonly top: FileHandle;
  readonly mount: string;
  moved: number;
}

async function removeContent(removal: Removal, folder: FileHandle, depth: number): Promise<void> {
  for await (const name of namesIn(folder)) await removeEntry(removal, { parent: folder, name, depth });
}

async function removeEntry(
  removal: Removal,
  of: { readonly parent: FileHandle; readonly name: string; readonly depth: number },
): Promise<void> {
  const { parent, name, depth } = of;
  const held = await orAbsent(holdChild(parent, name));
  if (held === undefined) return;
  try {
    if (!(await held.stat()).isDirectory()) return await removeFile(parent, name);
    if ((await mountOf(held)) !== removal.mount) return undefined;
    if (depth >= DEPTH_MAX) {
      const moved = `.removed-${process.pid}-${removal.moved++}`;
      return await rename(`${heldPath(parent)}/${name}`, `${heldPath(removal.top)}/${moved}`);
    }
    await removeContent(removal, held, depth + 1);
  } finally {
    await held.close();
  }
  return removeFolder(parent, name);
}

/** A mount point of ours cannot be removed (EBUSY) and stays. */
async function removeFile(parent: FileHandle, name: string): Promise<void> {
  try {
    await orAbsent(unlink(`${heldPath(parent)}/${name}`));
  } catch (error) {
    if (codeOf(error) !== 'EBUSY') throw error;
  }
}

async function removeFolder(parent: FileHandle, name: string): Promise<void> {
  try {
    await orAbsent(rmdir(`${heldPath(parent)}/${name}`));
  } catch (error) {
    if (!['ENOTEMPTY', 'EBUSY', 'EEXIST'].includes(codeOf(error))) throw error;
  }
}

const FILE_READ_WRITE = 0o660;
const FILE_READ = 0o440;
const FOLDER = 0o2110;

/** Whom a tree shall belong to. */
export interface TreeGroup {
  readonly gid: number;
  /** The group may read and not write. */
  readonly readOnly: boolean;
}

/** Whether the held folder itself differs from what `changeGroup` would make of it. */
export async function differsInGroup(held: FileHandle, group: TreeGroup): Promise<boolean> {
  const { gid, mode } = await held.stat();
  const wanted = FOLDER | (group.readOnly ? FILE_READ : FILE_READ_WRITE);
  return gid !== group.gid || (mode & wanted) !== wanted;
}

/** Gives a held tree to a group: links themselves and never what they name, nothing of what is mounted in it. */
export async function changeGroup(held: FileHandle, group: TreeGroup): Promise<void> {
  await changeGroupFrom(held, { group, mount: await mountOf(held), depth: 0 });
}

async function changeGroupFrom(
  held: FileHandle,
  of: { readonly group: TreeGroup; readonly mount: string; readonly depth: number },
): Promise<void> {
  const { group, mount, depth } = of;
  const found = await held.stat();
  const access = group.readOnly ? FILE_READ : FILE_READ_WRITE;
  await chown(heldPath(held), found.uid, group.gid);
  // After the owner: chown(2) takes setuid and setgid away.
  await chmod(heldPath(held), (found.mode & 0o7777) | access | (found.isDirectory() ? FOLDER : 0));
  if (!found.isDirectory()) return;
  if (depth >= DEPTH_MAX) throw new PathError(heldPath(held), `more than ${DEPTH_MAX} folders deep`);
  for await (const name of namesIn(held)) {
    const child = await orAbsent(holdChild(held, name));
    if (child === undefined) continue;
    try {
      if ((await child.stat()).isSymbolicLink()) await ownLink(held, name, group.gid);
      else if ((await mountOf(child)) === mount) await changeGroupFrom(child, { group, mount, depth: depth + 1 });
    } finally {
      await child.close();
    }
  }
}

async function ownLink(parent: FileHandle, name: string, gid: number): Promise<void> {
  await orAbsent(lchown(`${heldPath(parent)}/${name}`, -1, gid));
}
