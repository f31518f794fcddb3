/**
 * The store's port: etcd's model, whole. Bytes and revisions, no kinds (law 2).
 * The suite in `testing.ts` says what each sentence here means; every engine passes it.
 */

/** A key: one character per byte (code 0–255), so that the order of strings is the order of bytes. */
export type Key = string;

/** A key as it is, or was, at a revision. */
export interface KeyValue {
  readonly key: Key;
  /** Never changed after it is handed over, by either side; shared with everybody. */
  readonly value: Uint8Array;
  readonly createRevision: number;
  readonly modRevision: number;
  /** 1 at creation, one more at each put. */
  readonly version: number;
  /** 0 when no lease holds the key. */
  readonly lease: number;
}

/** Which keys to read, as of when, and how much of them. */
export interface RangeRequest {
  readonly key: Key;
  /** First key not included; absent: the one key. `'\0'`: all keys from `key` on. */
  readonly end?: Key;
  /** 0 or absent: no limit. */
  readonly limit?: number;
  /** Read as of this revision; absent or 0: now (linearizable). */
  readonly revision?: number;
  readonly keysOnly?: boolean;
  readonly countOnly?: boolean;
}

/** Keys in the order of their bytes. */
export interface RangeResult {
  /** The store's revision when it answered. */
  readonly revision: number;
  readonly kvs: readonly KeyValue[];
  /** Whether the limit cut something off. */
  readonly more: boolean;
  /** How many keys are in the range, whatever the limit. */
  readonly count: number;
  /** Keys that belong into `kvs`, but whose values fail their checksum: they are left out, and named here. */
  readonly damaged?: readonly Key[];
  /** Why, by key, where it is not the checksum. */
  readonly reasons?: ReadonlyMap<Key, string>;
}

/** How the key's value stands to the given one. */
export type CompareResult = 'equal' | 'notEqual' | 'greater' | 'less';

/** A key that does not exist has version, createRevision and modRevision 0. */
export type Compare =
  | {
      readonly target: 'version' | 'createRevision' | 'modRevision' | 'lease';
      readonly key: Key;
      readonly result: CompareResult;
      readonly value: number;
    }
  | { readonly target: 'value'; readonly key: Key; readonly result: CompareResult; readonly value: Uint8Array };

/** One step of a transaction. */
export type Operation =
  | {
      readonly type: 'put';
      readonly key: Key;
      readonly value: Uint8Array;
      readonly lease?: number;
      readonly prevKv?: boolean;
    }
  | { readonly type: 'delete'; readonly key: Key; readonly end?: Key; readonly prevKv?: boolean }
  | ({ readonly type: 'range' } & RangeRequest);

/** The answer to the operation at the same place. */
export type OperationResult =
  | { readonly type: 'put'; readonly prevKv?: KeyValue }
  | { readonly type: 'delete'; readonly deleted: number; readonly prevKvs: readonly KeyValue[] }
  | ({ readonly type: 'range' } & RangeResult);

/** All compares hold: `success` runs, else `failure`; atomically, in one revision. One put per key. */
export interface TxnRequest {
  readonly compare: readonly Compare[];
  readonly success: readonly Operation[];
  readonly failure: readonly Operation[];
}

/** What a transaction decided and did. */
export interface TxnResult {
  readonly succeeded: boolean;
  /** The revision of this transaction where it wrote, else the store's. */
  readonly revision: number;
  readonly results: readonly OperationResult[];
}

/** What happened to one key in one revision. */
export interface StoreEvent {
  readonly type: 'put' | 'delete';
  /** For a delete: key and modRevision (that of the delete), empty value. */
  readonly kv: KeyValue;
  /** The key before, where `prevKv` was asked for and it existed, its value undamaged. */
  readonly prevKv?: KeyValue;
}

/** Which keys to hear of, and from when on. */
export interface WatchRequest {
  readonly key: Key;
  readonly end?: Key;
  /** First revision to report; absent or 0: from now on. */
  readonly startRevision?: number;
  readonly prevKv?: boolean;
  /** Report progress from time to time, with no events, when nothing happens. */
  readonly progress?: boolean;
}

