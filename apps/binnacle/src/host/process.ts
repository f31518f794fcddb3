import { createLogger, Scope } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
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

/** Runs a component until the process is asked to stop; what it started ends before the process does. */
export async function runUntilStopped(
  component: string,
  verbosity: number,
  start: (scope: Scope, log: Logger) => Promise<void>,
): Promise<void> {
  const stopping = untilAskedToStop();
  const log = stderrLogger(component, verbosity);
  const scope = new Scope(component, { log });
  try {
    await start(scope, log);
  } catch (error) {
    await scope.close();
    throw error;
  }
  await stopping;
  await scope.close();
}
