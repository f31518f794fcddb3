import { chmodSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { fileError, makeFolders } from './record-file.ts';

/** Where a cluster keeps what it must remember. Everything below is private to its owner (0700). */
export interface DataDir {
  readonly root: string;
  readonly pki: string;
  /** The sqlite store's file. */
  readonly store: string;
  /** What notices that the store's file was lost or cut back; not beside it, so as not to be lost with it. */
  readonly storeMark: string;
  readonly containerd: string;
  /** Addresses of pods on a Docker Engine. */
  readonly docker: string;
  readonly kubelet: string;
  /** Data directories of further nodes of this machine, by the node's name. */
  readonly workers: string;
  /** Data of claims' volumes. */
  readonly volumes: string;
  /** What runs here: pid, server, kubeconfig. */
  readonly runFile: string;
  /** Output of a detached process. */
  readonly logFile: string;
}

/** `/var/lib/binnacle` for root, the user's own data folder for others. */
export function defaultDataDir(): string {
  if (process.getuid?.() === 0) return '/var/lib/binnacle';
  const base = process.env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share');
  return join(base, 'binnacle');
}

/** How the cluster of a data directory is stopped, as it is typed into a shell. */
export function downCommand(root: string): string {
  if (root === resolve(defaultDataDir())) return 'binnacle down';
  return `binnacle down --data-dir ${/^[\w@%+=:,./-]+$/.test(root) ? root : `'${root.replaceAll("'", "'\\''")}'`}`;
}

/** Where the containerd of a further node listens. */
export function workerSocket({ workers }: DataDir, nodeName: string): string {
  return join(workers, nodeName, 'containerd', 'containerd.sock');
}

const OTHERS = 0o077;
/** What is in a data directory; what is being written has numbers behind its name. */
const OURS =
  /^(?:pki|store|store\.mark|containerd|docker|kubelet|workers|local-path|(?:run|down|network|run-[a-z]+-\d+)\.json|binnacle\.out)(?:\.\d+)*(?:\.tmp)?$/;

/**
 * Makes the folder and names what is in it. Folders that others may read are made private, and the files in them, with
 * a word of it to `say`.
 * Throws UsageError for a folder of somebody else's files, CommandFailedError where the system refuses.
 */
export function openDataDir(path: string, say: (line: string) => void = sayOnStderr): DataDir {
  // An empty one would be the folder that the command is typed in.
  if (path === '') throw new UsageError('the data directory has no name');
  const root = resolve(path);
  const pki = join(root, 'pki');
  const store = join(root, 'store');
  try {
    makeFolders(root);
    refuseForeign(root);
    for (const folder of [root, pki, store]) tighten(folder, say);
  } catch (error) {
    throw fileError('use the data directory', root, error);
  }
  return {
    root,
    pki,
    store: join(store, 'binnacle.db'),
    storeMark: join(root, 'store.mark'),
    containerd: join(root, 'containerd'),
    docker: join(root, 'docker'),
    kubelet: join(root, 'kubelet'),
    workers: join(root, 'workers'),
    volumes: join(root, 'local-path'),
    runFile: join(root, 'run.json'),
    logFile: join(root, 'binnacle.out'),
  };
}

/** The data directory of a command that makes none; undefined where there is no such folder. Throws as `openDataDir`. */
export function findDataDir(path: string): DataDir | undefined {
  return path !== '' && statSync(path, { throwIfNoEntry: false }) === undefined ? undefined : openDataDir(path);
}

/** Deletes what is Binnacle's, and the folder where nothing else is in it. Answers with what is left in it. */
export function deleteDataDir({ root }: DataDir): readonly string[] {
  for (const name of readdirSync(root)) if (OURS.test(name)) rmSync(join(root, name), { recursive: true, force: true });
  const left = readdirSync(root);
  if (left.length === 0) rmdirSync(root);
  return left;
}

/** A folder that has files already, none of them ours, is somebody's: it is neither made private nor emptied. */
function refuseForeign(root: string): void {
  const entries = readdirSync(root, { withFileTypes: true });
  const other = entries.find((entry) => entry.isFile());
  if (other === undefined || entries.some(({ name }) => OURS.test(name))) return;
  throw new UsageError(
    `${root} holds files that are not Binnacle's (${other.name}): a data directory is a folder of its own`,
  );
}

function tighten(folder: string, say: (line: string) => void): void {
  const mode = modeOf(folder);
  if (mode === undefined || process.platform === 'win32') return;
  if ((mode & OTHERS) !== 0) {
    chmodSync(folder, mode & 0o700);
    say(`others could read ${folder} (mode ${mode.toString(8)}); it is private now`);
  }
  const loose = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => join(folder, name))
    .filter((path) => ((modeOf(path) ?? 0) & OTHERS) !== 0);
  for (const path of loose) chmodSync(path, (modeOf(path) ?? 0) & 0o700);
  const [first] = loose;
  if (first === undefined) return;
  say(`others could read ${loose.length === 1 ? first : `${loose.length} files in ${folder}`}; private now`);
}

/** Its bits of permission; undefined where there is nothing. */
function modeOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? undefined : found.mode & 0o777;
}

/** A word to whoever started the program. */
export function sayOnStderr(line: string): void {
  process.stderr.write(`binnacle: ${line}\n`);
}
