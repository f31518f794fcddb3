import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { sleep } from '@binnacle/base';
import type { Clock, Scope } from '@binnacle/base';

/** A process that is to be there as long as its scope. */
export interface KeptProcess {
  readonly name: string;
  readonly launch: () => ChildProcess;
  /** Resolves when the first one works; rejects when it ended before. */
  readonly ready: (child: ChildProcess) => Promise<void>;
  /** One ended by itself; the next one is started after so many milliseconds. */
  readonly ended: (code: number | null, againMs: number) => void;
  readonly clock: Clock;
  readonly scope: Scope;
}

const AGAIN_MS = 1_000;
const AGAIN_MS_MAX = 60_000;
/** Who lives so long begins anew with the shortest wait. */
const STEADY_MS = 60_000;
/** A child that has not ended by then is killed. */
export const CHILD_STOP_MS_MAX = 10_000;

/** Starts a process, again whenever it ends, later each time; it ends with the scope. Resolves when the first one works. */
export async function keepProcess(kept: KeptProcess): Promise<void> {
  const { clock, scope } = kept;
  let child = kept.launch();
  scope.defer(() => stopChild(child));
  await kept.ready(child);
  scope.run(`process of ${kept.name}`, async (signal) => {
    let againMs = AGAIN_MS;
    while (!signal.aborted) {
      const from = clock.monotonic();
      const code = await untilEnded(child, signal);
      if (signal.aborted) return;
      if (clock.monotonic() - from >= STEADY_MS) againMs = AGAIN_MS;
      kept.ended(code, againMs);
      // What ends at once is not started again at once.
      await sleep(clock, againMs, signal);
      againMs = Math.min(againMs * 2, AGAIN_MS_MAX);
      if (!signal.aborted) child = kept.launch();
    }
  });
}

/** How it ended; null for a signal, and when nobody waits any more. */
async function untilEnded(child: ChildProcess, signal: AbortSignal): Promise<number | null> {
  if (hasEnded(child)) return child.exitCode;
  child.stdout?.resume();
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const over = (): void => resolve(null);
  child.once('exit', resolve);
  child.once('error', over);
  signal.addEventListener('abort', over, { once: true });
  const code = await promise;
  signal.removeEventListener('abort', over);
  return code;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (hasEnded(child) || child.pid === undefined) return;
  const ended = once(child, 'exit');
  const late = setTimeout(() => child.kill('SIGKILL'), CHILD_STOP_MS_MAX);
  child.stdin?.end();
  child.kill('SIGTERM');
  await ended;
  clearTimeout(late);
}
