import { assert } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';

/** Index name → the values under which an object is found. */
export type IndexFunctions<T> = { readonly [name: string]: (object: T) => readonly string[] };

/** `namespace/name`, or `name` for objects without a namespace. */
export function cacheKey(object: KubeObject): string {
  const { namespace, name = '' } = object.metadata;
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

type Buckets<T> = Map<string, Map<string, T>>;

/** The objects of one informer by key, and under each declared index. */
export class ObjectCache<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #functions: [name: string, valuesOf: (object: T) => readonly string[]][] = [];
  readonly #indexes = new Map<string, Buckets<T>>();

  constructor(indexes: IndexFunctions<T>) {
    this.declare(indexes, 'open');
  }

  /** Adds indexes; a closed cache takes none that it does not have. The same name must mean the same function. */
  declare(indexes: IndexFunctions<T>, state: 'open' | 'closed'): void {
    for (const [name, valuesOf] of Object.entries(indexes)) {
      const known = this.#functions.find(([other]) => other === name);
      if (known === undefined) {
        assert(state === 'open', 'an index must be declared before the cache starts', { index: name });
        this.#functions.push([name, valuesOf]);
        this.#indexes.set(name, new Map());
      } else assert(known[1] === valuesOf, 'one name for two indexes', { index: name });
    }
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  values(): readonly T[] {
    return [...this.#objects.values()];
  }

  entries(): IterableIterator<[string, T]> {
    return this.#objects.entries();
  }

  /** Puts the object in the place of `before`, which is what `get` says of the key. */
  put(key: string, object: T, before: T | undefined): void {
    this.#objects.set(key, object);
    for (const [name, valuesOf] of this.#functions) this.#reindex(name, key, { before, after: object, valuesOf });
  }

  remove(key: string): T | undefined {
    const before = this.#objects.get(key);
    if (before === undefined) return undefined;
    this.#objects.delete(key);
    for (const [name, valuesOf] of this.#functions) this.#reindex(name, key, { before, after: undefined, valuesOf });
    return before;
  }

  /** Empty for a value nobody has. An index that nobody declared is our own bug: it would look empty for ever. */
  under(index: string, value: string): readonly T[] {
    const bucket = this.#bucket(index, value);
    return bucket === undefined ? [] : [...bucket.values()];
  }

  countUnder(index: string, value: string): number {
    return this.#bucket(index, value)?.size ?? 0;
  }

  #bucket(index: string, value: string): ReadonlyMap<string, T> | undefined {
    const buckets = this.#indexes.get(index);
    assert(buckets !== undefined, 'nobody declared this index', { index });
    return buckets.get(value);
  }

  #reindex(
    name: string,
    key: string,
    change: { before: T | undefined; after: T | undefined; valuesOf: (object: T) => readonly string[] },
  ): void {
    const buckets = this.#indexes.get(name);
    if (buckets === undefined) return;
    const old = change.before === undefined ? [] : change.valuesOf(change.before);
    const now = change.after === undefined ? [] : change.valuesOf(change.after);
    for (const value of old) {
      if (!now.includes(value)) leave(buckets, value, key);
    }
    if (change.after === undefined) return;
    for (const value of now) {
      let bucket = buckets.get(value);
      if (bucket === undefined) buckets.set(value, (bucket = new Map()));
      bucket.set(key, change.after);
    }
  }
}

function leave<T>(buckets: Buckets<T>, value: string, key: string): void {
  const bucket = buckets.get(value);
  if (bucket === undefined) return;
  bucket.delete(key);
  if (bucket.size === 0) buckets.delete(value);
}
