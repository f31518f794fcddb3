import { assert } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import type { Store } from '@binnacle/store';
import { walk } from '../cache/snapshot-map.ts';
import type { Follower, WatchCache } from '../cache/watch-cache.ts';
import type { CacheReader, ResourceRefLike } from '../ports/reader.ts';
import { keyOf } from '../storage/keys.ts';
import type { Catalogue } from './catalogue.ts';
import type { StoredResource } from './definition.ts';

/** The server's own reads, straight from the caches that stand (those of eager definitions). */
export class StandingCaches implements CacheReader {
  readonly #catalogue: Catalogue;
  readonly #store: Store;
  /** Who asked to follow before the caches stood; undefined from then on. */
  #early: (() => void)[] | undefined = [];

  readonly #lists = new WeakMap<WatchCache, Lists>();

  constructor(catalogue: Catalogue, store: Store) {
    this.#catalogue = catalogue;
    this.#store = store;
  }

  /** The caches stand: whoever asked to follow them is told what is there. */
  begin(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const follow of early) follow();
  }

  get(ref: ResourceRefLike, namespace: string, name: string): KubeObject | undefined {
    return this.#standing(ref).cache.get(keyOf(namespace !== '', namespace, name))?.object;
  }

  list(ref: ResourceRefLike, namespace?: string): readonly KubeObject[] {
    const { cache } = this.#standing(ref);
    if (cache.size === 0) return NONE;
    if (cache.size > FEW) return listOf(cache, namespace);
    // What few have (quotas, limits, classes) is asked for at each request, and seldom changes.
    let lists = this.#lists.get(cache);
    if (lists?.changes !== cache.changes || lists.byNamespace.size > FEW) {
      this.#lists.set(cache, (lists = { changes: cache.changes, byNamespace: new Map() }));
    }
    const where = namespace ?? '';
    let known = lists.byNamespace.get(where);
    if (known === undefined) lists.byNamespace.set(where, (known = listOf(cache, where)));
    return known;
  }

  follow(ref: ResourceRefLike, onChange: Follower): () => void {
    if (this.#early === undefined) return this.#standing(ref).cache.follow(onChange);
    let over = false;
    let stop = (): void => undefined;
    this.#early.push(() => {
      if (!over) stop = this.#standing(ref).cache.follow(onChange);
    });
    return () => {
      over = true;
      stop();
    };
  }

  async getLive(ref: ResourceRefLike, namespace: string, name: string): Promise<KubeObject | undefined> {
    const { cache } = this.#stored(ref);
    const { kvs } = await this.#store.range({ key: cache.prefix + keyOf(namespace !== '', namespace, name) });
    return kvs[0] === undefined ? undefined : cache.entryOf(kvs[0]).object;
  }

  #stored(ref: ResourceRefLike): StoredResource {
    const stored = this.#catalogue.stored(ref);
    if (stored === undefined) assert(false, 'the resource is stored', { ...ref });
    return stored;
  }

  #standing(ref: ResourceRefLike): StoredResource {
    const stored = this.#stored(ref);
    if (!stored.cache.stands) assert(false, 'the cache stands before it is read', { ...ref });
    return stored;
  }
}

/** Lists of caches with at most so many objects are kept, for so many namespaces. */
const FEW = 64;
const NONE: readonly KubeObject[] = [];

/** Lists of one cache as of so many changes. */
interface Lists {
  readonly changes: number;
  readonly byNamespace: Map<string, readonly KubeObject[]>;
}

/** Empty or absent: of all namespaces. */
function listOf(cache: WatchCache, namespace: string | undefined): readonly KubeObject[] {
  const found: KubeObject[] = [];
  const prefix = namespace === undefined || namespace === '' ? '' : `${namespace}/`;
  for (const entry of walk(cache.snapshot(), prefix, '')) found.push(entry.object);
  return found;
}
