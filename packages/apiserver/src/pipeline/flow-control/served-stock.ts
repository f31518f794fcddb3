import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { ServedStock } from '../../fairness/request-work.ts';
import { keyOf } from '../../storage/keys.ts';

/** What the watch caches know of the resources that requests are about. */
export function createServedStock(catalogue: Pick<Catalogue, 'find'>): ServedStock {
  return {
    stockOf({ group, version, resource }) {
      const cache = catalogue.find(group, version, resource)?.stored.cache;
      return cache?.ready === true ? { objects: cache.size, bytes: cache.bytes } : undefined;
    },
    watchersOf({ group, version, resource, namespace, name }) {
      const served = catalogue.find(group, version, resource);
      if (served === undefined) return 0;
      const { namespaced } = served.info;
      const key = name === '' ? undefined : keyOf(namespaced, namespace, name);
      return served.stored.cache.subscribers.interested(namespaced ? namespace : '', key);
    },
  };
}
