import { assert, orAborted, within } from '@binnacle/base';
import type { CallContext, Timer } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import { PERSISTENT_VOLUME_CLAIMS, PODS, RESOURCE_CLAIMS, SERVICES } from '@binnacle/api';
import type { ResourceRef } from '@binnacle/api';
import type { Informer } from '@binnacle/client';
import { IN_NAMESPACE, OWNERSHIP_INDEXES, triggerOf } from '@binnacle/reconcile';
import type { Trigger } from '@binnacle/reconcile';
import type { ControllerKit } from '../controller-kit.ts';
import { discoverResources } from '../discovery.ts';
import type { DiscoveredResource } from '../discovery.ts';
import { kindKey } from './counted-kinds.ts';
import type { CountedKind } from './counted-kinds.ts';

/** What came, went or changed; before and after for a change only. */
export interface CountedChange {
  readonly trigger: Trigger;
  readonly before?: KubeObject;
  readonly after?: KubeObject;
}

/** Called when objects of a kind came, went or changed in a namespace. */
export type OnCounted = (kind: CountedKind, namespace: string, change: CountedChange) => void;

/** Resources whose changes mean that other resources come or go. */
const ANNOUNCERS = [
  {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    resource: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
  },
  { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices', kind: 'APIService' },
] as const;
/** A new resource takes a moment from its announcement until it is served. */
const ANNOUNCED_MS = 2000;
/** So long counts wait for a kind to be listed the first time, all together: whoever converts or serves it may be down. */
const FILLED_MS = 5000;

interface Followed {
  readonly informer: Informer<KubeObject>;
  /** Only how many, by namespace; undefined where whole objects are kept. */
  readonly counts: Map<string, number> | undefined;
  /** Settled once the cache is filled, or was waited for long enough. */
  readonly awaited: Promise<unknown>;
}

/** What there is of each kind in each namespace. Kinds that no quota names are not watched. */
export class CountedCache {
  readonly #kit: ControllerKit;
  readonly #changed: OnCounted;
  readonly #served: () => void;
  readonly #followed = new Map<string, Followed>();
  #resources: Promise<readonly DiscoveredResource[]> | undefined;
  #announced = false;

  /** `served` is called when kinds that could not be counted may have come. */
  constructor(kit: ControllerKit, on: { readonly changed: OnCounted; readonly served: () => void }) {
    this.#kit = kit;
    this.#changed = on.changed;
    this.#served = on.served;
    this.#followWhole(PODS);
    this.#followWhole(SERVICES);
    this.#followWhole(PERSISTENT_VOLUME_CLAIMS);
    this.#followWhole(RESOURCE_CLAIMS);
  }

  /** The caches that are there from the start. */
  caches(): readonly Informer<KubeObject>[] {
    return [...this.#followed.values()].map(({ informer }) => informer);
  }

  /**
   * The objects of the kind in a namespace, or their number where only that counts; undefined: it is not served, or cannot
   * be listed yet.
   */
  async of(
    kind: CountedKind,
    namespace: string,
    context: CallContext & { readonly signal: AbortSignal },
  ): Promise<readonly KubeObject[] | number | undefined> {
    const followed = this.#followed.get(kindKey(kind)) ?? (await this.#followCount(kind, context));
    if (followed === undefined) return undefined;
    const { informer, counts, awaited } = followed;
    await orAborted(awaited, context.signal);
    if (!informer.synced) return undefined;
    return counts === undefined ? informer.byIndex(IN_NAMESPACE, namespace) : (counts.get(namespace) ?? 0);
  }

  #followWhole<T extends KubeObject>(ref: ResourceRef<T>): void {
    const informer = this.#kit.informers.need(ref, { indexes: OWNERSHIP_INDEXES });
    this.#followed.set(kindKey(ref), { informer, counts: undefined, awaited: informer.whenSynced() });
    this.#follow(ref, informer, undefined);
  }

  async #followCount(kind: CountedKind, context: CallContext): Promise<Followed | undefined> {
    const key = kindKey(kind);
    const resource = (await this.#discovered(context)).find((one) => kindKey(one) === key);
    const known = this.#followed.get(key);
    if (known !== undefined) return known;
    if (resource === undefined || !resource.namespaced || !resource.verbs.includes('watch')) {
      this.#followAnnouncers();
      return undefined;
    }
    const counts = new Map<string, number>();
    const informer = this.#kit.informers.metadataOf(resource, this.#kit.scope);
    const filled = informer.whenSynced().then(() => true);
    const awaited = within(filled, { clock: this.#kit.world.clock, ms: FILLED_MS, background: true });
    const followed = { informer, counts, awaited };
    this.#followed.set(key, followed);
    this.#follow(kind, informer, counts);
    // Who did not wait for it counts it then. Never rejects.
    void awaited.then(async (isFilled) => {
      if (isFilled === true) return;
      await filled;
      this.#served();
    });
    return followed;
  }

  async #discovered(context: CallContext): Promise<readonly DiscoveredResource[]> {
    this.#resources ??= discoverResources(this.#kit.client.wire, context).then(({ resources }) => resources);
    try {
      return await this.#resources;
    } catch (error) {
      this.#resources = undefined;
      throw error;
    }
  }

  /** The objects of a kind that are kept whole, where they are known. */
  whole<T extends KubeObject>(ref: ResourceRef<T>): Informer<T> {
    const followed = this.#followed.get(kindKey(ref));
    assert(followed !== undefined, 'the kind is kept whole', { resource: ref.resource });
    return followed.informer as Informer<T>;
  }

  #follow(kind: CountedKind, informer: Informer<KubeObject>, counts: Map<string, number> | undefined): void {
    const count = (object: KubeObject, by: 1 | -1): void => {
      const { namespace = '' } = object.metadata;
      counts?.set(namespace, (counts.get(namespace) ?? 0) + by);
      if (counts?.get(namespace) === 0) counts.delete(namespace);
      this.#changed(kind, namespace, { trigger: triggerOf(by === 1 ? 'ADDED' : 'DELETED', object) });
    };
    this.#kit.scope.defer(
      informer.subscribe({
        add: (object) => count(object, 1),
        update: (before, after) => {
          if (counts !== undefined) return;
          const trigger = triggerOf('MODIFIED', after);
          this.#changed(kind, after.metadata.namespace ?? '', { trigger, before, after });
        },
        remove: (object) => count(object, -1),
      }),
    );
  }

  /** Somebody counts what is not served: it may come. */
  #followAnnouncers(): void {
    if (this.#announced) return;
    this.#announced = true;
    const { informers, scope, world } = this.#kit;
    let timer: Timer | undefined;
    const soon = (): void => {
      timer ??= world.clock.after(ANNOUNCED_MS, () => {
        timer = undefined;
        this.#resources = undefined;
        this.#served();
      });
    };
    scope.defer(() => timer?.cancel());
    for (const resource of ANNOUNCERS) {
      const informer = informers.metadataOf({ ...resource, namespaced: false }, scope);
      scope.defer(informer.subscribe({ add: soon, update: soon, remove: soon }));
    }
  }
}
