import type { KubeObject } from '@binnacle/machinery';
import type { CacheReader, ResourceRefLike } from '../ports/reader.ts';

type Follower = (before: KubeObject | undefined, after: KubeObject | undefined) => void;

/** A CacheReader over plain maps, for the tests of policy. */
export class MemoryCache implements CacheReader {
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #followers = new Map<string, Set<Follower>>();

  put(ref: ResourceRefLike, object: KubeObject): void {
    const key = keyOf(object.metadata.namespace ?? '', object.metadata.name ?? '');
    const before = this.#of(ref).get(key);
    this.#of(ref).set(key, object);
    this.#tell(ref, before, object);
  }

  remove(ref: ResourceRefLike, namespace: string, name: string): void {
    const before = this.#of(ref).get(keyOf(namespace, name));
    this.#of(ref).delete(keyOf(namespace, name));
    if (before !== undefined) this.#tell(ref, before, undefined);
  }

  get(ref: ResourceRefLike, namespace: string, name: string): KubeObject | undefined {
    return this.#of(ref).get(keyOf(namespace, name));
  }

  list(ref: ResourceRefLike, namespace?: string): readonly KubeObject[] {
    const all = [...this.#of(ref).values()];
    return namespace === undefined ? all : all.filter((object) => object.metadata.namespace === namespace);
  }

  follow(ref: ResourceRefLike, onChange: Follower): () => void {
    const key = `${ref.resource}.${ref.group}`;
    const followers = this.#followers.get(key) ?? new Set();
    this.#followers.set(key, followers.add(onChange));
    for (const object of this.#of(ref).values()) onChange(undefined, object);
    return () => followers.delete(onChange);
  }

  getLive(ref: ResourceRefLike, namespace: string, name: string): Promise<KubeObject | undefined> {
    return Promise.resolve(this.get(ref, namespace, name));
  }

  #of(ref: ResourceRefLike): Map<string, KubeObject> {
    const key = `${ref.resource}.${ref.group}`;
    let objects = this.#objects.get(key);
    if (objects === undefined) this.#objects.set(key, (objects = new Map()));
    return objects;
  }

  #tell(ref: ResourceRefLike, before: KubeObject | undefined, after: KubeObject | undefined): void {
    for (const follower of this.#followers.get(`${ref.resource}.${ref.group}`) ?? []) follower(before, after);
  }
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
