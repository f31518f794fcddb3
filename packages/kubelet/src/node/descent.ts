/**
 * Ways through folders in which others make links: component by component, each opened relative to the one before it
 * and never through a link, as openat(2) with O_NOFOLLOW does. What was looked at is held by a descriptor and acted on
 * through `/proc/self/fd`, so that nothing can be put in its place between the look and the act. Linux only.
 */
import { constants } from 'node:fs';
import { type FileHandle, chmod, mkdir, open, opendir, readFile, readlink, realpath } from 'node:fs/promises';
import { PathError } from '../errors.ts';
import { codeOf } from './absent.ts';

/** The descriptor names a place and opens nothing: devices and pipes stay untouched (open(2); Node has no name for it). */
const O_PATH = 0o10000000;
const LINKS_MAX = 40;
const PATH_MAX = 4096;

/** How to go: what links mean, and what is done about what is not there. */
export interface DescentRule {
  /** `refused`: a link is an error. `inside`: followed as long as they do not leave the folder. */
  readonly links: 'refused' | 'inside';
  /** Folders that are missing are made: the last with exactly this mode, those before it less the umask. */
  readonly make?: number;
}

/** Where a held file or folder can be acted on. */
export function heldPath(held: FileHandle): string {
  return `/proc/self/fd/${held.fd}`;
}

/** Holds a path, links followed: for folders that only root can change. Throws as open(2). */
export function hold(path: string): Promise<FileHandle> {
  return open(path, O_PATH);
}

/** Holds what a held folder has under that name, a link itself rather than what it names. Throws as openat(2). */
export function holdChild(parent: FileHandle, name: string): Promise<FileHandle> {
  return open(`${heldPath(parent)}/${name}`, O_PATH | constants.O_NOFOLLOW);
}

/** The mount that a held thing lies on; another number than its parent's: a mount point. */
export async function mountOf(held: FileHandle): Promise<string> {
  const text = await readFile(`/proc/self/fdinfo/${held.fd}`, 'utf8');
  return /^mnt_id:\s*(\d+)$/m.exec(text)?.[1] ?? '';
}

/** Together a page of the kernel's answer or less. */
const NAMES_AT_ONCE = 128;

/**
 * What a held folder has, some names at a time: a tenant's folder may have millions, and all of them in one list would
 * take the memory and the turn of everybody in this process. Names that are removed meanwhile may be missing.
 */
export async function* namesIn(folder: FileHandle): AsyncGenerator<string, void> {
  for await (const { name } of await opendir(heldPath(folder), { bufferSize: NAMES_AT_ONCE })) yield name;
}

interface Step {
  readonly name: string;
  /** It was not asked for but came out of a link: it is not made. */
  readonly linked: boolean;
}

/**
 * Holds what lies at `path` below `root`. The caller closes it. Throws PathError where the way leads out or over a link
 * that is refused, else as open(2): ENOENT, ENOTDIR.
 */
export async function descend(root: string, path: string, rule: DescentRule): Promise<FileHandle> {
  const descent = new Descent({ root, path, rule });
  try {
    return await descent.run();
  } finally {
    await descent.close();
  }
}

class Descent {
  readonly #of: { readonly root: string; readonly path: string; readonly rule: DescentRule };
  /** The folders from the root to where we are. `..` goes back in it, never up in the file system. */
  readonly #stack: FileHandle[] = [];
  /** What is to be gone yet, last first. */
  readonly #steps: Step[] = [];
  #links = 0;

  constructor(of: { readonly root: string; readonly path: string; readonly rule: DescentRule }) {
    this.#of = of;
  }

  async run(): Promise<FileHandle> {
    const { root, path } = this.#of;
    if (path.length > PATH_MAX) throw new PathError(path.slice(0, 64), 'File name too long');
    this.#stack.push(await hold(root));
    this.#push(path, false);
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) await this.#go(step);
    const reached = this.#stack.pop();
    if (reached === undefined) throw new PathError(path, 'is not within the volume');
    return reached;
  }

  async close(): Promise<void> {
    for (const held of this.#stack) await held.close();
    this.#stack.length = 0;
  }

  async #go(step: Step): Promise<void> {
    const here = this.#stack.at(-1);
    if (here === undefined) return;
    if (step.name === '..') {
      // Whoever makes a path of names meant to go down.
      if (this.#of.rule.links === 'refused') throw new PathError(this.#of.path, 'leads up');
      if (this.#stack.length === 1) throw new PathError(this.#of.path, `is not within ${this.#of.root}`);
      await this.#stack.pop()?.close();
      return;
    }
    const child = await this.#childOrMade(here, step);
    let kept = false;
    try {
      if ((await child.stat()).isSymbolicLink()) return await this.#follow(here, step.name);
      this.#stack.push(child);
      kept = true;
    } finally {
      if (!kept) await child.close();
    }
  }

  async #childOrMade(here: FileHandle, step: Step): Promise<FileHandle> {
    const { make } = this.#of.rule;
    try {
      return await holdChild(here, step.name);
    } catch (error) {
      if (make === undefined || step.linked || codeOf(error) !== 'ENOENT') throw error;
    }
    try {
      await mkdir(`${heldPath(here)}/${step.name}`, make & 0o777);
    } catch (error) {
      // Somebody else made it meanwhile: whatever it is now, it is looked at like any other.
      if (codeOf(error) === 'EEXIST') return holdChild(here, step.name);
      throw error;
    }
    const made = await holdChild(here, step.name);
    if (this.#steps.length === 0 && (await made.stat()).isDirectory()) await chmod(heldPath(made), make);
    return made;
  }

  async #follow(here: FileHandle, name: string): Promise<void> {
    const { root, path, rule } = this.#of;
    if (rule.links === 'refused') throw new PathError(path, `${name} is a symbolic link`);
    if (++this.#links > LINKS_MAX) throw new PathError(path, 'Too many levels of symbolic links');
    const target = await readlink(`${heldPath(here)}/${name}`);
    if (!target.startsWith('/')) return this.#push(target, true);
    // As seen from the node. Nearly always a container's view of its own file system, which leads nowhere here.
    const real = await realpath(root);
    if (target !== real && !target.startsWith(`${real}/`)) throw new PathError(path, `is not within ${root}`);
    while (this.#stack.length > 1) await this.#stack.pop()?.close();
    return this.#push(target.slice(real.length), true);
  }

  #push(path: string, linked: boolean): void {
    for (const name of path.split('/').toReversed()) {
      if (name !== '' && name !== '.') this.#steps.push({ name, linked });
    }
  }
}
