import { type Clock, type Logger, silentLogger } from '@binnacle/base';
import type {
  CallOptions,
  HealthAspect,
  LeaseStatus,
  RangeRequest,
  RangeResult,
  Store,
  StoreStatus,
  TxnRequest,
  TxnResult,
  WatchHandle,
  WatchRequest,
  WatchSink,
} from '../ports.ts';
import * as errors from '../errors.ts';
import type { Batch } from './batch.ts';
import { assertRequestSize, REQUEST_BYTES_MAX, withinSignal } from './call-limits.ts';
import { CommitLine } from './commit-line.ts';
import type { Undone } from './commit-line.ts';
import { type Change, type Entry, entrySize } from './entry.ts';
import { Head } from './head.ts';
import { History } from './history.ts';
import type { Journal, Recovered } from './journal.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import type { Lease } from './lease-table.ts';
import { type Tree, walkSpan } from './ordered-map.ts';
import { type PastSource, readAt, readSpan } from './past-range.ts';
import { Retention, type RetentionLimits } from './retention.ts';
import { WatchHub } from './watch-hub.ts';

/** A store in this process: watchers hear of a write before it is acknowledged, and reads can be had at once. */
export interface EmbeddedStore extends Store {
  /** The newest visible revision; every sink has heard of it. */
  readonly revision: number;
  /** A read of now, without waiting. `revision` of the request is not looked at. */
  rangeNow(request: RangeRequest): RangeResult;
}

export interface EmbeddedOptions {
  readonly clock: Clock;
  readonly log?: Logger;
  readonly journal: Journal;
  readonly recovered: Recovered;
  readonly retention: RetentionLimits;
  /** What memory keeps of the history where the journal keeps the rest. */
  readonly memoryBytesMax: number;
  readonly progressIntervalMs?: number;
  /** A transaction may be so large. Default 1.5 MiB, as with etcd. */
  readonly requestBytesMax?: number;
  /** Live keys and values may take so much: then puts meet StoreFullError, deletes do not. Absent: unbounded. */
  readonly bytesMax?: number;
}

const PROGRESS_INTERVAL_MS = 600_000;

/**
 * The engine under the embedded stores. A transaction is evaluated at once against the head, written to the journal,
 * and becomes visible with its batch:
 *
 *     txn ─► head ─► open batch ─seal─► in flight ─durable─► visible tree, history ─► watchers ─► acknowledgements
 */
export class MvccStore implements EmbeddedStore {
  readonly cachesAreCurrent = true;
  readonly #log: Logger;
  readonly #journal: Journal;
  readonly #head: Head;
  readonly #line: CommitLine;
  readonly #history: History;
  readonly #hub: WatchHub;
  readonly #keeper: LeaseKeeper;
  readonly #retention: Retention;
  readonly #past: PastSource;
  readonly #memoryBytesMax: number;
  readonly #requestBytesMax: number;
  readonly #bytesMax: number;
  #visible: Tree<Entry>;
  #revision: number;
  #compactRevision: number;
  #closed: Promise<void> | undefined;

