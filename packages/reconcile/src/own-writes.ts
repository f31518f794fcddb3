import type { Clock } from '@binnacle/base';
import { deepEqual } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import { cacheKey } from '@binnacle/client';

interface Write {
  readonly uid: string;
  /** The revision that the write made; Infinity for a deletion. */
  readonly revision: number;
  readonly atMs: number;
}

/** After this long the events are taken as lost and the cache is believed as it is. */
const TIMEOUT_MS = 5 * 60_000;

/**
 * What a controller wrote and has not seen in its cache yet, per key of its queue. Whoever moves things between
 * several objects must not plan from a mixture of old and new ones. Revisions of one resource can be compared (v1.35).
 */
export class OwnWrites {
  readonly #clock: Clock;
  readonly #cache: { get(key: string): KubeObject | undefined };
  readonly #byKey = new Map<string, Map<string, Write>>();

  constructor(clock: Clock, cache: { get(key: string): KubeObject | undefined }) {
    this.#clock = clock;
    this.#cache = cache;
  }

  /** The object as the server answered it; the cache may have been told before we were. */
  wrote(key: string, object: KubeObject): void {
    this.#note(key, object, revisionOf(object));
  }

  deleted(key: string, object: KubeObject): void {
    this.#note(key, object, Number.POSITIVE_INFINITY);
  }

  /** The cache shows this now. Whether it is what we wrote, and nothing that somebody else did. */
  see(key: string, object: KubeObject): boolean {
    const writes = this.#byKey.get(key);
    const write = writes?.get(object.metadata.name ?? '');
    if (writes === undefined || write === undefined) return false;
    const revision = revisionOf(object);
    const sameObject = write.uid === object.metadata.uid;
    if (sameObject && revision < write.revision) return true;
    this.#settle(key, writes, object);
    return sameObject && revision === write.revision;
  }

  /** The cache shows that it is gone. Whether we did that. */
  seeGone(key: string, object: KubeObject): boolean {
    const writes = this.#byKey.get(key);
    const write = writes?.get(object.metadata.name ?? '');
    if (writes === undefined || write?.uid !== object.metadata.uid) return false;
    this.#settle(key, writes, object);
    return write?.revision === Number.POSITIVE_INFINITY;
  }

  /** 0: the cache has caught up. Otherwise how long until it is believed anyway, ms. */
  remainingMs(key: string): number {
    const writes = this.#byKey.get(key);
    if (writes === undefined) return 0;
    let remaining = 0;
    for (const { atMs } of writes.values()) {
      remaining = Math.max(remaining, atMs + TIMEOUT_MS - this.#clock.monotonic());
    }
    if (remaining <= 0) this.#byKey.delete(key);
    return Math.max(0, remaining);
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }

  #note(key: string, object: KubeObject, revision: number): void {
    const cached = this.#cache.get(cacheKey(object));
    // It shows that, or what came after it, be it another object of that name.
    if (cached !== undefined && revisionOf(cached) >= revision) return;
    const isShown = cached?.metadata.uid === object.metadata.uid;
    if (revision === Number.POSITIVE_INFINITY && !isShown) return;
    let writes = this.#byKey.get(key);
    if (writes === undefined) this.#byKey.set(key, (writes = new Map()));
    const { name = '', uid = '' } = object.metadata;
    writes.set(name, { uid, revision, atMs: this.#clock.monotonic() });
  }

  #settle(key: string, writes: Map<string, Write>, object: KubeObject): void {
    writes.delete(object.metadata.name ?? '');
    if (writes.size === 0) this.#byKey.delete(key);
  }
}

/** Whether two versions of an object differ in what its status says and in nothing else. */
export function differsInStatusAlone(before: KubeObject, after: KubeObject): boolean {
  const [was, is] = [restOf(before), restOf(after)];
  return deepEqual(was, is) && deepEqual(restOfMetadata(before), restOfMetadata(after));
}

function restOf(object: KubeObject): object {
  const { metadata: _metadata, status: _status, ...rest } = object as KubeObject & { readonly status?: unknown };
  return rest;
}

function restOfMetadata({ metadata }: KubeObject): object {
  const { resourceVersion: _revision, managedFields: _owners, ...rest } = metadata;
  return rest;
}

function revisionOf(object: KubeObject): number {
  return Number(object.metadata.resourceVersion ?? 0);
}
