import { linkSync, rmSync } from 'node:fs';
import { startTicks } from '@binnacle/base/node';
import { AlreadyRunningError, CommandFailedError } from '../errors.ts';
import { downCommand } from './data-dir.ts';
import type { DataDir } from './data-dir.ts';
import { readRecord, writeRecord } from './record-file.ts';

/** What is known of the Binnacle that runs in a data directory. */
export interface RunRecord {
  readonly pid: number;
  /** Start time of the process in the kernel's ticks: tells it from a later one with the same pid. */
  readonly startTicks: string;
  /** Empty while it starts. */
  readonly server: string;
  readonly kubeconfig: string;
  /** CRI endpoint of the node; absent where nodes are simulated. */
  readonly runtimeEndpoint?: string;
  /** Further nodes of this machine that run containers. */
  readonly workers?: readonly string[];
}

function isAlive(record: RunRecord): boolean {
  if (process.platform === 'linux') return startTicks(record.pid) === record.startTicks && record.startTicks !== '';
  try {
    process.kill(record.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The record of a Binnacle that runs now; undefined when none does. Throws CommandFailedError where the file is damaged. */
export function readRunning(dataDir: DataDir): RunRecord | undefined {
  const found = readRecord(dataDir.runFile);
  if (found === undefined) return undefined;
  const { pid, startTicks: started, server, kubeconfig, runtimeEndpoint, workers } = found;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1 || typeof started !== 'string') {
    throw new CommandFailedError(
      `${dataDir.runFile} is damaged: it names no process; if no binnacle runs there, delete it`,
    );
  }
  const record: RunRecord = {
    pid,
    startTicks: started,
    server: typeof server === 'string' ? server : '',
    kubeconfig: typeof kubeconfig === 'string' ? kubeconfig : '',
    ...(typeof runtimeEndpoint === 'string' ? { runtimeEndpoint } : {}),
    ...(Array.isArray(workers) ? { workers: workers.map(String) } : {}),
  };
  return isAlive(record) ? record : undefined;
}

/** Throws AlreadyRunningError when a Binnacle works here. */
export function refuseIfRunning(dataDir: DataDir): void {
  const running = readRunning(dataDir);
  if (running !== undefined && running.pid !== process.pid)
    throw new AlreadyRunningError(dataDir.root, running.pid, downCommand(dataDir.root));
}

/**
 * Takes the data directory for this process before anything in it is touched; `writeRunning` completes the record.
 * Throws AlreadyRunningError when another one works here or is about to.
 */
export function claim(dataDir: DataDir): void {
  const mine = `${dataDir.runFile}.${process.pid}`;
  const record: RunRecord = { pid: process.pid, startTicks: startTicks(process.pid), server: '', kubeconfig: '' };
  writeRecord(mine, record);
  try {
    // A link, not a rename: of two that come at once only one gets it.
    if (linked(mine, dataDir.runFile)) return;
    refuseIfRunning(dataDir);
    // Left by one that was killed.
    rmSync(dataDir.runFile, { force: true });
    if (!linked(mine, dataDir.runFile)) refuseIfRunning(dataDir);
  } finally {
    rmSync(mine, { force: true });
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

export function writeRunning(dataDir: DataDir, about: Omit<RunRecord, 'pid' | 'startTicks'>): void {
  const record: RunRecord = { pid: process.pid, startTicks: startTicks(process.pid), ...about };
  writeRecord(dataDir.runFile, record);
}

export function removeRunning(dataDir: DataDir): void {
  rmSync(dataDir.runFile, { force: true });
}