  constructor(options: EmbeddedOptions) {
    const { clock, journal, recovered } = options;
    this.#log = options.log ?? silentLogger;
    this.#journal = journal;
    this.#memoryBytesMax = options.memoryBytesMax;
    this.#requestBytesMax = options.requestBytesMax ?? REQUEST_BYTES_MAX;
    this.#bytesMax = options.bytesMax ?? Infinity;
    this.#revision = recovered.revision;
    this.#compactRevision = recovered.compactRevision;
    this.#head = new Head(recovered.revision, recovered.nextPosition);
    this.#history = new History(recovered.revision);
    this.#retention = new Retention(clock, options.retention, (revision) => this.#compactQuietly(revision));
    this.#keeper = new LeaseKeeper({ clock, leases: this.#head.leases, expire: (lease) => this.#expire(lease) });
    this.#line = new CommitLine({
      clock,
      journal,
      seal: (batch) => this.#seal(batch),
      publish: (batch) => this.#publish(batch),
      takeBack: (undone, error) => this.#takeBack(undone, error),
      onFailure: (error) => this.#onFailure(error),
      onResumed: () => this.#log.warn('the store can write again'),
    });
    this.#past = {
      history: this.#history,
      archive: journal,
      visible: () => this.#visible,
      revision: () => this.#revision,
      assertReadable: (revision) => this.#assertReadable(revision),
    };
    const source = {
      revision: () => this.#revision,
      compactRevision: () => this.#compactRevision,
      floor: () => this.#history.floor,
      recent: (after: number, upTo: number) => this.#history.between(after, upTo),
      archived: (after: number, upTo: number) => journal.readHistory(after, upTo),
    };
    const progressIntervalMs = options.progressIntervalMs ?? PROGRESS_INTERVAL_MS;
    this.#hub = new WatchHub(source, { clock, log: this.#log, progressIntervalMs });
    this.#keeper.restore(recovered.leases);
    for (const entry of recovered.entries) this.#head.load(entry);
    this.#visible = this.#head.freeze();
  }

  get revision(): number {
    return this.#revision;
  }

  rangeNow(request: RangeRequest): RangeResult {
    this.#assertOpen();
    return readSpan(this.#visible, request, this.#revision);
  }

  range(request: RangeRequest, options?: CallOptions): Promise<RangeResult> {
    return withinSignal(() => this.#range(request), options, false);
  }

  async #range(request: RangeRequest): Promise<RangeResult> {
    const at = request.revision ?? 0;
    if (at === 0 || at === this.#revision) return this.rangeNow(request);
    this.#assertOpen();
    return readAt(this.#past, request, at);
  }

  txn(request: TxnRequest, options?: CallOptions): Promise<TxnResult> {
    if (options === undefined) return this.#txn(request);
    return withinSignal(() => this.#txn(request), options, true);
  }

  /** Not an async function: on the hot path one promise per write is enough. */
  #txn(request: TxnRequest): Promise<TxnResult> {
    try {
      this.#assertWritable();
      assertRequestSize(request, this.#requestBytesMax);
      if (this.#line.heldUp) return this.#line.ready().then(() => this.#txn(request));
      if (this.#isOverQuota && writes(request)) throw this.#overQuota();
      const { result, changes } = this.#head.apply(request);
      if (changes.length === 0) return this.#line.whenDurable(result);
      this.#line.add(changes);
      return this.#line.commit(result);
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  watch(request: WatchRequest, sink: WatchSink): WatchHandle {
    return this.#hub.watch(request, sink);
  }

  async grantLease(ttlSeconds: number, id = 0): Promise<{ readonly id: number; readonly ttl: number }> {
    this.#assertWritable();
    if (this.#line.heldUp) await this.#line.ready();
    if (id !== 0 && this.#head.leases.get(id) !== undefined) throw new errors.LeaseExistsError(id);
    const granted = this.#keeper.grant(ttlSeconds, id);
    const record = { id: granted.id, grantedTtl: granted.ttl, ttl: granted.ttl };
    this.#line.addLease(record, { id: granted.id, before: undefined });
    return this.#line.commit(granted);
  }

  async revokeLease(id: number): Promise<void> {
    this.#assertWritable();
    if (this.#line.heldUp) await this.#line.ready();
    await this.#revoke(this.#findLease(id));
  }

  async keepAlive(id: number): Promise<number> {
    this.#assertOpen();
    const lease = this.#findLease(id);
    this.#keeper.keepAlive(lease);
    return this.#line.whenDurable(lease.grantedTtl);
  }

  async leaseStatus(id: number): Promise<LeaseStatus> {
    this.#assertOpen();
    const lease = this.#head.leases.get(id);
    if (lease === undefined) return this.#line.whenDurable({ id, ttl: -1, grantedTtl: 0, keys: [] });
    const keys = [...lease.keys].toSorted((a, b) => (a < b ? -1 : 1));
    const ttl = this.#keeper.secondsLeft(lease);
    return this.#line.whenDurable({ id, ttl, grantedTtl: lease.grantedTtl, keys });
  }

  async leases(): Promise<readonly number[]> {
    this.#assertOpen();
    return this.#line.whenDurable(this.#head.leases.ids());
  }

  async compact(revision: number): Promise<void> {
    this.#assertWritable();
    const now = this.#revision;
    if (revision > now) throw new errors.FutureRevisionError({ asked: revision, revision: now });
    if (revision <= this.#compactRevision) throw new errors.CompactedError(this.#compactRevision);
    await this.#compactTo(revision);
  }

  async status(): Promise<StoreStatus> {
    this.#assertOpen();
    const size = await this.#journal.size();
    return {
      engine: this.#journal.engine,
      version: this.#journal.version,
      revision: this.#revision,
      compactRevision: this.#compactRevision,
      dbSize: size ?? this.#head.bytes + this.#history.bytes,
      keys: this.rangeNow({ key: '', end: '\0', countOnly: true }).count,
    };
  }

  async health(aspect: HealthAspect): Promise<void> {
    this.#assertOpen();
    if (aspect === 'reading') return;
    await this.#line.health();
    if (this.#isOverQuota) throw this.#overQuota();
  }

  snapshot(): AsyncIterable<Uint8Array> {
    this.#assertOpen();
    const tree = this.#visible;
    const entries = (): Iterable<Entry> => {
      const all: Entry[] = [];
      walkSpan(tree, { from: '', end: undefined }, (entry) => all.push(entry) > 0);
      return all;
    };
    return this.#journal.snapshot({ revision: this.#revision, entries });
  }

  close(): Promise<void> {
    this.#closed ??= this.#shutDown();
    return this.#closed;
  }

  async #shutDown(): Promise<void> {
    this.#keeper.close();
    this.#retention.close();
    await Promise.allSettled([this.#line.whenDurable(undefined)]);
    this.#hub.close();
    if (!this.#line.failed && !this.#line.heldUp) await this.#writeLeaseTimes();
    await this.#journal.close();
  }

  /** So that a restart does not give every lease its whole life again. */
  async #writeLeaseTimes(): Promise<void> {
    if (this.#head.leases.size === 0) return;
    for (const lease of this.#head.leases.all()) {
      const ttl = Math.max(1, this.#keeper.secondsLeft(lease));
      this.#line.addLease({ id: lease.id, grantedTtl: lease.grantedTtl, ttl }, { id: lease.id, before: lease });
    }
    await Promise.allSettled([this.#line.commit(undefined)]);
  }

  #seal(batch: Batch): void {
    batch.revision = this.#head.revision;
    batch.tree = this.#head.freeze();
  }

  #publish(batch: Batch): void {
    if (batch.tree !== undefined) this.#visible = batch.tree;
    this.#revision = batch.revision;
    if (batch.changes.length === 0) return;
    this.#remember(batch.changes);
    this.#hub.dispatch(batch.changes, batch.revision);
  }

  #remember(changes: readonly Change[]): void {
    const history = this.#history;
    const before = history.bytes;
    history.record(changes);
    this.#retention.note(this.#revision, history.bytes - before + sizeOfDeletes(changes));
    if (history.wantsCheckpoint) history.checkpoint(this.#revision, this.#visible);
    if (this.#journal.keepsHistory && history.bytes > this.#memoryBytesMax) {
      history.forget(history.revisionToFit(this.#memoryBytesMax * 0.75));
    }
  }

  /** Nobody has seen or heard anything of it, so its revisions are given again. */
  #takeBack({ changes, leaseChanges }: Undone, error: Error): void {
    this.#log.error(error, 'there is no room to write; writes are refused until there is');
    for (const { id, before } of leaseChanges.toReversed()) {
      if (before === undefined) this.#head.leases.remove(id);
      else this.#keeper.bringBack(before);
    }
    this.#head.takeBack({ tree: this.#visible, revision: this.#revision }, changes);
  }

  get #isOverQuota(): boolean {
    return this.#head.bytes >= this.#bytesMax;
  }

  #overQuota(): Error {
    return new errors.StoreFullError(`its quota of ${this.#bytesMax} bytes is used up`);
  }

  #onFailure(error: Error): void {
    this.#log.error(error, 'the store cannot write; it refuses writes from now on');
    this.#keeper.close();
    this.#retention.close();
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw new errors.StoreClosedError();
  }

  #assertWritable(): void {
    this.#assertOpen();
    this.#line.assertRoom();
  }

  #assertReadable(revision: number): void {
    const now = this.#revision;
    if (revision > now) throw new errors.FutureRevisionError({ asked: revision, revision: now });
    if (revision < this.#compactRevision) throw new errors.CompactedError(this.#compactRevision);
  }

  async #compactTo(revision: number): Promise<void> {
    this.#compactRevision = revision;
    this.#history.forget(revision - 1);
    await this.#journal.compact(revision);
  }

  #compactQuietly(revision: number): void {
    if (revision <= this.#compactRevision || this.#closed !== undefined) return;
    this.#compactTo(revision).catch((error: unknown) => this.#log.error(error, 'compaction failed', { revision }));
  }

  #findLease(id: number): Lease {
    const lease = this.#head.leases.get(id);
    if (lease === undefined) throw new errors.LeaseNotFoundError(id);
    return lease;
  }

  async #revoke(lease: Lease): Promise<void> {
    const changes = this.#head.deleteKeys(lease.keys);
    this.#head.leases.remove(lease.id);
    this.#line.add(changes);
    this.#line.addLease({ id: lease.id, grantedTtl: lease.grantedTtl, ttl: 0 }, { id: lease.id, before: lease });
    await this.#line.commit(undefined);
  }

  /** Where that cannot be written down for want of room, it is tried again. */
  #expire(lease: Lease): void {
    const held = this.#line.heldUp;
    const end = held ? this.#line.ready().then(() => this.#revoke(lease)) : this.#revoke(lease);
    end.catch((error: unknown) => {
      if (!(error instanceof errors.StoreFullError))
        this.#log.error(error, 'expiring a lease failed', { id: lease.id });
      if (held && this.#head.leases.get(lease.id) === lease) this.#keeper.bringBack(lease);
    });
  }
}

/** Deletes are let through when a quota is used up: they are the way out. */
function writes(request: TxnRequest): boolean {
  return request.success.some((op) => op.type === 'put') || request.failure.some((op) => op.type === 'put');
}

/** A delete leaves a record of its own behind, beside the old value. */
function sizeOfDeletes(changes: readonly Change[]): number {
  let bytes = 0;
  for (const change of changes) if (change.type === 'delete') bytes += entrySize(change.kv);
  return bytes;
}
