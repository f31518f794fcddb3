import { messageOf, silentLogger } from '@binnacle/base';
import type { Clock, Logger } from '@binnacle/base';
import { Worker } from 'node:worker_threads';
import { DamagedValueError, StoreUnavailableError } from '../errors.ts';
import type { EmbeddedStore } from '../mvcc/embedded-store.ts';
import { MvccStore } from '../mvcc/embedded-store.ts';
import type { Entry } from '../mvcc/entry.ts';
import { DAMAGED } from '../mvcc/entry.ts';
import { prepareFile, StoreFile } from './file.ts';
import { SqliteJournal, toStoreError } from './journal.ts';
import { createMailbox, Outbox } from './mailbox.ts';
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
  /** A transaction may be so large. Default 1.5 MiB, as with etcd. */
  readonly requestBytesMax?: number;
  /**
   * A small file that remembers how far revisions have come: where the database is lost or cut back, the store refuses
   * to start. Default: the database's path with `-mark` behind it.
   */
  readonly markPath?: string;
  /** Start all the same; revisions go on above any that was ever given, and all history is compacted away. */
  readonly acceptDataLoss?: boolean;
}

const MIB = 1024 * 1024;

/**
 * Opens the store in a file, with SQLite in a thread of its own. Answers and watch events come after the commit is on
 * disk. Rejects with StoreUnavailableError when another process holds the file, or it is not a store's; with
 * StoreCutBackError when there is less than was acknowledged. Values that fail their checksum are kept apart: see
 * DamagedValueError and `damaged` of a range. A full disk is met as StoreFullError and left behind by itself.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<EmbeddedStore> {
  const { path, log = silentLogger } = options;
  await prepareFile(path, log).catch((error: unknown) => {
    throw new StoreUnavailableError(`${path} cannot be made: ${messageOf(error)}`, { cause: error });
  });
  const { worker, outbox, loss } = await startWorker(options);
  if (loss !== undefined) log.warn('the store goes on although it has lost data', { loss });
  const file = await StoreFile.open(path);
  const journal = new SqliteJournal({ worker, outbox, file, version: process.versions.sqlite ?? '' });
  try {
    return await openJournal(journal, options);
  } catch (error) {
    await journal.close();
    throw error;
  }
}

async function openJournal(journal: SqliteJournal, options: SqliteStoreOptions): Promise<EmbeddedStore> {
  const { log = silentLogger } = options;
  const entries: Entry[] = [];
  const loaded = await journal.ask({ ask: 'load' }, (part) => {
    for (const { entry } of unpackEntries(part)) entries.push(entry);
  });
  for (const { key, value } of entries) {
    if (value === DAMAGED) log.error(new DamagedValueError(key), 'a stored value is kept apart', { key });
  }
  return new MvccStore({
    clock: options.clock,
    ...(options.log === undefined ? {} : { log: options.log }),
    ...(options.progressIntervalMs === undefined ? {} : { progressIntervalMs: options.progressIntervalMs }),
    ...(options.requestBytesMax === undefined ? {} : { requestBytesMax: options.requestBytesMax }),
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

interface Started {
  readonly worker: Worker;
  readonly outbox: Outbox;
  /** Accepted by the options. */
  readonly loss: string | undefined;
}

/** Resolves when the thread has the file open and locked. */
function startWorker(options: SqliteStoreOptions): Promise<Started> {
  const { path, bytesMax, markPath = `${path}-mark`, acceptDataLoss = false } = options;
  const mailbox = createMailbox();
  const quota = bytesMax === undefined ? {} : { bytesMax };
  const workerData: WorkerStart = { path, mailbox, markPath, acceptDataLoss, ...quota };
  const worker = new Worker(options.workerUrl ?? new URL('./worker.ts', import.meta.url), {
    workerData,
    name: 'store',
    // The program's own flags are not for this thread; `--input-type` would even keep it from starting.
    execArgv: [],
  });
  const outbox = new Outbox(mailbox, (message, transfer = []) => worker.postMessage(message, transfer));
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => reject(new StoreUnavailableError('its thread failed', { cause: error }));
    worker.once('error', onError);
    worker.once('message', (message: FromWorker) => {
      worker.off('error', onError);
      if ('opened' in message) {
        resolve({ worker, outbox, loss: message.loss });
        return;
      }
      const failed = 'failed' in message ? message.failed : undefined;
      // Never rejects: a thread that is gone already counts as ended.
      void worker.terminate();
      reject(
        failed === undefined ? new StoreUnavailableError('its thread does not answer') : toStoreError(failed, path),
      );
    });
  });
}
