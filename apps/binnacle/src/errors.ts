import { CatalogueError } from '@binnacle/base';

/** A mistake in what was typed, or in a file that it names: shown as one line, without a stack. The program ends with 2. */
export class UsageError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('usage', message, { cause });
  }
}

/** What was asked is no mistake, and could not be done: shown likewise. The program ends with 1, as of all other errors. */
export class CommandFailedError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('command-failed', message, { cause });
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

/** A health check does not pass. */
export class UnwellError extends CatalogueError {
  constructor(reason: string) {
    super('unwell', reason);
  }
}
