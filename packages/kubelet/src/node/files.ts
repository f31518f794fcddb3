import { constants, watch } from 'node:fs';
import { type FileHandle, chmod, lstat, mkdir, open, readdir, readlink, rename, stat, symlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { GrowingBytes } from '@binnacle/base';
import { PathError } from '../errors.ts';
import { NO_FILES } from '../figures.ts';
import type { FileAccess, HeldFile, HostFiles, PathKind } from '../ports.ts';
import { codeOf, orAbsent } from './absent.ts';
import { descend, heldPath, hold } from './descent.ts';
import { deviceAt } from './devices.ts';
import { bindBelow, mountHugePages, mountTmpfs, unmountFrom } from './mounts.ts';
import { changeGroup, differsInGroup, removeTree } from './tree.ts';
import { treeCount, treeUsage } from './usage.ts';

/** What makes a machine's files. */
export interface HostFilesOptions {
  /**
   * Folders that are the kubelet's own but in which containers may have got their hands (a log collector with
   * /var/log): below them no link is ever followed.
   */
  readonly roots?: readonly string[];
}

/** The machine's own files. Mounts need root and the `mount` program. */
export function createHostFiles(options: HostFilesOptions = {}): HostFiles {
  const ways = new Ways(options.roots ?? []);
  let serial = 0;
  const beside = (path: string): string => `${path}.${process.pid}-${serial++}.tmp`;
  return {
    makeDirectory: (path, mode = 0o755) => ways.makeDirectory(path, mode),
    async writeFile(path, content, access = {}) {
      await ways.atMade(path, async (way) => {
        const fresh = beside(way);
        await writeNew(fresh, content, access);
        await rename(fresh, way);
      });
    },
    makeFile: (path) => ways.atMade(path, makeNew),
    readFile: (path) => ways.read(path, (file) => file.readFile()),
    readRange: (path, offset, length) => ways.read(path, (file) => readRange(file, offset, length)),
    hold: (path) => ways.hold(path),
    size: async (path) => (await ways.read(path, async (file) => (await file.stat()).size)) ?? -1,
    remove: (path) => ways.remove(path),
    rename: (from, to) => ways.at(from, (old) => ways.at(to, (fresh) => rename(old, fresh))),
    list: async (path) => (await orAbsent(ways.list(path))) ?? [],
    link: (target, path) =>
      ways.at(path, async (way) => {
        const fresh = beside(way);
        await symlink(target, fresh);
        await rename(fresh, way);
      }),
    readLink: (path) =>
      orAbsent(ways.at(path, async (way) => ((await lstat(way)).isSymbolicLink() ? await readlink(way) : undefined))),
    kind: async (path) => kindOf(await orAbsent(ways.at(path, (way, own) => (own ? lstat(way) : stat(way))))),
    identity: async (path) => identityOf(await orAbsent(ways.at(path, (way) => lstat(way)))),
    device: (path) => deviceAt(path),
    changeGroup: (path, group) =>
      ways.inside(path, async (held) => {
        if (group.onMismatch !== true || (await differsInGroup(held, group))) await changeGroup(held, group);
      }),
    usage: async (path, enough, unit) =>
      (await orAbsent(ways.inside(path, (held) => treeUsage(held, enough, unit)))) ?? 0,
    count: async (path) => (await orAbsent(ways.inside(path, treeCount))) ?? NO_FILES,
    mountTmpfs,
    mountHugePages,
    bindBelow,
    readBelow: (of) => orAbsent(readBelow(of)),
    unmount: unmountFrom,
    watch: watchPath,
  };
}

/** How paths are gone: below a root of ours held step by step, elsewhere as they are. */
class Ways {
  readonly #roots: readonly string[];

  constructor(roots: readonly string[]) {
    // Descriptors are reached through /proc, which only Linux has.
    this.#roots = process.platform === 'linux' ? roots : [];
  }

  /** Acts on a path by a way whose folders cannot be exchanged meanwhile. `own`: below a root. */
  async at<T>(path: string, act: (way: string, own: boolean) => Promise<T>): Promise<T> {
    const root = this.#rootOf(path);
    if (root === undefined) return act(path, false);
    const parent = await descend(root, dirname(path).slice(root.length), { links: 'refused' });
    try {
      return await act(`${heldPath(parent)}/${nameOf(path)}`, true);
    } finally {
      await parent.close();
    }
  }

  /** Likewise, its folder made where it is missing: one way there, not two. */
  async atMade(path: string, act: (way: string) => Promise<void>): Promise<void> {
    const root = this.#rootOf(path);
    if (root === undefined) {
      await this.makeDirectory(dirname(path), 0o755);
      return act(path);
    }
    await mkdir(root, { recursive: true });
    const parent = await descend(root, dirname(path).slice(root.length), { links: 'refused', make: 0o755 });
    try {
      await act(`${heldPath(parent)}/${nameOf(path)}`);
    } finally {
      await parent.close();
    }
  }

  /** Acts on what a path names, held. */
  async inside<T>(path: string, act: (held: FileHandle) => Promise<T>): Promise<T> {
    const root = this.#rootOf(path);
    const held =
      root === undefined ? await hold(path) : await descend(root, path.slice(root.length), { links: 'refused' });
    try {
      return await act(held);
    } finally {
      await held.close();
    }
  }

  async hold(path: string): Promise<HeldFile | undefined> {
    const file = await this.#openedOrAbsent(path);
    if (file === undefined) return undefined;
    const { ino, dev } = await file.stat();
    return {
      read: (offset, length) => readRange(file, offset, length),
      isCurrent: async () => {
        const now = await orAbsent(this.at(path, (way) => lstat(way)));
        return now?.ino === ino && now.dev === dev;
      },
      size: async () => (await file.stat()).size,
      close: () => file.close(),
    };
  }

  #openedOrAbsent(path: string): Promise<FileHandle | undefined> {
    return orAbsent(this.#rootOf(path) === undefined ? openFile(path, path) : this.#openOwn(path));
  }

  /** Reads a file and nothing else: a pipe would keep us waiting, a device would act. Undefined when absent. */
  async read<T>(path: string, act: (file: FileHandle) => Promise<T>): Promise<T | undefined> {
    const file = await this.#openedOrAbsent(path);
    if (file === undefined) return undefined;
    try {
      return await act(file);
    } finally {
      await file.close();
    }
  }

  /** Looked at before it is opened. */
  #openOwn(path: string): Promise<FileHandle> {
    return this.inside(path, async (held) => {
      if (!(await held.stat()).isFile()) throw new PathError(path, 'is not a file');
      return openFile(heldPath(held), path);
    });
  }

  async list(path: string): Promise<readonly string[]> {
    return this.#rootOf(path) === undefined ? readdir(path) : this.inside(path, (held) => readdir(heldPath(held)));
  }

  async makeDirectory(path: string, mode: number): Promise<void> {
    const root = this.#rootOf(path);
    if (root === undefined) {
      const made = await mkdir(path, { recursive: true });
      if (made !== undefined) await chmod(path, mode);
      return;
    }
    await mkdir(root, { recursive: true });
    const held = await descend(root, path.slice(root.length), { links: 'refused', make: mode });
    await held.close();
  }

  async remove(path: string): Promise<void> {
    const name = nameOf(path);
    await orAbsent(this.inside(dirname(path), (parent) => removeTree(parent, name)));
  }

  #rootOf(path: string): string | undefined {
    return this.#roots.find((root) => path.startsWith(`${root}/`));
  }
}

