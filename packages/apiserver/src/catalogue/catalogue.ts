import type { ResourceInfo } from '@binnacle/api';
import { assert } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { SchemaLayers, SchemaTable } from '@binnacle/machinery';
import type { Store } from '@binnacle/store';
import type { Feed } from '../cache/feed.ts';
import type { ResourceRefLike } from '../ports/reader.ts';
import type {
  AnyCall,
  ComputedDefinition,
  Definition,
  Handlers,
  StoredDefinition,
  ServedResource,
  StoredResource,
} from './definition.ts';
import { resourceName } from './definition.ts';
import { createServedResource, createStoredResource } from './resource.ts';

/** A resource that is not stored, in one version. */
export interface ComputedResource {
  readonly info: ResourceInfo;
  readonly handlers: Handlers<AnyCall>;
  /** Callers are told with every request: it is deprecated. */
  readonly warning?: string;
}

export interface CatalogueOptions {
  readonly store: Store;
  readonly feed: Feed;
  /** Definitions lay their own structs on top and take them away again. */
  readonly schemas: SchemaLayers;
  /** Hears of stored objects that cannot be read. */
  readonly log?: Logger;
  readonly assertions: boolean;
}

interface Known {
  readonly definition: Definition;
  readonly stored: StoredResource | undefined;
}

/**
 * What is served. Definitions come and go while the server runs; built-in and custom ones are the same to every
 * verb, cache, printer and document. Whoever derives something from it keeps the generation that it was made of.
 */
export class Catalogue {
  readonly #options: CatalogueOptions;
  readonly #known = new Map<string, Known>();
  /**
   * By resource, its few groups and versions one after the other: asked several times by every request, so that
   * no key is put together for it.
   */
  readonly #served = new Map<string, ServedResource[]>();
  readonly #computed = new Map<string, ComputedResource[]>();
  readonly #followers = new Set<(generation: number) => void>();
  #infos: readonly ResourceInfo[] | undefined;
  #generation = 0;

  constructor(options: CatalogueOptions) {
    this.#options = options;
  }

  /** Grows with every change of what is served. */
  get generation(): number {
    return this.#generation;
  }

  /** Every resource in every version, by group, version and name. */
  get infos(): readonly ResourceInfo[] {
    this.#infos ??= [...this.#known.values()]
      .flatMap(({ definition }) => definition.versions.map(({ info }) => info))
      .sort(byGroupVersionResource);
    return this.#infos;
  }

  /** The definition of that name (`deployments.apps`). */
  definition(name: string): Definition | undefined {
    return this.#known.get(name)?.definition;
  }

  /** The structs that came with the definition of a resource. */
  structsOf(info: ResourceInfo): SchemaTable | undefined {
    return this.find(info.group, info.version, info.resource)?.stored.definition.structs;
  }

  /** A stored resource in one served version; undefined for computed and unknown ones. */
  find(group: string, version: string, resource: string): ServedResource | undefined {
    const named = this.#served.get(resource);
    if (named === undefined) return undefined;
    // By hand: each request asks several times.
    for (const served of named) if (served.info.group === group && served.info.version === version) return served;
    return undefined;
  }

  /** A resource that is not stored. */
  findComputed(group: string, version: string, resource: string): ComputedResource | undefined {
    return this.#computed.get(resource)?.find(({ info }) => info.group === group && info.version === version);
  }

  /** In whatever version it is stored. */
  stored(ref: ResourceRefLike): StoredResource | undefined {
    const named = this.#served.get(ref.resource);
    if (named === undefined) return undefined;
    for (const { info, stored } of named) if (info.group === ref.group) return stored;
    return undefined;
  }

  all(): readonly StoredResource[] {
    return [...this.#known.values()].flatMap(({ stored }) => stored ?? []);
  }

  /** Serves one more resource. Its name, and group and resource of each of its versions, must be free. */
  add(definition: Definition): void {
    assert(!this.#known.has(definition.name), 'a resource has one definition', { name: definition.name });
    this.#put(definition);
    this.#changed();
  }

  /** Serves a resource by another definition: its open watches end, its cache is read anew when it is used. */
  replace(definition: Definition): void {
    this.#take(definition.name);
    this.#put(definition);
    this.#changed();
  }

  /** Serves it no more: 404 from now on, its open watches end. What is stored stays. */
  remove(name: string): void {
    this.#take(name);
    this.#changed();
  }

  /** Tells of every change, after it, with the new generation. The answer ends it. */
  follow(onChange: (generation: number) => void): () => void {
    this.#followers.add(onChange);
    return () => this.#followers.delete(onChange);
  }

  /** Reads what the server itself reads synchronously. */
  async startEager(): Promise<void> {
    await Promise.all(this.all().flatMap(({ definition, cache }) => (definition.eager === true ? cache.start() : [])));
  }

  /** Ends all watches. */
  close(): void {
    for (const { cache } of this.all()) cache.subscribers.endAll();
  }

  #put(definition: Definition): void {
    for (const { info } of definition.versions) {
      const taken = this.find(info.group, info.version, info.resource) ?? this.#findComputed(info);
      assert(taken === undefined, 'a path has one definition', { name: definition.name, version: info.version });
    }
    const stored = definition.kind === 'stored' ? this.#putStored(definition) : this.#putComputed(definition);
    this.#known.set(definition.name, { definition, stored });
  }

  #findComputed({ group, version, resource }: ResourceInfo): ComputedResource | undefined {
    return this.findComputed(group, version, resource);
  }

  #putStored(definition: StoredDefinition): StoredResource {
    const { schemas, feed } = this.#options;
    assert(resourceName(definition.storage) === definition.name, 'a definition is named after what it stores');
    if (definition.structs !== undefined) schemas.put(definition.name, definition.structs);
    const stored = createStoredResource(definition, this.#options);
    feed.register(stored.cache);
    for (const version of definition.versions) {
      push(this.#served, version.info.resource, createServedResource(version, stored, schemas));
    }
    return stored;
  }

  #putComputed(definition: ComputedDefinition): undefined {
    if (definition.structs !== undefined) this.#options.schemas.put(definition.name, definition.structs);
    for (const version of definition.versions) push(this.#computed, version.info.resource, version);
    return undefined;
  }

  #take(name: string): void {
    const known = this.#known.get(name);
    assert(known !== undefined, 'the resource is in the catalogue', { name });
    this.#known.delete(name);
    const { definition, stored } = known;
    for (const { info } of definition.versions) {
      drop(this.#served, info);
      drop(this.#computed, info);
    }
    this.#options.schemas.drop(name);
    if (stored === undefined) return;
    this.#options.feed.unregister(stored.cache);
    stored.cache.close();
  }

  #changed(): void {
    this.#generation++;
    this.#infos = undefined;
    for (const follower of this.#followers) follower(this.#generation);
  }
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

function drop<T extends { readonly info: ResourceInfo }>(map: Map<string, T[]>, gone: ResourceInfo): void {
  const left = map.get(gone.resource)?.filter(({ info }) => info !== gone) ?? [];
  if (left.length === 0) map.delete(gone.resource);
  else map.set(gone.resource, left);
}

function byGroupVersionResource(a: ResourceInfo, b: ResourceInfo): number {
  return compare(a.group, b.group) || compare(a.version, b.version) || compare(a.resource, b.resource);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
