import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Where a cluster keeps what it must remember. Everything below is private to its owner (0700). */
export interface DataDir {
  readonly root: string;
  readonly pki: string;
  /** The sqlite store's file. */
  readonly store: string;
  readonly containerd: string;
  readonly kubelet: string;
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

/** Makes the folder and names what is in it. */
export function openDataDir(path: string): DataDir {
  const root = resolve(path);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  return {
    root,
    pki: join(root, 'pki'),
    store: join(root, 'store', 'binnacle.db'),
    containerd: join(root, 'containerd'),
    kubelet: join(root, 'kubelet'),
    runFile: join(root, 'run.json'),
    logFile: join(root, 'binnacle.out'),
  };
}
