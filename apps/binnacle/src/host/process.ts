import { executionAsyncResource } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { createLogger, messageOf, Scope, within } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { realClock, returnMemoryWhenIdle } from '@binnacle/base/node';
import { logWriter, outliveReaders } from './outputs.ts';
import { STARTED } from './started.ts';
import { untilAskedToStop } from './stop-signals.ts';

/** A logger on stderr for a component of this process. */
export function stderrLogger(component: string, verbosity: number): Logger {
  return createLogger({
    component,
    verbosity,
    clock: realClock,
    pid: process.pid,
    write: logWriter(),
  });
}

/** Milliseconds since the process started. */
export function sinceStart(): number {
  return Math.round(process.uptime() * 1000);
}

/**
 * Keeps one of the objects that Node makes for `process.nextTick`. When a full collection finds none alive, V8 forgets
 * their shape, and from then on makes each by a slow path: a fourteenth of the instructions of a create, measured.
 */
function keepTickShape(scope: Scope): void {
  process.nextTick(() => {
    const kept = [executionAsyncResource()];
    scope.defer(() => void kept.pop());
  });
}

/** Longest time of a timer: nothing happens when it is over. */
const FOREVER_MS = 2 ** 31 - 1;

/** A start that is given up may take this long to notice. */
const GIVE_UP_MS = 1_000;

/**
 * Runs a component until the process is asked to stop, be it while it starts; what it started ends before the process
 * does. The process stays although nothing else may keep it: a simulated node has neither socket nor timer.
 */
export async function runUntilStopped(
  component: string,
  verbosity: number,
  start: (scope: Scope, log: Logger) => Promise<void>,
): Promise<void> {
  outliveReaders();
  const stopping = untilAskedToStop();
  const log = stderrLogger(component, verbosity);
  const scope = new Scope(component, { log });
  keepTickShape(scope);
  scope.defer(returnMemoryWhenIdle());
  const stay = setInterval(() => undefined, FOREVER_MS);
  try {
    const started = start(scope, log);
    const outcome = await Promise.race([started.then(() => 'started'), stopping]);
    if (outcome === 'started') {
      channel(STARTED).publish(component);
      await stopping;
    }
    await scope.close();
    if (outcome !== 'started') await givenUp(started, log);
  } finally {
    await scope.close();
    clearInterval(stay);
  }
}

/** What was under way when the process was asked to stop: its failure is no news, and nobody waits long for it. */
async function givenUp(started: Promise<void>, log: Logger): Promise<void> {
  const end = started.catch((error: unknown) => log.info(2, 'the start was given up', { reason: messageOf(error) }));
  await within(end, { clock: realClock, ms: GIVE_UP_MS });
}
