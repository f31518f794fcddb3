import { randomBytes } from 'node:crypto';
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
import {
  CompactedError,
  LeaseExistsError,
  LeaseNotFoundError,
  StoreClosedError,
  StoreFullError,
  StoreUnavailableError,
} from '../errors.ts';
import { Compactor } from '../compactor.ts';
import { assertRequestSize } from '../mvcc/call-limits.ts';
import { refuseDuplicates } from '../mvcc/comparison.ts';
import { toStoreError } from './failures.ts';
import { EtcdWatch } from './watch.ts';
import type { WatchParts } from './watch.ts';
import type { Method } from './wire.ts';
import { toNumber } from './wire.ts';

export type EtcdStoreParts = Omit<WatchParts, 'revision'> & {
  readonly version: string;
  readonly requestBytesMax: number;
};

/** Within the two seconds that the port promises. */
const HEALTH_MS_MAX = 1500;

/** The port over a real etcd; keeps nothing but its watches. */
export class EtcdStore implements Store {
  readonly cachesAreCurrent = false;
  readonly promptProgress: boolean;
  readonly #parts: EtcdStoreParts;
  readonly #watches = new Set<EtcdWatch>();
  #compactor: Compactor | undefined;

  constructor(parts: EtcdStoreParts) {
    this.#parts = parts;
    this.promptProgress = parts.promptProgress;
  }

  /** Forgets history from now on, in turns with other servers; 0: does not. */
  compactEvery(intervalMs: number): void {
    const { clock, log } = this.#parts;
    if (intervalMs > 0) this.#compactor ??= new Compactor({ store: this, clock, log, intervalMs });
  }

