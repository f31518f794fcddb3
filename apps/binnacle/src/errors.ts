import { CatalogueError } from '@binnacle/base';

/** A mistake of the person at the terminal: shown as one line, without a stack. */
export class UsageError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('usage', message, { cause });
  }
}

/** Another Binnacle works in the same data directory. */
export class AlreadyRunningError extends CatalogueError {
  constructor(dataDir: string, pid: number, stopCommand: string) {
    super('already-running', `binnacle already runs in ${dataDir} (pid ${pid}); stop it with: ${stopCommand}`, {
      facts: { dataDir, pid },
    });
  }
}

/** A child process ended before it said that it was ready. */
export class ChildFailedError extends CatalogueError {
  constructor(what: string, detail: string) {
    super('child-failed', `${what} did not start: ${detail}`);
  }
}
