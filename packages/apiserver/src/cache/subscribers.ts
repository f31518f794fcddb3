import type { KubeObject } from '@binnacle/machinery';
import type { CacheEvent } from './event.ts';

/** Who wants the events of one resource, and which. The narrowest of the scopes given decides where it is filed. */
export interface Subscriber {
  readonly scope: {
    /** One object: `namespace/name`. */
    readonly key?: string;
    /** Objects whose indexed field has this value, before or after the change. */
    readonly indexed?: string;
    readonly namespace?: string;
  };
  /** Called synchronously for every event in scope; must be cheap and must not throw. */
  notify(event: CacheEvent): void;
  /** The cache was read anew and events may be missing, or the resource is served no more. */
  end(): void;
}

/** The watchers of one resource, filed so that an event finds those it may concern without asking all. */
export class Subscribers {
  readonly #indexed: ((object: KubeObject) => string) | undefined;
  readonly #all = new Set<Subscriber>();
  readonly #byKey = new Map<string, Set<Subscriber>>();
  readonly #byIndexed = new Map<string, Set<Subscriber>>();
  readonly #byNamespace = new Map<string, Set<Subscriber>>();
  #count = 0;
  #closed = false;

  constructor(indexed: ((object: KubeObject) => string) | undefined) {
    this.#indexed = indexed;
  }

  get count(): number {
    return this.#count;
  }

  add(subscriber: Subscriber): () => void {
    if (this.#closed) {
      // Not before its maker knows it.
      queueMicrotask(() => subscriber.end());
      return () => undefined;
    }
    const { map, value } = this.#place(subscriber);
    const set = map === undefined ? this.#all : (map.get(value) ?? new Set<Subscriber>());
    map?.set(value, set);
    set.add(subscriber);
    this.#count++;
    return () => {
      if (!set.delete(subscriber)) return;
      this.#count--;
      if (set.size === 0 && map?.get(value) === set) map.delete(value);
    };
  }

  /** How many would hear of a change in this namespace (empty: unknown or none), of this key (undefined: unknown). */
  interested(namespace: string, key: string | undefined): number {
    const inNamespace = namespace === '' ? 0 : (this.#byNamespace.get(namespace)?.size ?? 0);
    return this.#all.size + inNamespace + (key === undefined ? 0 : (this.#byKey.get(key)?.size ?? 0));
  }

  dispatch(event: CacheEvent): void {
    if (this.#count === 0) return;
    for (const subscriber of this.#all) subscriber.notify(event);
    tell(this.#byKey.get(event.key), event);
    if (this.#byNamespace.size > 0) tell(this.#byNamespace.get((event.after ?? event.before)?.namespace ?? ''), event);
    if (this.#indexed === undefined || this.#byIndexed.size === 0) return;
    const before = event.before === undefined ? undefined : this.#indexed(event.before.object);
    const after = event.after === undefined ? undefined : this.#indexed(event.after.object);
    if (before !== undefined) tell(this.#byIndexed.get(before), event);
    if (after !== undefined && after !== before) tell(this.#byIndexed.get(after), event);
  }

  endAll(): void {
    const sets = [this.#all, ...this.#byKey.values(), ...this.#byIndexed.values(), ...this.#byNamespace.values()];
    for (const set of sets) for (const subscriber of set) subscriber.end();
  }

  /** Ends all, and whoever still comes. */
  close(): void {
    this.#closed = true;
    this.endAll();
  }

  #place({ scope }: Subscriber): { map: Map<string, Set<Subscriber>> | undefined; value: string } {
    if (scope.key !== undefined) return { map: this.#byKey, value: scope.key };
    if (scope.indexed !== undefined && this.#indexed !== undefined)
      return { map: this.#byIndexed, value: scope.indexed };
    if (scope.namespace !== undefined) return { map: this.#byNamespace, value: scope.namespace };
    return { map: undefined, value: '' };
  }
}

function tell(set: Set<Subscriber> | undefined, event: CacheEvent): void {
  if (set === undefined) return;
  for (const subscriber of set) subscriber.notify(event);
}
