import { executionAsyncResource } from 'node:async_hooks';
import { createLogger, Scope } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { realClock, returnMemoryWhenIdle } from '@binnacle/base/node';
import { untilAskedToStop } from './stop-signals.ts';

/** A logger on stderr for a component of this process. */
export function stderrLogger(component: string, verbosity: number): Logger {
  return createLogger({
    component,
    verbosity,
    clock: realClock,
    pid: process.pid,
    write: (line) => void process.stderr.write(line),
  });
}

/** Milliseconds since the process started. */
export function sinceStart(): number {
  return Math.round(performance.now());
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

/** Runs a component until the process is asked to stop; what it started ends before the process does. */
export async function runUntilStopped(
  component: string,
  verbosity: number,
  start: (scope: Scope, log: Logger) => Promise<void>,
): Promise<void> {
  const stopping = untilAskedToStop();
  const log = stderrLogger(component, verbosity);
  const scope = new Scope(component, { log });
  keepTickShape(scope);
  scope.defer(returnMemoryWhenIdle());
  try {
    await start(scope, log);
  } catch (error) {
    await scope.close();
    throw error;
  }
  await stopping;
  await scope.close();
}
