import { readFile, readdir } from 'node:fs/promises';
import { type Clock, sleep } from '@binnacle/base';
import { startTicks } from '@binnacle/base/node';

/** A process as /proc shows it. */
export interface ProcessInfo {
  readonly pid: number;
  /** When it started, in the kernel's ticks: tells it from a later one with the same pid. */
  readonly startTicks: string;
  /** Of the program that it runs now; empty for a moment while it becomes another, and for threads of the kernel. */
  readonly argv: readonly string[];
}

const WAIT_STEP_MS = 5;

/** Undefined when it is gone or a zombie. */
export async function readProcess(pid: number): Promise<ProcessInfo | undefined> {
  const started = startTicks(pid);
  const argv = started === '' ? undefined : await argvOf(pid);
  return argv && { pid, startTicks: started, argv };
}

/** Undefined when it is gone. */
async function argvOf(pid: number): Promise<string[] | undefined> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').slice(0, -1);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** All living processes whose argument list matches now. */
export async function findProcesses(matches: (argv: readonly string[]) => boolean): Promise<ProcessInfo[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const find = async (pid: number): Promise<ProcessInfo | undefined> =>
    matches((await argvOf(pid)) ?? []) ? readProcess(pid) : undefined;
  const all = await Promise.all(pids.map(find));
  return all.filter((info) => info !== undefined).filter((info) => matches(info.argv));
}

/** Ends processes: asks, waits up to `graceMs`, then kills. Resolves when all are gone. */
export async function endProcesses(clock: Clock, processes: readonly ProcessInfo[], graceMs: number): Promise<void> {
  let left: readonly ProcessInfo[] = processes;
  for (const signal of graceMs > 0 ? (['SIGTERM', 'SIGKILL'] as const) : (['SIGKILL'] as const)) {
    for (const { pid } of left) sendSignal(pid, signal);
    left = await waitForEnds(clock, left, signal === 'SIGTERM' ? graceMs : 5000);
  }
}

/** Waits for processes to end, so many milliseconds at the most. Answers with those that have not. */
export async function waitForEnds(
  clock: Clock,
  processes: readonly ProcessInfo[],
  msMax: number,
): Promise<readonly ProcessInfo[]> {
  const deadline = clock.monotonic() + msMax;
  let left: readonly ProcessInfo[] = stillAlive(processes);
  // A process that is no child of ours tells nobody of its end.
  while (left.length > 0 && clock.monotonic() < deadline) {
    await sleep(clock, WAIT_STEP_MS);
    left = stillAlive(left);
  }
  return left;
}

function stillAlive(processes: readonly ProcessInfo[]): ProcessInfo[] {
  return processes.filter((one) => startTicks(one.pid) === one.startTicks);
}

function sendSignal(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

function isGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ESRCH';
}
