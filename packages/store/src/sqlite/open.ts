import type { Clock, Logger } from '@binnacle/base';
import { Worker } from 'node:worker_threads';
import { StoreUnavailableError } from '../errors.ts';
import type { EmbeddedStore } from '../mvcc/embedded-store.ts';
import { MvccStore } from '../mvcc/embedded-store.ts';
import type { Entry } from '../mvcc/entry.ts';
import { prepareFile, StoreFile } from './file.ts';
import { SqliteJournal, unavailable } from './journal.ts';
import type { FromWorker, Loaded, WorkerStart } from './messages.ts';
import { unpackEntries } from './packing.ts';

/** Options of `openSqliteStore`. */
export interface SqliteStoreOptions {
  /** The database file; it and its directory are made when missing (0600, 0700). */
  readonly path: string;
  readonly clock: Clock;
  readonly log?: Logger;
  /** Where the worker's code is, when it is not beside this file (the published bundle). */
  readonly workerUrl?: URL;
  /** History older than this is compacted away. Default five minutes. */
  readonly historyAgeMsMax?: number;
  /** More history than this is compacted away. Default 64 MiB. */
  readonly historyBytesMax?: number;
  /** History kept in memory too; what is older is read from the file. Default 8 MiB. */
  readonly memoryHistoryBytesMax?: number;
  /** How far the file may grow; then writes fail as on a full disk. Absent: as the disk allows. */
  readonly bytesMax?: number;
  readonly progressIntervalMs?: number;
}

const MIB = 1024 * 1024;

/**
 * Opens the store in a file, with SQLite in a thread of its own. Answers and watch events come after the commit is on
 * disk. Rejects with StoreUnavailableError when another process holds the file, or it is not a store's.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<EmbeddedStore> {
  await prepareFile(options.path).catch((error: unknown) => {
    throw new StoreUnavailableError(`${options.path} cannot be made`, { cause: error });
  });
  const worker = await startWorker(options);
  const journal = new SqliteJournal(worker, await StoreFile.open(options.path), process.versions.sqlite ?? '');
  const entries: Entry[] = [];
  const loaded = await journal.ask({ ask: 'load' }, (part) => {
    for (const { entry } of unpackEntries(part)) entries.push(entry);
  });
  return new MvccStore({
    clock: options.clock,
    ...(options.log === undefined ? {} : { log: options.log }),
    ...(options.progressIntervalMs === undefined ? {} : { progressIntervalMs: options.progressIntervalMs }),
    journal,
    // What `load` answers is told by messages.ts.
    recovered: { ...(loaded as Loaded), entries },
    retention: {
      ageMsMax: options.historyAgeMsMax ?? 300_000,
      bytesMax: options.historyBytesMax ?? 64 * MIB,
    },
    memoryBytesMax: options.memoryHistoryBytesMax ?? 8 * MIB,
  });
}

/** Resolves when the thread has the file open and locked. */
function startWorker(options: SqliteStoreOptions): Promise<Worker> {
  const { path, bytesMax } = options;
  const workerData: WorkerStart = { path, ...(bytesMax === undefined ? {} : { bytesMax }) };
  const worker = new Worker(options.workerUrl ?? new URL('./worker.ts', import.meta.url), {
    workerData,
    name: 'store',
    // The program's own flags are not for this thread; `--input-type` would even keep it from starting.
    execArgv: [],
  });
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => reject(new StoreUnavailableError('its thread failed', { cause: error }));
    worker.once('error', onError);
    worker.once('message', (message: FromWorker) => {
      worker.off('error', onError);
      if (typeof message === 'object' && 'opened' in message) {
        resolve(worker);
        return;
      }
      const failed = typeof message === 'object' && 'failed' in message ? message.failed : undefined;
      void worker.terminate();
      reject(failed === undefined ? new StoreUnavailableError('its thread does not answer') : unavailable(failed));
    });
  });
}
