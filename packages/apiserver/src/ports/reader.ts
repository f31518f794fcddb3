import type { CallContext } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';

/** Reads of the API server itself, from the watch caches, without authorisation; objects are shared: read only. */
export interface CacheReader {
  get(info: ResourceRefLike, namespace: string, name: string): KubeObject | undefined;
  list(info: ResourceRefLike, namespace?: string): readonly KubeObject[];
  /** Called after every change of a resource that a reader wants to keep a derived index of. Replays what is there. */
  follow(
    info: ResourceRefLike,
    onChange: (before: KubeObject | undefined, after: KubeObject | undefined) => void,
  ): () => void;
  /** Reads the store itself where the cache may be behind (several API servers on one etcd). */
  getLive(
    info: ResourceRefLike,
    namespace: string,
    name: string,
    context?: CallContext,
  ): Promise<KubeObject | undefined>;
}

export interface ResourceRefLike {
  readonly group: string;
  readonly resource: string;
}
