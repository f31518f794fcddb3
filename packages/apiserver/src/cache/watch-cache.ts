import { sameBytes } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import { prefixEnd } from '@binnacle/store';
import type { KeyValue, Store, StoreEvent } from '@binnacle/store';
import { Entry, UnreadableObjectError } from './entry.ts';
import type { EntryCodec } from '../storage/codec.ts';
import { cacheEvent } from './event.ts';
import type { CacheEvent } from './event.ts';
import { EventRing } from './event-ring.ts';
import { SnapshotMap } from './snapshot-map.ts';
import type { Chunks } from './snapshot-map.ts';
import { Subscribers } from './subscribers.ts';

export interface WatchCacheOptions {
  readonly store: Store;
  /** `/registry/pods/`, with the slash. */
  readonly prefix: string;
  readonly codec: EntryCodec;
  /** The value of the one field that lists and watches of this resource often select by (`spec.nodeName`). */
  readonly indexed?: (object: KubeObject) => string;
  /** Something is stored that cannot be read: under which key of the store, and why. */
  readonly onUnreadable?: (storeKey: string, why: string) => void;
}

/** What a write under way will bring: the cache's key, the bytes, and what they decode to. */
export interface ExpectedWrite {
  readonly key: string;
  readonly value: Uint8Array;
  readonly object: KubeObject;
}

export type Follower = (before: KubeObject | undefined, after: KubeObject | undefined) => void;

/** A bound on what one resource's ring keeps: resumed watches older than that are served from the store. */
const RING = { events: 2048, bytes: 16 << 20 };

/** Of lists that were answered by a cache: how many, of how many objects looked at and given. */
export interface Listed {
  readonly lists: number;
  readonly fetched: number;
  readonly returned: number;
}

/** What is counted of one cache, from its start on. */
export interface CacheCounts {
  /** Objects that the store was asked for, when all was read. */
  fetched: number;
  /** Of these, those that can be read. */
  taken: number;
  /** Events that watches began with: what was there, or what they had missed. */
  initial: number;
  /** Watches that ended because their clients were too slow. */
  cutOff: number;
}

const NOT_LISTED: Listed = { lists: 0, fetched: 0, returned: 0 };

/**
 * All objects of one stored resource, in memory, with their last events. Fed by the one feed of the store; a write
 * of an embedded engine is in here before it is acknowledged, so reads are linearizable without asking the store.
 */
export class WatchCache {
  readonly prefix: string;
  readonly subscribers: Subscribers;
  /** For whoever reads the store for this cache, and for its watches, to go on with. */
  readonly counts: CacheCounts = { fetched: 0, taken: 0, initial: 0, cutOff: 0 };
  readonly #options: WatchCacheOptions;
  readonly #entries = new SnapshotMap<Entry>();
  readonly #ring = new EventRing(0, RING);
  readonly #followers = new Set<Follower>();
  /** What is stored and cannot be read, by the cache's key, with the reason; it is nowhere else in here. */
  readonly #unreadable = new Map<string, string>();
  /** Writes under way by the store's key: spares their decoding when the store reports them. */
  readonly #expected = new Map<string, ExpectedWrite>();
  #byIndex: Map<string, Map<string, Entry>> | undefined;
  #queued: StoreEvent[] | undefined;
  #starting: Promise<void> | undefined;
  #ready = false;
  /** Somebody has asked for it: from then on it is kept complete. */
  #isWanted = false;
  /** What followers know, while events that they missed are being read. */
  #outdated: Chunks<Entry> | undefined;
  #lastChange = 0;
  #changes = 0;
  #received = 0;
  #readings = 0;
  #listed: Listed = NOT_LISTED;
  #bytes = 0;

  constructor(options: WatchCacheOptions) {
    this.prefix = options.prefix;
    this.#options = options;
    this.subscribers = new Subscribers(options.indexed);
  }

  get ready(): boolean {
    return this.#ready;
  }

  /** Whether it may be looked into: while it is read again after lost events it shows what was known before. */
  get stands(): boolean {
    return this.#ready || this.#outdated !== undefined;
  }

  /** The state here is that of every revision from this one to the feed's. */
  get lastChange(): number {
    return this.#lastChange;
  }

