import { execFile } from 'node:child_process';
import { watch } from 'node:fs';
import {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rmdir,
  symlink,
  unlink,
  writeFile,
  chown,
  stat,
} from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { HostFiles, PathKind } from '../ports.ts';

const run = promisify(execFile);

/** The machine's own files. Mounts need root and the `mount` program. */
export function createHostFiles(): HostFiles {
  let serial = 0;
  return {
    async makeDirectory(path, mode = 0o755) {
      const made = await mkdir(path, { recursive: true });
      if (made !== undefined) await chmod(path, mode);
    },
    async writeFile(path, content, mode = 0o644) {
      const beside = `${path}.${process.pid}-${serial++}.tmp`;
      await mkdir(dirname(path), { recursive: true });
      await writeFile(beside, content);
      await chmod(beside, mode);
      await rename(beside, path);
    },
    readFile: (path) => orAbsent(readFile(path)),
    readRange,
    size: async (path) => (await orAbsent(stat(path)))?.size ?? -1,
    remove: (path) => removeTree(path),
    rename: (from, to) => rename(from, to),
    list: async (path) => (await orAbsent(readdir(path))) ?? [],
    async link(target, path) {
      const beside = `${path}.${process.pid}-${serial++}.tmp`;
      await symlink(target, beside);
      await rename(beside, path);
    },
    readLink: async (path) => {
      const found = await orAbsent(lstat(path));
      return found?.isSymbolicLink() === true ? readlink(path) : undefined;
    },
    kind: async (path) => kindOf(await orAbsent(stat(path))),
    changeGroup,
    async mountTmpfs(path, sizeBytes) {
      if (await isMountPoint(path)) return;
      const size = sizeBytes > 0 ? [`-o`, `size=${sizeBytes}`] : [];
      await run('mount', ['-t', 'tmpfs', ...size, 'tmpfs', path]);
    },
    async unmount(path) {
      if (await isMountPoint(path)) await run('umount', ['-l', path]);
    },
    watch: watchPath,
  };
}

async function readRange(path: string, offset: number, length: number): Promise<Uint8Array | undefined> {
  const file = await orAbsent(open(path, 'r'));
  if (file === undefined) return undefined;
  try {
    const buffer = new Uint8Array(length);
    const { bytesRead } = await file.read(buffer, 0, length, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Everything below, but never what is mounted there: a volume in use keeps its content. */
async function removeTree(path: string): Promise<void> {
  const found = await orAbsent(lstat(path));
  if (found === undefined) return;
  if (!found.isDirectory()) {
    await orAbsent(unlink(path));
    return;
  }
  const parent = await lstat(dirname(path));
  if (parent.dev !== found.dev) return;
  for (const name of (await orAbsent(readdir(path))) ?? []) await removeTree(`${path}/${name}`);
  // A mount that is kept keeps its folders.
  const left = await orAbsent(readdir(path));
  if (left?.length === 0) await orAbsent(rmdir(path));
}

async function changeGroup(path: string, gid: number): Promise<void> {
  const found = await lstat(path);
  if (found.isSymbolicLink()) return;
  await chown(path, found.uid, gid);
  const isDirectory = found.isDirectory();
  await chmod(path, (found.mode & 0o7777) | (isDirectory ? 0o2770 : 0o660));
  if (!isDirectory) return;
  for (const name of await readdir(path)) await changeGroup(`${path}/${name}`, gid);
}

/** A mount point lies on another device than its parent, or is its own parent. */
async function isMountPoint(path: string): Promise<boolean> {
  const found = await orAbsent(lstat(path));
  if (found === undefined || !found.isDirectory()) return false;
  return (await lstat(dirname(path))).dev !== found.dev;
}

function watchPath(path: string, changed: () => void): () => void {
  try {
    const watcher = watch(path, { persistent: false }, () => changed());
    watcher.on('error', () => changed());
    return () => watcher.close();
  } catch (error) {
    // What is not there cannot be watched; who waits for a file looks at times anyway.
    if ((error as { readonly code?: string }).code !== 'ENOENT') throw error;
    return () => undefined;
  }
}

function kindOf(found: Awaited<ReturnType<typeof stat>> | undefined): PathKind {
  if (found === undefined) return 'absent';
  if (found.isDirectory()) return 'directory';
  if (found.isSocket()) return 'socket';
  if (found.isCharacterDevice()) return 'charDevice';
  if (found.isBlockDevice()) return 'blockDevice';
  return 'file';
}

async function orAbsent<T>(act: Promise<T>): Promise<T | undefined> {
  try {
    return await act;
  } catch (error) {
    const code = (error as { readonly code?: string }).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
