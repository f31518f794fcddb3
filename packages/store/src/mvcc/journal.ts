import type { Change, Entry } from './entry.ts';

/** What is written down about a lease. `ttl` 0: it is gone. */
export interface LeaseRecord {
  readonly id: number;
  readonly grantedTtl: number;
  /** Seconds it lives after a restart, unless kept alive. */
  readonly ttl: number;
}

/**
 * Where an embedded engine writes down what was decided, before anybody hears of it. `add…` are called in order and
 * go with the open batch; `commit` closes it.
 */
export interface Journal {
  readonly engine: string;
  readonly version: string;
  /** Whether what memory forgets can still be read here. */
  readonly keepsHistory: boolean;
  addChanges(changes: readonly Change[]): void;
  addLease(record: LeaseRecord): void;
  /** Something is in the open batch: call `seal` once, soon; at once where nothing is won by waiting. */
  schedule(seal: () => void): void;
  /** Drops what was added to the open batch. */
  discard(): void;
  /** Resolves when something could be written down durably now, and after StoreFullError takes batches again. */
  probe(): Promise<void>;
  /**
   * Makes the open batch durable; batches end in the order of their commits. Calls `done` once. StoreFullError: nothing of
   * this batch was written, nor of any other until `probe` resolves; every other error is the end of writing.
   */
  commit(done: (error?: Error) => void): void;
  /** Changes of some whole revisions after `after`, up to and including `upTo`, oldest first. */
  readHistory(after: number, upTo: number): Promise<readonly Change[]>;
  /** Forgets the history before `revision`; resolves when that is decided for good, the work may take longer. */
  compact(revision: number): Promise<void>;
  /** Bytes on disk; undefined where nothing is. */
  size(): Promise<number | undefined>;
  snapshot(source: SnapshotSource): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** What a snapshot of an engine without a disk is made of. */
export interface SnapshotSource {
  readonly revision: number;
  entries(): Iterable<Entry>;
}

/** What an earlier run left behind. */
export interface Recovered {
  readonly revision: number;
  readonly compactRevision: number;
  /** The revision after which the history is readable. */
  readonly nextPosition: number;
  readonly entries: Iterable<Entry>;
  readonly leases: readonly LeaseRecord[];
}
