import type { Cause, Fence } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import type { Compare, KeyValue, Operation, Store, TxnRequest, TxnResult } from '@binnacle/store';
import type { Entry } from '../cache/entry.ts';
import type { Feed } from '../cache/feed.ts';
import { asDraft } from '../storage/draft.ts';
import type { Measures, StoreMeter } from '../ports/measures.ts';
import type { AnyCall, StoredResource } from '../catalogue/definition.ts';
import type { Recorder } from '../recording/recorder.ts';
import type { CauseTable } from '../storage/causes.ts';
import { flat } from '../storage/keys.ts';
import type { Fences } from './fences.ts';
import type { LeasePool } from '../storage/lease-pool.ts';

/** What a compare-and-swap came to: the new entry, or the key as somebody else left it (undefined: gone). */
export type WriteOutcome =
  | { readonly written: true; readonly entry: Entry }
  | { readonly written: false; readonly found: KeyValue | undefined };

export interface WriteRequest {
  readonly stored: StoredResource;
  /** `namespace/name`. */
  readonly key: string;
  /** In the stored version, just built. */
  readonly object: KubeObject;
  /** The revision it replaces; 0: it must not exist. */
  readonly replaces: number;
  /** For whom. */
  readonly call: WritingCall;
}

/** Why something is written, and in whose term. */
export type WritingCall = Pick<AnyCall, 'cause' | 'fence'>;

/** Where writes go, and what keeps score of them. */
export interface WriterOptions {
  readonly store: Store;
  readonly feed: Pick<Feed, 'revision' | 'waitFor'>;
  readonly leases: LeasePool;
  readonly causes: CauseTable;
  readonly recorder: Recorder;
  /** Who may still write. */
  readonly fences: Fences;
  /** Whether a value should be written anew although nothing in it changes. */
  readonly isStale: (value: Uint8Array, storeKey: string) => boolean;
  /** Times the calls. */
  readonly metrics?: Pick<Measures, 'now' | 'storeMeter'> | undefined;
}

type DeleteOutcome =
  | { readonly written: true; readonly revision: number }
  | { readonly written: false; readonly found: KeyValue | undefined };

/** Compare-and-swap of one object at a time. The one place that writes objects into the store. */
export class ObjectWriter {
  readonly #options: WriterOptions;
  readonly #meters = new WeakMap<StoredResource, StoreMeter>();

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** Puts an object where the key still is at the revision it replaces. Durable when it resolves. */
  async put(request: WriteRequest): Promise<WriteOutcome> {
    const { leases, causes, recorder, feed } = this.#options;
    const { stored } = request;
    const { object } = request;
    const draft = asDraft(object);
    if (draft.metadata.resourceVersion !== undefined) draft.metadata.resourceVersion = undefined;
    const value = stored.bytes.encode(draft);
    const lease = stored.traits.ttlSeconds > 0 ? await leases.take(stored.traits.ttlSeconds) : 0;
    const key = flat(stored.cache.prefix, request.key);
    const put: Operation = lease === 0 ? { type: 'put', key, value } : { type: 'put', key, value, lease };
    stored.cache.expect(key, { key: request.key, value, object });
    const { cause, fence } = request.call;
    const operation = request.replaces === 0 ? 'create' : 'update';
    const meter = this.#meterOf(stored);
    const since = recorder.monotonic();
    let ms: number | undefined;
    try {
      const result = await this.#swap({ key, replaces: request.replaces, fence }, put);
      ms = recorder.monotonic() - since;
      meter?.took(operation, false, ms / 1000);
      if (!result.succeeded) return lost(result);
      const { revision } = result;
      causes.remember(revision, cause);
      if (recorder.on) {
        const at = recorder.timeOf(since);
        this.#record({ stored, key: request.key, object, cause, operation, revision, at, ms });
      }
      if (revision > feed.revision) await feed.waitFor(revision);
      return { written: true, entry: entryAt(stored, { key: request.key, revision, value }) };
    } catch (error) {
      if (ms === undefined) meter?.took(operation, true, (recorder.monotonic() - since) / 1000);
      throw error;
    } finally {
      stored.cache.settled(key, value);
    }
  }

