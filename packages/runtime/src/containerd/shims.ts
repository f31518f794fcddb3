import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Clock, Logger } from '@binnacle/base';
import { layoutOf } from './layout.ts';
import { endProcesses, findProcesses, readProcess, waitForEnds } from './processes.ts';
import type { ProcessInfo } from './processes.ts';

const WORK_MS_MAX = 5_000;

/** The shims of the containerd that listens on this socket. */
export function findShims(socket: string): Promise<ProcessInfo[]> {
  return findProcesses((argv) => basename(argv[0] ?? '').startsWith('containerd-shim') && argv.includes(socket));
}

/**
 * Ends shims that carry none of the sandboxes and containers that containerd knows, and what runs under them. A kubelet that
 * is killed while containerd starts a shim for it takes the start along: the shim runs on, and containerd does not know of it
 * (seen with 1.6). `known` is asked once they are found: what became known meanwhile stays.
 */
export async function endLostShims(
  of: {
    readonly stateDir: string;
    readonly clock: Clock;
    readonly known: () => Promise<ReadonlySet<string>>;
    /** How long what starts shims, and clears up behind them, is waited for, milliseconds. */
    readonly workMsMax?: number;
  },
  log: Logger,
): Promise<void> {
  const { socket } = layoutOf(of.stateDir);
  const atWork = (await findShims(socket)).filter(isAtWork);
  await waitForEnds(of.clock, atWork, of.workMsMax ?? WORK_MS_MAX);
  const shims = (await findShims(socket)).filter((one) => one.argv.includes('-id') && !isAtWork(one));
  if (shims.length === 0) return;
  const known = await of.known();
  const lost = shims.filter(({ argv }) => !known.has(carriedBy(argv)));
  if (lost.length === 0) return;
  const under = await Promise.all(lost.map(({ pid }) => childrenOf(pid)));
  await endProcesses(of.clock, [...lost, ...under.flat()], 0);
  log.warn('Ended shims of what containerd does not know', { ids: lost.map(({ argv }) => carriedBy(argv)) });
}

/** One that containerd runs to start a shim, or to clear up behind one: it carries nothing, and ends by itself. */
function isAtWork({ argv }: ProcessInfo): boolean {
  return argv.at(-1) === 'start' || argv.at(-1) === 'delete';
}

/** A sandbox; with some handlers each container has a shim of its own. */
function carriedBy(argv: readonly string[]): string {
  return argv[argv.indexOf('-id') + 1] ?? '';
}

async function childrenOf(pid: number): Promise<ProcessInfo[]> {
  // It may have ended meanwhile.
  const listed = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const pids = listed.split(' ').filter((word) => word !== '');
  return (await Promise.all(pids.map(Number).map(readProcess))).filter((info) => info !== undefined);
}
