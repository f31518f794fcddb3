import { cacheKey, ObjectCache } from './object-cache.ts';
import { Reflector } from './reflector.ts';
import { assert, orAborted } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import type { KubeObject, WatchEvent } from '@binnacle/machinery';
import type { ResourceRef } from '@binnacle/api';
import type { Client, ClientWorld, InformerHandler, InformerNeeds, InformerOptions, SharedInformer } from './ports.ts';

/** A cache of one resource that follows the server once started. Handlers run synchronously and must not throw. */
export function createInformer<T extends KubeObject>(
  client: Client,
  ref: ResourceRef<T>,
  world: ClientWorld,
  options: InformerOptions<T> = {},
): SharedInformer<T> {
  return new CachedInformer(client, ref, world, options);
}

class CachedInformer<T extends KubeObject> implements SharedInformer<T> {
  readonly #name: string;
  readonly #world: ClientWorld;
  #project: ((object: T) => T) | undefined;
  readonly #cache: ObjectCache<T>;
  #handlers: readonly InformerHandler<T>[] = [];
  readonly #reflector: Reflector<T>;
  readonly #synced = Promise.withResolvers<void>();
  #isSynced = false;
  #started = false;
  #resourceVersion = '';

  constructor(client: Client, ref: ResourceRef<T>, world: ClientWorld, options: InformerOptions<T>) {
    this.#name = ref.group === '' ? ref.resource : `${ref.resource}.${ref.group}`;
    this.#world = world;
    this.#project = options.project;
    this.#cache = new ObjectCache(options.indexes ?? {});
    this.#reflector = new Reflector<T>({
      name: this.#name,
      source: client.resource(ref, options.namespace),
      world,
      selectors: {
        ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
        ...(options.fieldSelector === undefined ? {} : { fieldSelector: options.fieldSelector }),
      },
      sink: {
        replace: (items, version) => this.#replace(items, version),
        apply: (event, version) => this.#apply(event, version),
        progress: (version) => {
          this.#resourceVersion = version;
        },
      },
    });
  }

  declare({ indexes = {}, project }: InformerNeeds<T>): void {
    this.#cache.declare(indexes, this.#started ? 'closed' : 'open');
    if (this.#project === undefined || project === this.#project) return;
    assert(!this.#started, 'a cache that has started keeps its projection', { informer: this.#name });
    this.#project = undefined;
  }

  start(scope: Scope): void {
    if (this.#started) return;
    this.#started = true;
    scope.run(`informer ${this.#name}`, (signal) => this.#reflector.run(signal));
  }

  get synced(): boolean {
    return this.#isSynced;
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    if (signal === undefined || this.#isSynced) return this.#synced.promise;
    return orAborted(this.#synced.promise, signal);
  }

  get(key: string): T | undefined {
    return this.#cache.get(key);
  }

  list(): readonly T[] {
    return this.#cache.values();
  }

  get size(): number {
    return this.#cache.size;
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#cache.under(index, value);
  }

  countByIndex(index: string, value: string): number {
    return this.#cache.countUnder(index, value);
  }

  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  subscribe(handler: InformerHandler<T>): () => void {
    this.#handlers = [...this.#handlers, handler];
    for (const object of this.#cache.values()) this.#tell(handler, undefined, object);
    return () => {
      this.#handlers = this.#handlers.filter((other) => other !== handler);
    };
  }

  #replace(items: readonly T[], version: string): void {
    const gone = new Set<string>();
    for (const [key] of this.#cache.entries()) gone.add(key);
    for (const item of items) {
      const key = cacheKey(item);
      gone.delete(key);
      this.#put(key, item);
    }
    for (const key of gone) this.#remove(key);
    this.#resourceVersion = version;
    if (this.#isSynced) return;
    this.#isSynced = true;
    this.#synced.resolve();
  }

  #apply({ type, object, key = cacheKey(object) }: WatchEvent<T>, version: string): void {
    this.#resourceVersion = version;
    if (type !== 'DELETED') this.#put(key, object);
    else this.#remove(key, object);
  }

  #put(key: string, raw: T): void {
    const before = this.#cache.get(key);
    if (before !== undefined && sameVersion(before, raw)) return;
    const object = this.#project === undefined ? raw : this.#project(raw);
    if (before !== undefined && before.metadata.uid !== object.metadata.uid) {
      // Deleted and made anew while we were not looking: two objects, not one change.
      this.#remove(key);
      this.#put(key, raw);
      return;
    }
    this.#cache.put(key, object, before);
    for (const handler of this.#handlers) this.#tell(handler, before, object);
  }

  #remove(key: string, last?: T): void {
    const before = this.#cache.remove(key);
    if (before === undefined) return;
    const object = last === undefined ? before : this.#project === undefined ? last : this.#project(last);
    for (const handler of this.#handlers) this.#tell(handler, object, undefined);
  }

  /** One handler's bug must not cost the others their events. */
  #tell(handler: InformerHandler<T>, before: T | undefined, after: T | undefined): void {
    try {
      if (after === undefined) handler.remove?.(before as T);
      else if (before === undefined) handler.add?.(after);
      else handler.update?.(before, after);
    } catch (error) {
      this.#world.log.error(error, 'informer handler failed', { informer: this.#name });
    }
  }
}

function sameVersion(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.resourceVersion === b.metadata.resourceVersion && a.metadata.uid === b.metadata.uid;
}
