import type { Scope } from '@binnacle/base';
import type { GroupVersionResource, KubeObject } from '@binnacle/machinery';
import type { ResourceRef } from '@binnacle/api';
import { createInformer } from '@binnacle/client';
import type { Client, ClientWorld, Informer, InformerOptions } from '@binnacle/client';
import { OWNERSHIP_INDEXES } from '@binnacle/reconcile';

/** Index of pods: by the node they are bound to. */
export const BY_NODE = 'node';

/**
 * One cache per resource for all controllers of a process, under the one identity that upstream's shared informers
 * have. A cache starts when the first controller asks for it.
 */
export class SharedInformers {
  readonly #client: Client;
  readonly #world: ClientWorld;
  readonly #scope: Scope;
  readonly #informers = new Map<string, Informer<KubeObject>>();

  constructor(options: { readonly client: Client; readonly world: ClientWorld; readonly scope: Scope }) {
    this.#client = options.client;
    this.#world = options.world;
    this.#scope = options.scope;
  }

  /** The cache of a resource, or of those objects of it that have this name, with the indexes of `indexesOf`. */
  of<T extends KubeObject>(ref: ResourceRef<T>, name?: string): Informer<T> {
    const key = `${ref.group}/${ref.version}/${ref.resource}/${name ?? ''}`;
    const known = this.#informers.get(key);
    // The map is keyed by the very reference that types the informer.
    if (known !== undefined) return known as Informer<KubeObject> as Informer<T>;
    const only = name === undefined ? {} : { fieldSelector: `metadata.name=${name}` };
    const informer = createInformer(this.#client, ref, this.#world, { ...indexesOf(ref), ...only });
    this.#informers.set(key, informer as Informer<KubeObject>);
    informer.start(this.#scope);
    return informer;
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

function indexesOf<T extends KubeObject>(ref: ResourceRef<T>): InformerOptions<T> {
  switch (ref.resource) {
    case 'pods':
      return { indexes: { ...OWNERSHIP_INDEXES, [BY_NODE]: nodeOf } };
    case 'replicasets':
    case 'replicationcontrollers':
    case 'deployments':
      return { indexes: OWNERSHIP_INDEXES };
    default:
      return {};
  }
}

function nodeOf(object: KubeObject): readonly string[] {
  const spec: unknown = Reflect.get(object, 'spec');
  const node: unknown = typeof spec === 'object' && spec !== null ? Reflect.get(spec, 'nodeName') : undefined;
  return typeof node === 'string' && node !== '' ? [node] : [];
}
