import { findResource, RESOURCES } from '@binnacle/api';
import type { ResourceInfo } from '@binnacle/api';
import { EAGER } from './eager.ts';
import type { Feed } from '../cache/feed.ts';
import type { ResourceRefLike } from '../ports/reader.ts';
import type { Strategy } from '../ports/strategy.ts';
import type { ServedResource, StoredResource } from './resource.ts';
import { createServedResource } from './serve-version.ts';
import { createStoredResource } from './keep-resource.ts';
import type { StoringOptions } from './keep-resource.ts';

export interface ResourceTableOptions extends StoringOptions {
  readonly feed: Feed;
}

/** What is served: every resource of the table with its cache, rules and strategy. */
export class ResourceTable {
  /**
   * By resource, its few groups and versions one after the other: asked several times by every request, so that
   * no key is put together for it.
   */
  readonly #served = new Map<string, ServedResource[]>();

  constructor(options: ResourceTableOptions) {
    for (const info of RESOURCES) {
      if (info.virtual) continue;
      const made = createServedResource(info, this.#storedOf(info, options));
      const versions = this.#served.get(info.resource);
      if (versions === undefined) this.#served.set(info.resource, [made]);
      else versions.push(made);
    }
  }

  /** A stored resource in one served version; undefined for virtual and unknown ones. */
  find(group: string, version: string, resource: string): ServedResource | undefined {
    return this.#served.get(resource)?.find(({ info }) => info.group === group && info.version === version);
  }

  /** In whatever version it is stored. */
  stored(ref: ResourceRefLike): StoredResource | undefined {
    return this.#served.get(ref.resource)?.find(({ info }) => info.group === ref.group)?.stored;
  }

  all(): Iterable<StoredResource> {
    return new Set([...this.#served.values()].flat().map(({ stored }) => stored));
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
    const known = this.#served.get(info.resource)?.find(({ stored }) => stored.info === storage)?.stored;
    if (known !== undefined) return known;
    const made = createStoredResource(storage, options);
    options.feed.register(made.cache);
    return made;
  }
}