  /** Deletes a key that still is at this revision. Answers with the revision of the deletion. */
  async delete(
    stored: StoredResource,
    at: { readonly entry: Entry; readonly call: WritingCall },
  ): Promise<DeleteOutcome> {
    const { recorder } = this.#options;
    const key = flat(stored.cache.prefix, at.entry.key);
    const started = recorder.on ? recorder.now() : 0;
    const result = await this.#timed(
      'delete',
      stored,
      this.#swap({ key, replaces: at.entry.revision, fence: at.call.fence }, { type: 'delete', key }),
    );
    if (!result.succeeded) return lost(result);
    const { revision } = result;
    this.#options.causes.remember(revision, at.call.cause);
    if (recorder.on) {
      const { key: name, object } = at.entry;
      const ms = recorder.now() - started;
      this.#record({ stored, key: name, object, cause: at.call.cause, operation: 'delete', revision, at: started, ms });
    }
    await this.#options.feed.waitFor(result.revision);
    await stored.strategy.release?.(at.entry.object);
    return { written: true, revision };
  }

  /** Whether what rests in the store of this version should rest there in another form. */
  isStale({ cache }: Pick<StoredResource, 'cache'>, { key, value }: Entry): boolean {
    return this.#options.isStale(value, cache.prefix + key);
  }

  /** The key straight from the store. */
  async readLive(stored: StoredResource, key: string): Promise<Entry | undefined> {
    const { kvs } = await this.#timed('get', stored, this.#options.store.range({ key: stored.cache.prefix + key }));
    return kvs[0] === undefined ? undefined : stored.cache.entryOf(kvs[0]);
  }

  #record(write: RecordedWrite): void {
    const { recorder } = this.#options;
    const { stored, key, object, cause, operation, revision, at, ms } = write;
    const { group, resource, namespaced } = stored.info;
    const { uid } = object.metadata;
    recorder.commit({
      kind: 'commit',
      at,
      ms,
      operation,
      revision,
      group,
      resource,
      key,
      namespaced,
      uid,
      cause,
    });
  }

  /** Not an async function: it is on the way of every write. */
  #timed<T>(operation: Parameters<StoreMeter['took']>[0], stored: StoredResource, call: Promise<T>): Promise<T> {
    const { metrics } = this.#options;
    const meter = this.#meterOf(stored);
    if (metrics === undefined || meter === undefined) return call;
    const started = metrics.now();
    return call.then(
      (answer) => {
        meter.took(operation, false, metrics.now() - started);
        return answer;
      },
      (error: unknown) => {
        meter.took(operation, true, metrics.now() - started);
        throw error;
      },
    );
  }

  /** Undefined: nobody keeps score. */
  #meterOf(stored: StoredResource): StoreMeter | undefined {
    const { metrics } = this.#options;
    if (metrics === undefined) return undefined;
    let meter = this.#meters.get(stored);
    if (meter === undefined) {
      meter = metrics.storeMeter(stored.info.group, stored.info.resource);
      this.#meters.set(stored, meter);
    }
    return meter;
  }

  #swap(at: SwapTarget, operation: Operation): Promise<TxnResult> {
    const { store, fences } = this.#options;
    const { key, replaces, fence } = at;
    const compare: Compare = { target: 'modRevision', key, result: 'equal', value: replaces };
    const request: TxnRequest = { compare: [compare], success: [operation], failure: [{ type: 'range', key }] };
    return fence === undefined ? store.txn(request) : fences.commit(request, fence);
  }
}

interface SwapTarget {
  /** Of the store. */
  readonly key: string;
  readonly replaces: number;
  readonly fence: Fence | undefined;
}

interface RecordedWrite extends Omit<WriteRequest, 'replaces' | 'call'> {
  readonly cause: Cause;
  readonly operation: 'create' | 'update' | 'delete';
  readonly revision: number;
  /** When it began, by the recorder's time, and how long it took. */
  readonly at: number;
  readonly ms: number;
}

/** Somebody else was first: what the key is now. */
function lost({ results: [found] }: TxnResult): { readonly written: false; readonly found: KeyValue | undefined } {
  return { written: false, found: found?.type === 'range' ? found.kvs[0] : undefined };
}

/** The entry of a write that the cache has heard of: the cache's own, unless a later write is there already. */
function entryAt(
  stored: StoredResource,
  at: { readonly key: string; readonly revision: number; readonly value: Uint8Array },
): Entry {
  const entry = stored.cache.get(at.key);
  if (entry?.revision === at.revision) return entry;
  return stored.cache.entryOf({
    key: stored.cache.prefix + at.key,
    value: at.value,
    modRevision: at.revision,
    createRevision: 0,
    version: 0,
    lease: 0,
  });
}
