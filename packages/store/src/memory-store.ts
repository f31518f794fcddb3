import type { Clock, Logger } from '@binnacle/base';
import type { EmbeddedStore } from './mvcc/embedded-store.ts';
import { MvccStore } from './mvcc/embedded-store.ts';
import { MemoryJournal } from './mvcc/memory-journal.ts';

/** Options of `createMemoryStore`. */
export interface MemoryStoreOptions {
  readonly clock: Clock;
  readonly log?: Logger;
  /** The revision of the empty store. Absent: from the clock, higher than any earlier store can have come to. */
  readonly startRevision?: number;
  /** History older than this is compacted away. Default five minutes. */
  readonly historyAgeMsMax?: number;
  /** More history than this is compacted away. Default 16 MiB. */
  readonly historyBytesMax?: number;
  /** How often idle watches that asked for it hear of progress. Default ten minutes. */
  readonly progressIntervalMs?: number;
  /** A transaction may be so large. Default 1.5 MiB, as with etcd. */
  readonly requestBytesMax?: number;
  /** Live keys and values may take so much; then puts meet StoreFullError, deletes do not. Absent: unbounded. */
  readonly bytesMax?: number;
}

const BIRTH_MS = Date.UTC(2025, 0, 1);
/** Writes a millisecond that no store in memory sustains, so that start revisions outrun revisions in use. */
const REVISIONS_PER_MS = 64;

/**
 * A store that lives as long as the process: for tests, browsers and clusters that are thrown away.
 * Writes are visible and acknowledged in the turn they are made in.
 */
export function createMemoryStore(options: MemoryStoreOptions): EmbeddedStore {
  const start = options.startRevision ?? Math.max(1, Math.floor((options.clock.now() - BIRTH_MS) * REVISIONS_PER_MS));
  return new MvccStore({
    clock: options.clock,
    ...(options.log === undefined ? {} : { log: options.log }),
    ...(options.progressIntervalMs === undefined ? {} : { progressIntervalMs: options.progressIntervalMs }),
    ...(options.requestBytesMax === undefined ? {} : { requestBytesMax: options.requestBytesMax }),
    ...(options.bytesMax === undefined ? {} : { bytesMax: options.bytesMax }),
    journal: new MemoryJournal(),
    // Nothing was before the start: who asks for it is told that it is compacted away.
    recovered: { revision: start, compactRevision: start, nextPosition: 1, entries: [], leases: [] },
    retention: {
      ageMsMax: options.historyAgeMsMax ?? 300_000,
      bytesMax: options.historyBytesMax ?? 16 * 1024 * 1024,
    },
    memoryBytesMax: Infinity,
  });
}
