import { randomBytes } from 'node:crypto';
import type {
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
import { CompactedError, LeaseExistsError, LeaseNotFoundError, StoreClosedError } from '../errors.ts';
import { refuseDuplicates } from '../mvcc/comparison.ts';
import { toStoreError } from './failures.ts';
import { EtcdWatch } from './watch.ts';
import type { WatchParts } from './watch.ts';
import type { Method } from './wire.ts';
import { toNumber } from './wire.ts';

export type EtcdStoreParts = Omit<WatchParts, 'revision'> & { readonly version: string };

/** The port over a real etcd; keeps nothing but its watches. */
export class EtcdStore implements Store {
  readonly cachesAreCurrent = false;
  readonly promptProgress: boolean;
  readonly #parts: EtcdStoreParts;
  readonly #watches = new Set<EtcdWatch>();

  constructor(parts: EtcdStoreParts) {
    this.#parts = parts;
    this.promptProgress = parts.promptProgress;
  }

  async range(request: RangeRequest): Promise<RangeResult> {
    const { methods, translation } = this.#parts;
    try {
      return translation.rangeResult(await this.#read(methods.range, translation.range(request)));
    } catch (error) {
      if (error instanceof CompactedError) throw new CompactedError(await this.#askCompactRevision(), error);
      throw error;
    }
  }

  async txn(request: TxnRequest): Promise<TxnResult> {
    const { methods, translation } = this.#parts;
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
    const answer = await this.#parts.connection.call(methods.txn, wire, reads).catch((error: unknown) => {
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
  keepAlive(id: number): Promise<number> {
    if (this.#parts.connection.closed) return Promise.reject(new StoreClosedError());
    const stream = this.#parts.connection.duplex(this.#parts.methods.leaseKeepAlive);
    return new Promise((resolve, reject) => {
      stream.on('data', (answer) => {
        const ttl = toNumber(answer.TTL);
        if (ttl > 0) resolve(ttl);
        else reject(new LeaseNotFoundError(id));
        stream.cancel();
      });
      stream.on('error', (error: Error) => reject(toStoreError(error, { reads: true, lease: id })));
      stream.on('end', () => reject(new LeaseNotFoundError(id)));
      stream.write({ ID: id });
    });
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
    const closing = this.#parts.connection.close();
    for (const watch of this.#watches) watch.end(new StoreClosedError());
    await closing;
  }

  #read<Answer>(method: Method<Answer>, request: object): Promise<Answer> {
    return this.#parts.connection.call(method, request, true);
  }

  #write<Answer>(method: Method<Answer>, request: object): Promise<Answer> {
    return this.#parts.connection.call(method, request, false);
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
  #askCompactRevision(): Promise<number> {
    if (this.#parts.connection.closed) return Promise.reject(new StoreClosedError());
    const stream = this.#parts.connection.duplex(this.#parts.methods.watch);
    return new Promise((resolve, reject) => {
      stream.on('error', (error: Error) => reject(toStoreError(error, { reads: true })));
      stream.on('data', (response) => {
        if (response.canceled !== true) return;
        resolve(toNumber(response.compact_revision));
        stream.cancel();
      });
      stream.write({ create_request: { key: Buffer.from([0]), start_revision: 1 } });
    });
  }
}

const LEASE_ID_BITS_DROPPED = 12;

/** Positive, and exact as a number: the server's own would have 63 bits. */
function pickLeaseId(): number {
  return Number(randomBytes(8).readBigUInt64BE() >> BigInt(LEASE_ID_BITS_DROPPED)) + 1;
}
