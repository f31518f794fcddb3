import { isControlledBy, status } from '@binnacle/machinery';
import type { KubeObject, ObjectMeta, OwnerReference } from '@binnacle/machinery';
import { ENDPOINT_SLICES, wellknown } from '@binnacle/api';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { actOnEach } from '@binnacle/client';
import type { Client, Draft, Informer } from '@binnacle/client';
import {
  deleteIfThere,
  getOrUndefined,
  isNamespaceTerminating,
  OwnWrites,
  PodNames,
  triggerOf,
} from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import type { ControllerKit } from './controller-kit.ts';
import type { SliceFigures } from './slice-figures.ts';
import type { SliceContent, SlicePlan } from './slice-plan.ts';

/** Index of slices: by `namespace/service` and who manages them. */
export const SLICES_BY_SERVICE = 'slices-by-service';

/** The declaration of that index, the same for all controllers that make slices. */
export const SLICE_INDEXES: { readonly [name: string]: (slice: EndpointSlice) => readonly string[] } = {
  [SLICES_BY_SERVICE]: (slice) => {
    const key = serviceKeyOf(slice);
    return key === undefined ? [] : [`${slice.metadata.labels?.[wellknown.LABEL_MANAGED_BY] ?? ''} ${key}`];
  },
};

/** Who owns the slices of a key, and what they carry. */
export interface SliceOwner {
  readonly key: string;
  readonly object: KubeObject;
  readonly reference: OwnerReference;
  readonly labels: { readonly [key: string]: string };
  /** What a slice should be annotated with, given what it is annotated with. */
  annotate(before: Annotations): Annotations;
}

type Annotations = { readonly [key: string]: string };

/** Reads and writes the slices that one controller manages, and knows when the cache is behind its own writes. */
export class SliceWriter {
  readonly #client: Client;
  readonly #manager: string;
  readonly #slices: Informer<EndpointSlice>;
  readonly #writes: OwnWrites;
  readonly #figures: SliceFigures;

  constructor(kit: ControllerKit, { manager, figures }: { readonly manager: string; readonly figures: SliceFigures }) {
    this.#figures = figures;
    this.#client = kit.client;
    this.#manager = manager;
    this.#slices = kit.informers.need(ENDPOINT_SLICES, { indexes: SLICE_INDEXES });
    this.#writes = new OwnWrites(kit.world.clock, this.#slices);
  }

  get cache(): Informer<EndpointSlice> {
    return this.#slices;
  }

  /** This manager's slices of a service. */
  slicesOf(key: string): readonly EndpointSlice[] {
    return this.#slices.byIndex(SLICES_BY_SERVICE, `${this.#manager} ${key}`);
  }

  /** 0: the cache shows all that was written. Otherwise how long to wait at most, ms; it wakes the key before. */
  waitMs(key: string): number {
    return this.#writes.remainingMs(key);
  }