/** Who hears of a watch; called in turn, never at the same time. */
export interface WatchSink {
  /** The watch stands; revision of the store at that time. */
  created?(revision: number): void;
  /** Events of whole revisions in order: a revision is never split over two calls. Must not throw or wait. */
  events(events: readonly StoreEvent[], revision: number): void;
  /** All events up to this revision were delivered. */
  progress?(revision: number): void;
  /**
   * The watch is over: CompactedError, StoreClosedError, DamagedValueError (of a change in the past), StoreUnavailableError,
   * or nothing when `cancel` was called.
   */
  end(error?: Error): void;
}

/** The watcher's end of a watch. */
export interface WatchHandle {
  cancel(): void;
  /** Asks for a `progress` call with a revision not older than the store's at the time of the asking. */
  requestProgress(): void;
}

/** A lease as it stands. */
export interface LeaseStatus {
  readonly id: number;
  /** Seconds left; -1 when the lease does not exist. */
  readonly ttl: number;
  readonly grantedTtl: number;
  readonly keys: readonly Key[];
}

/** What a store says of itself. */
export interface StoreStatus {
  readonly engine: string;
  readonly version: string;
  readonly revision: number;
  readonly compactRevision: number;
  /** Bytes on disk, or held in memory. */
  readonly dbSize: number;
  readonly keys: number;
}

/** How long a caller waits. */
export interface CallOptions {
  /** When it aborts, the call rejects at once with StoreTimeoutError; of a write the outcome is unknown then. */
  readonly signal?: AbortSignal;
}

/** What is asked of a store's health. */
export type HealthAspect = 'reading' | 'writing';

/**
 * Errors: CompactedError (revision is compacted away), FutureRevisionError, LeaseNotFoundError,
 * LeaseExistsError, DuplicateKeyError, RequestTooLargeError (a transaction of more than 1.5 MiB, unless the engine is
 * told otherwise), DamagedValueError (one key was asked for), StoreClosedError, StoreFullError, StoreTimeoutError,
 * StoreUnavailableError, of which the two before are cases (see errors.ts).
 * Durable before visible (law 7): `txn` answers, and watchers hear, after the commit is on disk.
 */
export interface Store {
  /**
   * True: nobody else writes here, and every sink hears of a write before anybody can read it or has its
   * acknowledgement, so what a watch has fed is as new as an answer of `range`. False: others may have written; who
   * keeps a copy asks `range` for the revision of now, and waits until its watch has come so far.
   */
  readonly cachesAreCurrent: boolean;
  /**
   * False: `requestProgress` of a watch is answered only when the next event or periodic progress proves it, because
   * the server is too old for more. Absent or true: at once.
   */
  readonly promptProgress?: boolean;
  range(request: RangeRequest, options?: CallOptions): Promise<RangeResult>;
  txn(request: TxnRequest, options?: CallOptions): Promise<TxnResult>;
  watch(request: WatchRequest, sink: WatchSink): WatchHandle;
  /** `id` 0 or absent: the store picks one. Answers with the id and the granted seconds. */
  grantLease(ttlSeconds: number, id?: number): Promise<{ readonly id: number; readonly ttl: number }>;
  /** Deletes the keys that it holds. */
  revokeLease(id: number): Promise<void>;
  /** Answers with the seconds it lives from now. */
  keepAlive(id: number): Promise<number>;
  leaseStatus(id: number): Promise<LeaseStatus>;
  leases(): Promise<readonly number[]>;
  /** Forgets history before `revision`; what is live at it stays readable at it. */
  compact(revision: number): Promise<void>;
  status(): Promise<StoreStatus>;
  /**
   * Resolves when it can read (linearizably), or write durably, now; else rejects within two seconds, with what a read
   * or a write would meet. Leaves no trace in the keys; asked often, it answers from its last look, a second old at most.
   */
  health(aspect: HealthAspect): Promise<void>;
  /** A whole copy as of now, in the engine's own format. */
  snapshot(): AsyncIterable<Uint8Array>;
  /** Ends all watches, refuses further calls, waits for what is under way. */
  close(): Promise<void>;
}

/** The end of the range of all keys that start with `prefix`; `'\0'` when there is no such end. */
export function prefixEnd(prefix: Key): Key {
  for (let i = prefix.length - 1; i >= 0; i--) {
    const code = prefix.charCodeAt(i);
    if (code < 0xff) return prefix.slice(0, i) + String.fromCharCode(code + 1);
  }
  return '\0';
}
