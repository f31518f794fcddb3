import { execFile } from 'node:child_process';
import { type FileHandle, lstat, mkdir, open, rmdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { orAbsent } from './absent.ts';
import { descend, hold } from './descent.ts';
import { mountsFrom } from './mount-table.ts';

const run = promisify(execFile);

/** A tmpfs at an existing folder, of at most `sizeBytes` (0: the kernel's default). False: it was mounted already. */
export async function mountTmpfs(path: string, sizeBytes: number): Promise<boolean> {
  if ((await mountsFrom(path)).includes(path)) return false;
  const size = sizeBytes > 0 ? ['-o', `size=${sizeBytes}`] : [];
  await run('mount', ['-t', 'tmpfs', ...size, 'tmpfs', path]);
  return true;
}

/** Memory in pages of a size at an existing folder, of all that the node has. False: it was mounted already. */
export async function mountHugePages(path: string, pageSizeBytes: number): Promise<boolean> {
  if ((await mountsFrom(path)).includes(path)) return false;
  await run('mount', ['-t', 'hugetlbfs', '-o', `pagesize=${pageSizeBytes},mode=0777`, 'nodev', path]);
  return true;
}

/** Ends the mounts at a path and everywhere below it; none is fine. Who still uses one keeps it until then. */
export async function unmountFrom(path: string): Promise<void> {
  for (const point of await mountsFrom(path)) await run('umount', ['--lazy', '--no-canonicalize', point]);
}

/**
 * Binds what lies at `path` in a volume onto `target`, which is made as a folder or file to fit. Links are followed
 * inside the volume only; what is missing is made as folders with the volume's mode. What is bound is the very thing
 * that was found, whatever its name leads to a moment later. What was bound there before gives way.
 */
export async function bindBelow(of: {
  readonly volume: string;
  readonly path: string;
  readonly target: string;
}): Promise<void> {
  const mode = await modeOf(of.volume);
  const held = await descend(of.volume, of.path, { links: 'inside', make: mode });
  try {
    await unmountFrom(of.target);
    await makeTarget(of.target, (await held.stat()).isDirectory());
    // Not canonicalised: mount(8) would turn the descriptor back into a path, which may be another thing by then.
    const source = `/proc/${process.pid}/fd/${held.fd}`;
    await run('mount', ['--no-canonicalize', '--bind', source, of.target]);
  } finally {
    await held.close();
  }
}

async function modeOf(path: string): Promise<number> {
  const held: FileHandle = await hold(path);
  try {
    return (await held.stat()).mode & 0o2777;
  } finally {
    await held.close();
  }
}

async function makeTarget(target: string, directory: boolean): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o750 });
  const there = (await orAbsent(lstat(target)))?.isDirectory();
  if (there === directory) return;
  if (there !== undefined) await (there ? rmdir(target) : unlink(target));
  if (directory) await mkdir(target, { mode: 0o750 });
  else await (await open(target, 'wx', 0o640)).close();
}