/** Of what is acted on. Throws PathError for a path that names the folder, or the one above. */
function nameOf(path: string): string {
  const name = basename(path);
  if (name === '' || name === '.' || name === '..') throw new PathError(path, 'names nothing');
  return name;
}

async function readBelow(of: {
  readonly volume: string;
  readonly path: string;
  readonly bytesMax: number;
}): Promise<Uint8Array> {
  const held = await descend(of.volume, of.path, { links: 'inside' });
  try {
    if (!(await held.stat()).isFile()) throw new PathError(of.path, 'is not a file');
    const file = await openFile(heldPath(held), of.path);
    try {
      const read = await readRange(file, 0, of.bytesMax + 1);
      if (read.length > of.bytesMax) throw new PathError(of.path, `has more than ${of.bytesMax} bytes`);
      return read;
    } finally {
      await file.close();
    }
  } finally {
    await held.close();
  }
}

/** Never waits for a pipe's other end. Throws PathError for what is no file. */
async function openFile(way: string, path: string): Promise<FileHandle> {
  const file = await open(way, constants.O_RDONLY | constants.O_NONBLOCK);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new PathError(path, 'is not a file');
}

async function writeNew(path: string, content: Uint8Array, of: FileAccess): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    if (of.owner !== undefined) await file.chown(of.owner, -1);
    await file.chmod(of.mode ?? 0o644);
    // A rename may reach the disk before what the file has in it.
    if (of.outlastsPower === true) await file.datasync();
  } finally {
    await file.close();
  }
}

async function makeNew(path: string): Promise<void> {
  let file: FileHandle;
  try {
    file = await open(path, 'wx');
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    throw error;
  }
  try {
    await file.chmod(0o644);
  } finally {
    await file.close();
  }
}

/** So much is read at first of what may be much more: most files are small. */
const FIRST_READ_BYTES = 64 * 1024;

async function readRange(file: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const found = new GrowingBytes();
  let wanted = Math.min(length, FIRST_READ_BYTES);
  while (wanted > 0) {
    const buffer = new Uint8Array(wanted);
    const { bytesRead } = await file.read(buffer, 0, wanted, offset + found.length);
    found.add(buffer.subarray(0, bytesRead));
    if (bytesRead < wanted) break;
    wanted = Math.min(length - found.length, found.length);
  }
  return found.take();
}

function watchPath(path: string, changed: () => void): () => void {
  try {
    const watcher = watch(path, { persistent: false }, () => changed());
    watcher.on('error', () => changed());
    return () => watcher.close();
  } catch (error) {
    // What is not there cannot be watched; who waits for a file looks at times anyway.
    if (codeOf(error) !== 'ENOENT') throw error;
    return () => undefined;
  }
}

function identityOf(found: Awaited<ReturnType<typeof lstat>> | undefined): string | undefined {
  // A socket made anew may get the number of the one before it.
  return found === undefined ? undefined : `${found.dev}:${found.ino}:${found.ctimeMs}`;
}

function kindOf(found: Awaited<ReturnType<typeof stat>> | undefined): PathKind {
  if (found === undefined) return 'absent';
  if (found.isDirectory()) return 'directory';
  if (found.isSocket()) return 'socket';
  if (found.isCharacterDevice()) return 'charDevice';
  if (found.isBlockDevice()) return 'blockDevice';
  return 'file';
}
