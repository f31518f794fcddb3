import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of a test's own. */
export interface TestFolder {
  readonly path: string;
  readonly remove: () => void;
}

/** Whose it is stands in its name. */
const NAME = /^binnacle-test-(\d+)-\w{6}$/;
/** Processes of another container that shares the folder are not seen from here: what they use is no older. */
const OLD_MS = 3_600_000;

let isSwept = false;

/**
 * Makes an empty folder under the system's temporary one. The first of a process takes away what killed processes left:
 * theirs are the folders of pids that are no more.
 */
export function makeTestFolder(): TestFolder {
  if (!isSwept) sweepTestFolders(tmpdir());
  isSwept = true;
  const path = mkdtempSync(join(tmpdir(), `binnacle-test-${process.pid}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * Whether a command is about this folder, or what is below it, and about no other test's: who makes a mount namespace names all
 * mounts of the machine, those of tests beside it too.
 */
export function isAboutFolder(command: string, folder: string): boolean {
  const testsIn = (text: string): string[] => text.match(/\bbinnacle-test-\d+-/g) ?? [];
  const [own = ''] = testsIn(folder);
  return command.includes(folder) && testsIn(command).every((test) => test === own);
}

/** Removes what is left of tests whose processes have ended, an hour ago at the least; nothing that is mounted goes with it. */
export function sweepTestFolders(below: string): void {
  const mounts = process.platform === 'linux' ? readFileSync('/proc/self/mountinfo', 'utf8') : '';
  for (const name of readdirSync(below)) {
    const [, pid = ''] = NAME.exec(name) ?? [];
    const path = join(below, name);
    if (pid === '' || isAlive(Number(pid)) || mounts.includes(` ${path}/`) || !isOld(path)) continue;
    try {
      rmSync(path, { recursive: true, force: true });
    } catch (error) {
      process.emitWarning(`${path} is left by a test: ${String(error)}`);
    }
  }
}

function isOld(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.isDirectory() && Date.now() - found.mtimeMs > OLD_MS;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
