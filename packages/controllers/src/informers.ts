import type { Scope } from '@binnacle/base';
import type { GroupVersionResource, KubeObject } from '@binnacle/machinery';
import type { ResourceRef } from '@binnacle/api';
import { createInformer } from '@binnacle/client';
import type { Client, ClientWorld, Informer, InformerNeeds, SharedInformer } from '@binnacle/client';

/** What one controller needs of a resource. */
export interface Need<T extends KubeObject> extends InformerNeeds<T> {
  /** Only the objects of this name, in a cache of their own. */
  readonly name?: string;
  /** Only these, in a cache of their own: secrets are many, and most are nobody's business. */
  readonly only?: { readonly namespace?: string; readonly fieldSelector?: string };
}

/**
 * One cache per resource for all controllers of a process, under the one identity that upstream's shared informers
 * have. First every controller declares what it needs, with its own indexes; then `start` fills the caches. What is
 * needed only later (a kind that came at run time) starts at once.
 */
export class Informers {
  readonly #client: Client;
  readonly #world: ClientWorld;
  readonly #scope: Scope;
  readonly #informers = new Map<string, Informer<KubeObject>>();
  #started = false;

  constructor(options: { readonly client: Client; readonly world: ClientWorld; readonly scope: Scope }) {
    this.#client = options.client;
    this.#world = options.world;
    this.#scope = options.scope;
  }

  /** The shared cache of a resource; it has these indexes, and is projected when everybody needs the same projection. */
  need<T extends KubeObject>(ref: ResourceRef<T>, { name, only, ...needs }: Need<T> = {}): Informer<T> {
    const part = name === undefined ? only : { ...only, fieldSelector: `metadata.name=${name}` };
    const place = part === undefined ? '' : `${part.namespace ?? ''}?${part.fieldSelector ?? ''}`;
    const key = `${ref.group}/${ref.version}/${ref.resource}/${place}`;
    // The map is keyed by the very reference that types the informer.
    const known = this.#informers.get(key) as unknown as SharedInformer<T> | undefined;
    if (known !== undefined) {
      known.declare(needs);
      return known;
    }
    const informer = createInformer(this.#client, ref, this.#world, { ...needs, ...part });
    this.#informers.set(key, informer);
    if (this.#started) informer.start(this.#scope);
    return informer;
  }

  /** Fills the caches, once all needs are declared. */
  start(): void {
    this.#started = true;
    for (const informer of this.#informers.values()) informer.start(this.#scope);
  }

  /** A cache that has at least the metadata: the shared one where there is one, else a small one of the caller's own. */
  metadataOf(
    resource: GroupVersionResource & { readonly kind: string; readonly namespaced: boolean },
    scope: Scope,
  ): Informer<KubeObject> {
    const shared = this.#informers.get(`${resource.group}/${resource.version}/${resource.resource}/`);
    if (shared !== undefined) return shared;
    const own = createInformer<KubeObject>(this.#client, resource, this.#world, { project: metadataOnly });
    own.start(scope);
    return own;
  }
}

/** What the garbage collector looks at. */
function metadataOnly(object: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, ownerReferences, finalizers, deletionTimestamp } = object.metadata;
  return {
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
  };
}
