import { findResource, RESOURCES } from '@binnacle/api';
import type { ResourceInfo } from '@binnacle/api';
import { EAGER } from '../cache/eager.ts';
import type { Feed } from '../cache/feed.ts';
import type { ResourceRefLike, Strategy } from '../ports.ts';
import type { ServedResource, StoredResource } from './served.ts';
import { createServedResource } from './served-resource.ts';
import { createStoredResource } from './stored-resource.ts';
import type { StoringOptions } from './stored-resource.ts';

export interface ResourceTableOptions extends StoringOptions {
  readonly feed: Feed;
}

/** What is served: every resource of the table with its cache, rules and strategy. */
export class ResourceTable {
  readonly #stored = new Map<string, StoredResource>();
  readonly #served = new Map<string, ServedResource>();

  constructor(options: ResourceTableOptions) {
    for (const info of RESOURCES) {
      if (info.virtual) continue;
      this.#served.set(keyOf(info), createServedResource(info, this.#storedOf(info, options)));
    }
  }

  /** A stored resource in one served version; undefined for virtual and unknown ones. */
  find(group: string, version: string, resource: string): ServedResource | undefined {
    return this.#served.get(`${group}/${version}/${resource}`);
  }

  /** In whatever version it is stored. */
  stored(ref: ResourceRefLike): StoredResource | undefined {
    return this.#stored.get(`${ref.group}/${ref.resource}`);
  }

  all(): Iterable<StoredResource> {
    return this.#stored.values();
  }

  /** Joins what policy allocates (ClusterIPs) to the strategies of the kinds. */
  joinAllocations(allocations: ReadonlyMap<string, Pick<Strategy, 'allocate' | 'release'>>): void {
    for (const [name, allocation] of allocations) {
      const [resource = '', ...group] = name.split('.');
      const stored = this.stored({ group: group.join('.'), resource });
      if (stored !== undefined) Object.assign(stored.strategy, allocation);
    }
  }

  async startEager(): Promise<void> {
    await Promise.all(EAGER.flatMap((ref) => this.stored(ref)?.cache.start() ?? []));
  }

  #storedOf(info: ResourceInfo, options: ResourceTableOptions): StoredResource {
    const { group, version } = info.storage;
    const storage = findResource(group, version, info.resource) ?? info;
    const key = `${group}/${info.resource}`;
    const known = this.#stored.get(key);
    if (known !== undefined) return known;
    const made = createStoredResource(storage, options);
    this.#stored.set(key, made);
    options.feed.register(made.cache);
    return made;
  }
}

function keyOf(info: ResourceInfo): string {
  return `${info.group}/${info.version}/${info.resource}`;
}
