import { assert } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import type { CacheReader, ResourceRefLike } from '../ports/reader.ts';
import type { ResourceTable } from './resource-table.ts';
import type { StoredResource } from './resource.ts';
import { walk } from '../cache/snapshot-map.ts';
import type { Store } from '@binnacle/store';

/** The server's own reads, straight from the caches that stand (cache/eager.ts). */
export function createCacheReader(resources: ResourceTable, store: Store): CacheReader {
  const of = (ref: ResourceRefLike): StoredResource => {
    const stored = resources.stored(ref);
    assert(stored !== undefined, 'the resource is stored', { ...ref });
    return stored;
  };
  const standing = (ref: ResourceRefLike): StoredResource => {
    const stored = of(ref);
    assert(stored.cache.ready, 'the cache stands before it is read', { ...ref });
    return stored;
  };
  return {
    get: (ref, namespace, name) => standing(ref).cache.get(keyIn(namespace, name))?.object,
    list(ref, namespace) {
      const { cache } = standing(ref);
      const found: KubeObject[] = [];
      const prefix = namespace === undefined || namespace === '' ? '' : `${namespace}/`;
      for (const entry of walk(cache.snapshot(), prefix, '')) found.push(entry.object);
      return found;
    },
    follow: (ref, onChange) => standing(ref).cache.follow(onChange),
    async getLive(ref, namespace, name) {
      const stored = of(ref);
      const { kvs } = await store.range({ key: stored.cache.prefix + keyIn(namespace, name) });
      return kvs[0] === undefined ? undefined : stored.cache.entryOf(kvs[0]).object;
    },
  };
}

function keyIn(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}
