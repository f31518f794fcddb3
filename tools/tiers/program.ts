/** `binnacle` as the package has it, for what tests start: a process of it is up in a third of the time that its sources take. */
import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { youngest } from '../release/youngest.ts';

/** So deep below the root that it finds the page of `dist`, as the sources do (apps/binnacle/src/host/dashboard.ts). */
const FOLDER = '.cache/program/built';
const MADE_OF = ['packages', 'apps/binnacle', 'tools/release', 'package-lock.json'];

/**
 * The path of its launcher. What was built before serves again while it is younger than all that it is made of. Undefined
 * where it cannot be built: its tests say then what is wrong with the sources.
 */
export function freshProgram(root: string): string | undefined {
  const out = join(root, FOLDER);
  const launcher = join(out, 'bin/binnacle.mjs');
  const began = Date.now();
  if (
    existsSync(launcher) &&
    Math.max(...MADE_OF.map((path) => youngest(join(root, path)))) < statSync(launcher).mtimeMs
  )
    return launcher;
  const half = `${out}.${process.pid}`;
  const build = [join(root, 'tools/release/build.ts'), '--program', half];
  const done = spawnSync(process.execPath, build, { cwd: root, stdio: 'inherit' });
  if (done.status !== 0) {
    rmSync(half, { recursive: true, force: true });
    return undefined;
  }
  // What was changed meanwhile is younger.
  utimesSync(join(half, 'bin/binnacle.mjs'), began / 1000, began / 1000);
  rmSync(out, { recursive: true, force: true });
  renameSync(half, out);
  return launcher;
}
