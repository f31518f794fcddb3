import { join } from 'node:path';
import type { DataDir } from './data-dir.ts';
import { readRecord, writePrivateFile } from './record-file.ts';

/** What `down` takes back after the process that made it is gone. */
export interface DownRecord {
  /** A containerd of our own ran here, with this range of pod addresses. */
  readonly podCidr?: string;
  /** Pods were run on somebody else's runtime. */
  readonly endpoint?: string;
  /** The file that got the context `binnacle`. */
  readonly kubeconfig?: string;
}

function pathOf(dataDir: DataDir): string {
  return join(dataDir.root, 'down.json');
}

/** Adds to what is remembered, before it is made: a process that dies half-way leaves nothing unknown behind. */
export function rememberForDown(dataDir: DataDir, more: DownRecord): void {
  writePrivateFile(pathOf(dataDir), `${JSON.stringify({ ...readDownRecord(dataDir), ...more })}\n`);
}

/** Empty when nothing was made. Throws UsageError where the file is damaged. */
export function readDownRecord(dataDir: DataDir): DownRecord {
  const { podCidr, endpoint, kubeconfig } = readRecord(pathOf(dataDir)) ?? {};
  return {
    ...(typeof podCidr === 'string' ? { podCidr } : {}),
    ...(typeof endpoint === 'string' ? { endpoint } : {}),
    ...(typeof kubeconfig === 'string' ? { kubeconfig } : {}),
  };
}
