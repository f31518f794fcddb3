import { CatalogueError } from '@binnacle/base';
import { existsSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { Database } from '../../sqlite/database.ts';
import type { WorkerStart } from '../../sqlite/messages.ts';
import { serveStore } from '../../sqlite/serve.ts';

/** As SQLite tells it. */
class NoRoomError extends CatalogueError {
  readonly errcode = 13;

  constructor() {
    super('no-room', 'database or disk is full');
  }
}

const { path } = workerData as WorkerStart;

/** The store's thread on a disk that is full as long as a file with its name and `.full` behind it lies there. */
class FullDatabase extends Database {
  override transaction(work: () => void): void {
    super.transaction(() => {
      work();
      if (existsSync(`${path}.full`)) {
        throw new NoRoomError();
      }
    });
  }
}

serveStore((start) => new FullDatabase(start));
