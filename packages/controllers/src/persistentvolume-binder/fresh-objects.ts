import type { KubeObject } from '@binnacle/machinery';
import { cacheKey } from '@binnacle/client';

/**
 * A cache together with what was written and does not show in it yet: of both, the newer one. Revisions of one
 * resource can be compared (v1.35).
 */
export class FreshObjects<T extends KubeObject> {
  readonly #cache: { get(key: string): T | undefined };
  readonly #written = new Map<string, T>();

  constructor(cache: { get(key: string): T | undefined }) {
    this.#cache = cache;
  }

  /** `namespace/name`, or `name` for cluster-scoped kinds. */
  get(key: string): T | undefined {
    const cached = this.#cache.get(key);
    const written = this.#written.get(key);
    if (written === undefined) return cached;
    if (cached === undefined || revisionOf(cached) < revisionOf(written)) return written;
    this.#written.delete(key);
    return cached;
  }

  /** The object as the server answered it. */
  wrote(object: T): void {
    const key = cacheKey(object);
    const cached = this.#cache.get(key);
    if (cached === undefined || revisionOf(cached) < revisionOf(object)) this.#written.set(key, object);
  }

  /** The cache was told of this object: what was written before it is of no use any more. */
  see(object: T): void {
    const key = cacheKey(object);
    const written = this.#written.get(key);
    if (written !== undefined && revisionOf(written) <= revisionOf(object)) this.#written.delete(key);
  }

  /** The object is gone. */
  forget(key: string): void {
    this.#written.delete(key);
  }
}

function revisionOf({ metadata }: KubeObject): number {
  return Number(metadata.resourceVersion ?? 0);
}