  /** Another number whenever anything in here is another. */
  get changes(): number {
    return this.#changes;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** How many events of the store have come since the start. */
  get received(): number {
    return this.#received;
  }

  /** How often all was read from the store. */
  get readings(): number {
    return this.#readings;
  }

  /** What lists have had of it. */
  get listed(): Listed {
    return this.#listed;
  }

  /** A list was answered from here. */
  noteList(fetched: number, returned: number): void {
    const { lists, fetched: before, returned: given } = this.#listed;
    this.#listed = { lists: lists + 1, fetched: before + fetched, returned: given + returned };
  }

  /** How many events are kept for watches that resume, at most. */
  get capacity(): number {
    return RING.events;
  }

  /** What all objects weigh as they are stored. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Reads the resource from the store, once; later calls wait for the same end. What failed is begun anew by the next. */
  start(): Promise<void> {
    this.#isWanted = true;
    this.#starting ??= this.#attempt();
    return this.#starting;
  }

  /** Keys of what is stored and cannot be read, with the reasons. Usually empty. */
  get unreadable(): ReadonlyMap<string, string> {
    return this.#unreadable;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  snapshot(): Chunks<Entry> {
    return this.#entries.snapshot();
  }

  /** Entries whose indexed field has this value, in the order of their keys. */
  byIndex(value: string): readonly Entry[] {
    const found = this.#index()?.get(value);
    return found === undefined ? [] : [...found.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  get indexed(): boolean {
    return this.#options.indexed !== undefined;
  }

  /** Events after `revision`, or undefined where the ring no longer has them all. */
  eventsAfter(revision: number): readonly CacheEvent[] | undefined {
    return this.#ring.after(revision);
  }

  get ringSince(): number {
    return this.#ring.since;
  }

  /** Replays what is there, then reports every change, synchronously. The answer ends it. */
  follow(onChange: Follower): () => void {
    for (const chunk of this.#entries.snapshot()) {
      for (const entry of chunk) if (this.#isReadable(entry)) onChange(undefined, entry.object);
    }
    this.#followers.add(onChange);
    return () => this.#followers.delete(onChange);
  }

  /** Says that a write is under way to this key of the store. `settled` takes it back. */
  expect(storeKey: string, write: ExpectedWrite): void {
    this.#expected.set(storeKey, write);
  }

  settled(storeKey: string, value: Uint8Array): void {
    if (this.#expected.get(storeKey)?.value === value) this.#expected.delete(storeKey);
  }

  /** The resource is served no more: ends all watches, those that are about to open too. */
  close(): void {
    this.#followers.clear();
    this.subscribers.close();
  }

  /** Takes one event of the store, in order. */
  apply(event: StoreEvent): void {
    if (this.#ready) this.#take(event);
    else this.#queued?.push(event);
  }

  /** An entry of this cache made from what the store said, without putting it in. */
  entryOf(kv: KeyValue): Entry {
    return new Entry(
      { key: kv.key.slice(this.prefix.length), revision: kv.modRevision, value: kv.value },
      this.#options.codec,
    );
  }

  /** After the feed lost events: reads all again, tells followers the difference and ends the watchers. May be tried again. */
  async reload(): Promise<void> {
    if (!this.#isWanted) return;
    this.#outdated ??= this.#entries.snapshot();
    this.#ready = false;
    this.#starting = this.#attempt();
    await this.#starting;
  }

  /** What was known before events were lost is not: followers hear what became of it, watchers have to resume. */
  #catchUp(old: Chunks<Entry>): void {
    for (const chunk of old) {
      for (const before of chunk) {
        const after = this.#entries.get(before.key);
        if (after?.revision !== before.revision) this.#tellFollowers(before, after);
      }
    }
    const known = new Set(old.flatMap((chunk) => chunk.map((entry) => entry.key)));
    for (const chunk of this.#entries.snapshot()) {
      for (const entry of chunk) if (!known.has(entry.key)) this.#tellFollowers(undefined, entry);
    }
    this.subscribers.endAll();
  }

  async #attempt(): Promise<void> {
    const queued: StoreEvent[] = [];
    this.#queued = queued;
    try {
      await this.#load(queued);
    } catch (error) {
      // Another attempt may be under way by now.
      if (this.#queued === queued) {
        this.#queued = undefined;
        this.#starting = undefined;
      }
      throw error;
    }
  }

  async #load(queued: readonly StoreEvent[]): Promise<void> {
    const { prefix, store } = this.#options;
    const result = await store.range({ key: prefix, end: prefixEnd(prefix) });
    // Begun anew in the meantime.
    if (this.#queued !== queued) return this.start();
    this.#unreadable.clear();
    for (const key of result.damaged ?? []) {
      this.#setAside(key.slice(prefix.length), result.reasons?.get(key) ?? 'it fails its checksum');
    }
    const isDecoded = this.#followers.size > 0 || this.indexed;
    const entries = result.kvs.map((kv) => this.entryOf(kv));
    this.#entries.reset(
      entries.filter((entry) => (!isDecoded && this.#looksRight(entry.value)) || this.#isReadable(entry)),
    );
    this.#changes++;
    this.#bytes = 0;
    for (const chunk of this.#entries.snapshot()) for (const { value } of chunk) this.#bytes += value.length;
    this.#byIndex = undefined;
    this.#ring.reset(result.revision);
    this.#readings++;
    this.counts.fetched += entries.length + (result.damaged?.length ?? 0);
    this.counts.taken += this.size;
    this.#lastChange = result.revision;
    this.#ready = true;
    this.#queued = undefined;
    const outdated = this.#outdated;
    this.#outdated = undefined;
    if (outdated !== undefined) this.#catchUp(outdated);
    for (const event of queued) if (event.kv.modRevision > result.revision) this.#take(event);
  }

  #take(event: StoreEvent): void {
    const expected = this.#expected.get(event.kv.key);
    const key = expected?.key ?? event.kv.key.slice(this.prefix.length);
    const before = this.#entries.get(key);
    if (before !== undefined && before.revision >= event.kv.modRevision) return;
    this.#changes++;
    this.#received++;
    this.#unreadable.delete(key);
    const after = event.type === 'put' ? this.#entry(event.kv, key, expected) : undefined;
    if (after === undefined && before === undefined) return;
    if (after === undefined) this.#entries.delete(key);
    else this.#entries.set(after);
    this.#bytes += (after?.value.length ?? 0) - (before?.value.length ?? 0);
    this.#lastChange = event.kv.modRevision;
    this.#reindex(before, after);
    const change = cacheEvent(event.kv.modRevision, before, after);
    this.#ring.push(change);
    this.#tellFollowers(before, after);
    this.subscribers.dispatch(change);
  }

  /** Undefined for what cannot be read: to all others it is as if it were not there. */
  #entry(kv: KeyValue, key: string, expected: ExpectedWrite | undefined): Entry | undefined {
    const at = { key, revision: kv.modRevision, value: kv.value };
    if (expected === undefined || !sameBytes(expected.value, kv.value)) {
      const entry = new Entry(at, this.#options.codec);
      return this.#isReadable(entry) ? entry : undefined;
    }
    this.#expected.delete(kv.key);
    return new Entry(at, this.#options.codec, this.#options.codec.adopt(expected.object, kv.modRevision));
  }

  #looksRight(value: Uint8Array): boolean {
    const { head } = this.#options.codec;
    if (head === undefined) return false;
    for (let i = 0; i < head.length; i++) if (value[i] !== head[i]) return false;
    return true;
  }

  /** Decodes; what cannot be is named and set aside, so that one object does not take its list with it. */
  #isReadable(entry: Entry): boolean {
    try {
      return entry.object !== undefined;
    } catch (error) {
      if (!(error instanceof UnreadableObjectError)) throw error;
      this.#changes++;
      this.#bytes -= this.#entries.delete(entry.key)?.value.length ?? 0;
      this.#setAside(entry.key, error.why);
      return false;
    }
  }

  #setAside(key: string, why: string): void {
    this.#unreadable.set(key, why);
    this.#options.onUnreadable?.(this.prefix + key, why);
  }

  #tellFollowers(before: Entry | undefined, after: Entry | undefined): void {
    for (const follower of this.#followers) follower(before?.object, after?.object);
  }

  #index(): Map<string, Map<string, Entry>> | undefined {
    const { indexed } = this.#options;
    if (indexed === undefined || this.#byIndex !== undefined) return this.#byIndex;
    this.#byIndex = new Map();
    for (const chunk of this.#entries.snapshot()) for (const entry of chunk) this.#reindex(undefined, entry);
    return this.#byIndex;
  }

  #reindex(before: Entry | undefined, after: Entry | undefined): void {
    const { indexed } = this.#options;
    const index = this.#byIndex;
    if (indexed === undefined || index === undefined) return;
    if (before !== undefined) {
      const value = indexed(before.object);
      const bucket = index.get(value);
      bucket?.delete(before.key);
      if (bucket?.size === 0) index.delete(value);
    }
    if (after === undefined) return;
    const value = indexed(after.object);
    const bucket = index.get(value) ?? new Map<string, Entry>();
    bucket.set(after.key, after);
    index.set(value, bucket);
  }
}