  /** Makes a key due when somebody else touched one of its slices, or when the last of our own writes showed. */
  follow(controller: Controller): () => void {
    const note = (event: string, slice: EndpointSlice): void => {
      const key = serviceKeyOf(slice);
      if (key === undefined || slice.metadata.labels?.[wellknown.LABEL_MANAGED_BY] !== this.#manager) return;
      const waited = this.#writes.remainingMs(key) > 0;
      const own = event === 'DELETED' ? this.#writes.seeGone(key, slice) : this.#writes.see(key, slice);
      const caughtUp = waited && this.#writes.remainingMs(key) === 0;
      if (!own || caughtUp) controller.enqueue(key, triggerOf(event, slice));
    };
    return this.#slices.subscribe({
      add: (slice) => note('ADDED', slice),
      update: (before, slice) => {
        note('MODIFIED', slice);
        if (serviceKeyOf(before) !== serviceKeyOf(slice)) note('MODIFIED', before);
      },
      remove: (slice) => note('DELETED', slice),
    });
  }

  /** Carries a plan out. A namespace that is going takes no new slices; nothing else of the plan matters then. */
  async apply(owner: SliceOwner, plan: SlicePlan, context: SyncContext): Promise<void> {
    const existing = this.slicesOf(owner.key);
    this.#figures.planned(owner.key, plan, existing);
    const taken = new Set(existing.map((slice) => slice.metadata.name ?? ''));
    for (const content of plan.create) {
      if (owner.object.metadata.deletionTimestamp !== undefined) break;
      if (!(await this.#create(owner, { content, taken }, context))) return;
    }
    const slices = this.#client.resource(ENDPOINT_SLICES, owner.object.metadata.namespace);
    for (const { slice, content } of plan.update) {
      const { annotations, ...metadata } = slice.metadata;
      const after = { ...slice, ...bodyOf(content), metadata: { ...metadata, ...metadataOf(owner, annotations) } };
      this.#writes.wrote(owner.key, await slices.update(after, undefined, context));
      this.#figures.changed('update');
    }
    await this.remove(owner.key, plan.remove, context);
  }

  /** Takes slices of a key away. */
  async remove(key: string, gone: readonly EndpointSlice[], context: SyncContext): Promise<void> {
    await actOnEach(gone, async (slice) => {
      const { name = '', namespace, uid = '' } = slice.metadata;
      const slices = this.#client.resource(ENDPOINT_SLICES, namespace);
      const there = await deleteIfThere({ client: slices, context }, name, { preconditions: { uid } });
      if (!there) return;
      this.#writes.deleted(key, slice);
      this.#figures.changed('delete');
    });
  }

  /**
   * The n-th free name of the owner: a creation that is repeated meets its own slice instead of making a second one.
   * Answers false when the rest of the plan has to wait, or the namespace takes nothing any more.
   */
  async #create(
    owner: SliceOwner,
    slice: { readonly content: SliceContent; readonly taken: Set<string> },
    context: SyncContext,
  ): Promise<boolean> {
    const { name: ownerName = '', uid = '', namespace = '' } = owner.object.metadata;
    const slices = this.#client.resource(ENDPOINT_SLICES, namespace);
    const names = new PodNames(ownerName, uid);
    for (let number = 0; ; number++) {
      const name = names.nameOf(number);
      if (slice.taken.has(name)) continue;
      slice.taken.add(name);
      const metadata = { ...metadataOf(owner), name, generateName: names.prefix, namespace };
      try {
        const draft: Draft<EndpointSlice> = { ...bodyOf(slice.content), metadata };
        this.#writes.wrote(owner.key, await slices.create(draft, undefined, context));
        this.#figures.changed('create');
        return true;
      } catch (error) {
        if (isNamespaceTerminating(error)) return false;
        if (!status.isAlreadyExists(error)) throw error;
        const existing = await getOrUndefined(slices, name, context);
        if (existing === undefined || !isControlledBy(existing, owner.object)) continue;
        // Ours, from an attempt whose answer was lost: wait until the cache shows it, and plan anew.
        this.#writes.wrote(owner.key, existing);
        return false;
      }
    }
  }
}

function serviceKeyOf(slice: EndpointSlice): string | undefined {
  const service = slice.metadata.labels?.[wellknown.LABEL_SERVICE_NAME];
  return service === undefined || service === '' ? undefined : `${slice.metadata.namespace ?? ''}/${service}`;
}

function metadataOf(
  owner: SliceOwner,
  before: Annotations = {},
): Pick<ObjectMeta, 'labels' | 'annotations' | 'ownerReferences'> {
  const annotations = owner.annotate(before);
  return {
    labels: owner.labels,
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ownerReferences: [owner.reference],
  };
}

function bodyOf(content: SliceContent): Pick<EndpointSlice, 'addressType' | 'endpoints' | 'ports'> {
  return { addressType: content.family, endpoints: content.endpoints, ports: content.ports };
}
