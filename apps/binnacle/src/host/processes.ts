import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startTicks } from '@binnacle/base/node';
import type { DataDir } from './data-dir.ts';
import { readRecord, writeRecord } from './record-file.ts';

/** A component that runs with this data directory beside, or instead of, a whole cluster. */
export interface ComponentProcess {
  readonly component: string;
  readonly pid: number;
  /** See `RunRecord`. */
  readonly startTicks: string;
}

const FILE = /^run-([a-z]+)-(\d+)\.json$/;

/** Notes this process, so that `down` can stop it; the function that comes back forgets it. */
export function noteProcess(dataDir: DataDir, component: string): () => void {
  const { pid } = process;
  const path = join(dataDir.root, `run-${component}-${pid}.json`);
  writeRecord(path, { pid, startTicks: startTicks(pid) });
  return () => rmSync(path, { force: true });
}

/** The components that run now; notes of those that ended without forgetting are taken away. */
export function runningProcesses(dataDir: DataDir): readonly ComponentProcess[] {
  return readdirSync(dataDir.root).flatMap((file) => {
    const [, component = ''] = FILE.exec(file) ?? [];
    if (component === '') return [];
    const path = join(dataDir.root, file);
    const { pid, startTicks: started } = readRecord(path) ?? {};
    if (typeof pid === 'number' && typeof started === 'string' && started !== '' && startTicks(pid) === started) {
      return [{ component, pid, startTicks: started }];
    }
    rmSync(path, { force: true });
    return [];
  });
}