  async range(request: RangeRequest, options?: CallOptions): Promise<RangeResult> {
    const { connection, methods, translation } = this.#parts;
    try {
      const way = { reads: true, signal: options?.signal };
      return translation.rangeResult(await connection.call(methods.range, translation.range(request), way));
    } catch (error) {
      if (error instanceof CompactedError) throw new CompactedError(await this.#askCompactRevision(), error);
      throw error;
    }
  }

  async txn(request: TxnRequest, options?: CallOptions): Promise<TxnResult> {
    const { methods, translation } = this.#parts;
    if (!this.#parts.connection.closed) assertRequestSize(request, this.#parts.requestBytesMax);
    refuseDuplicates(request.success);
    refuseDuplicates(request.failure);
    const branches = [...request.success, ...request.failure];
    const wire = {
      compare: request.compare.map((c) => translation.compare(c)),
      success: request.success.map((op) => translation.operation(op)),
      failure: request.failure.map((op) => translation.operation(op)),
    };
    const reads = branches.every((op) => op.type === 'range');
    const lease = branches.find((op) => op.type === 'put' && (op.lease ?? 0) !== 0);
    const answer = await this.#parts.connection
      .call(methods.txn, wire, { reads, signal: options?.signal })
      .catch((error: unknown) => {
        if (!(error instanceof LeaseNotFoundError) || lease?.type !== 'put') throw error;
        throw new LeaseNotFoundError(lease.lease ?? 0, error);
      });
    return {
      succeeded: answer.succeeded ?? false,
      revision: toNumber(answer.header?.revision),
      results: (answer.responses ?? []).map((result) => translation.operationResult(result)),
    };
  }

  watch(request: WatchRequest, sink: WatchSink): WatchHandle {
    const parts = { ...this.#parts, revision: () => this.#revision() };
    const watch = new EtcdWatch(parts, request, { sink, onEnd: (ended) => this.#watches.delete(ended) });
    this.#watches.add(watch);
    if (this.#parts.connection.closed) queueMicrotask(() => watch.end(new StoreClosedError()));
    else watch.start();
    return watch;
  }

  async grantLease(ttlSeconds: number, id = 0): Promise<{ readonly id: number; readonly ttl: number }> {
    const wanted = id === 0 ? pickLeaseId() : id;
    try {
      const answer = await this.#write(this.#parts.methods.leaseGrant, { ID: wanted, TTL: Math.ceil(ttlSeconds) });
      return { id: toNumber(answer.ID), ttl: toNumber(answer.TTL) };
    } catch (error) {
      if (error instanceof LeaseExistsError) throw new LeaseExistsError(wanted, error);
      throw error;
    }
  }

  async revokeLease(id: number): Promise<void> {
    try {
      await this.#write(this.#parts.methods.leaseRevoke, { ID: id });
    } catch (error) {
      if (error instanceof LeaseNotFoundError) throw new LeaseNotFoundError(id, error);
      throw error;
    }
  }

  /** etcd has a stream for it; one question and one answer are enough here. */
  async keepAlive(id: number): Promise<number> {
    const { connection, methods } = this.#parts;
    const answer = await connection.ask(methods.leaseKeepAlive, { ID: id }).catch((error: unknown) => {
      throw toStoreError(error, { reads: true, lease: id });
    });
    const ttl = toNumber(answer?.TTL);
    if (ttl <= 0) throw new LeaseNotFoundError(id);
    return ttl;
  }

  async leaseStatus(id: number): Promise<LeaseStatus> {
    const answer = await this.#read(this.#parts.methods.leaseTimeToLive, { ID: id, keys: true });
    const ttl = toNumber(answer.TTL);
    if (ttl < 0) return { id, ttl: -1, grantedTtl: 0, keys: [] };
    const keys = (answer.keys ?? []).map((key) => this.#parts.translation.bareKey(key));
    return { id, ttl, grantedTtl: toNumber(answer.grantedTTL), keys: keys.toSorted((a, b) => (a < b ? -1 : 1)) };
  }

  async leases(): Promise<readonly number[]> {
    const answer = await this.#read(this.#parts.methods.leases, {});
    return (answer.leases ?? []).map((lease) => toNumber(lease.ID));
  }

  async compact(revision: number): Promise<void> {
    try {
      await this.#write(this.#parts.methods.compact, { revision });
    } catch (error) {
      if (error instanceof CompactedError) throw new CompactedError(await this.#askCompactRevision(), error);
      throw error;
    }
  }

  async status(): Promise<StoreStatus> {
    const status = await this.#read(this.#parts.methods.status, {});
    const { count, revision } = await this.range({ key: '', end: '\0', countOnly: true });
    return {
      engine: 'etcd',
      version: status.version ?? '',
      revision,
      compactRevision: await this.#compactRevision(),
      dbSize: toNumber(status.dbSize),
      keys: count,
    };
  }

  /** A linearizable read proves a quorum; that writing is off for want of space is told by an alarm. */
  async health(aspect: HealthAspect): Promise<void> {
    const { connection, methods } = this.#parts;
    const way = { reads: true, msMax: HEALTH_MS_MAX };
    const read = connection.call(methods.range, { key: Buffer.from([0]), count_only: true }, way);
    if (aspect === 'reading') {
      await read;
      return;
    }
    const [{ errors = [] }] = await Promise.all([connection.call(methods.status, {}, way), read]);
    if (errors.some((text) => text.includes('NOSPACE'))) {
      throw new StoreFullError('etcd: etcdserver: mvcc: database space exceeded');
    }
    const [error] = errors;
    if (error !== undefined) throw new StoreUnavailableError(`etcd: ${error}`);
  }

  async *snapshot(): AsyncIterable<Uint8Array> {
    if (this.#parts.connection.closed) throw new StoreClosedError();
    const stream = this.#parts.connection.stream(this.#parts.methods.snapshot, {});
    try {
      for await (const part of stream as AsyncIterable<{ readonly blob?: Uint8Array }>) {
        if (part.blob !== undefined && part.blob.byteLength > 0) yield part.blob;
      }
    } catch (error) {
      throw toStoreError(error, { reads: true });
    }
  }

  async close(): Promise<void> {
    const idle = this.#compactor?.close();
    const closing = this.#parts.connection.close();
    for (const watch of this.#watches) watch.end(new StoreClosedError());
    await closing;
    // Its last round ends with the connection.
    await idle;
  }

  #read<Answer>(method: Method<Answer>, request: object): Promise<Answer> {
    return this.#parts.connection.call(method, request, { reads: true });
  }

  #write<Answer>(method: Method<Answer>, request: object): Promise<Answer> {
    return this.#parts.connection.call(method, request, { reads: false });
  }

  async #revision(): Promise<number> {
    return (await this.range({ key: '\0', countOnly: true })).revision;
  }

  /** 0 when nothing is compacted away. */
  async #compactRevision(): Promise<number> {
    try {
      await this.#read(this.#parts.methods.range, { key: Buffer.from([0]), revision: 1, count_only: true });
      return 0;
    } catch (error) {
      if (error instanceof CompactedError) return this.#askCompactRevision();
      throw error;
    }
  }

  /** etcd tells it only to those who watch from what is gone. */
  async #askCompactRevision(): Promise<number> {
    const { connection, methods } = this.#parts;
    const request = { create_request: { key: Buffer.from([0]), start_revision: 1 } };
    const answer = await connection
      .ask(methods.watch, request, (a) => a.canceled === true)
      .catch((error: unknown) => {
        throw toStoreError(error, { reads: true });
      });
    return toNumber(answer?.compact_revision);
  }
}

const LEASE_ID_BITS_DROPPED = 12;

/** Positive, and exact as a number: the server's own would have 63 bits. */
function pickLeaseId(): number {
  return Number(randomBytes(8).readBigUInt64BE() >> BigInt(LEASE_ID_BITS_DROPPED)) + 1;
}
