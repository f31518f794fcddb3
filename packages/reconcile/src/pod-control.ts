import { messageOf } from '@binnacle/base';
import { isControlledBy, status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import { PODS } from '@binnacle/api';
import type { ResourceRef } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { referenceTo } from '@binnacle/client';
import type { Client, Draft, EventRecorder } from '@binnacle/client';
import { deleteIfThere } from './committer.ts';
import type { Expectations } from './expectations.ts';
import type { SyncContext } from './run-controller.ts';

/** What pods are made and deleted with, for one kind of owner. */
export interface PodControlOptions<T extends KubeObject> {
  readonly ref: ResourceRef<T>;
  readonly client: Client;
  readonly events: EventRecorder;
  readonly expectations: Expectations;
  /** The cache in which it is expected to show, by `namespace/name`. */
  readonly pods: { get(key: string): Pod | undefined };
  /** What Events say of a pod that was made or deleted, or (given the error) was not. Default: replica sets' words. */
  readonly words?: PodWords<T>;
}

/** The message of an Event about one pod of an owner. */
export type PodWords<T> = (
  verb: 'create' | 'delete',
  what: { readonly owner: T; readonly pod: string; readonly error?: unknown },
) => string;

/** For whom, and under which key what was done is expected to show in the cache. */
export interface PodOrder<T extends KubeObject> {
  readonly owner: T;
  readonly key: string;
}

/** Makes and deletes the pods of a kind of owner: expectations, Events, and pods that are there or gone already. */
export class PodControl<T extends KubeObject> {
  readonly #options: PodControlOptions<T>;

  readonly #words: PodWords<T>;

  constructor(options: PodControlOptions<T>) {
    this.#options = options;
    this.#words = options.words ?? plainWords;
  }

  /**
   * Makes a pod under the name that the draft has. One of that name which is the owner's already is as good: the
   * cache will show it. Throws AlreadyExists for anybody else's, or one that is going.
   */
  async create(order: PodOrder<T>, draft: Draft<Pod>, context: SyncContext): Promise<void> {
    const { client, expectations } = this.#options;
    const { name = '', namespace = '' } = draft.metadata;
    expectations.expectCreation(order.key, name);
    try {
      const { metadata } = await client.resource(PODS, namespace).create(draft, undefined, context);
      expectations.madeCreation(order.key, name, metadata.uid ?? '');
      this.#tell(
        order.owner,
        ['Normal', 'SuccessfulCreate', this.#words('create', { owner: order.owner, pod: name })],
        context,
      );
    } catch (error) {
      const there = status.isAlreadyExists(error)
        ? await this.#ownUid(order.owner, { name, namespace }, context)
        : undefined;
      if (there !== undefined) {
        // It may have come before it was expected, and nobody tells again of one that does not change.
        const cached = this.#options.pods.get(`${namespace}/${name}`)?.metadata.uid;
        if (cached !== undefined) expectations.settleCreation(order.key, name, cached);
        return expectations.madeCreation(order.key, name, there);
      }
      expectations.failedCreation(order.key, name);
      if (!status.isAlreadyExists(error) && !isNamespaceTerminating(error) && !context.signal.aborted) {
        const why = this.#words('create', { owner: order.owner, pod: name, error });
        this.#tell(order.owner, ['Warning', 'FailedCreate', why], context);
      }
      throw error;
    }
  }

  /**
   * Deletes this very pod; that it is gone, or another one has its name, is as good. With `unchanged` only as it was seen:
   * throws Conflict where anything about it has changed.
   */
  async remove(order: PodOrder<T> & { readonly unchanged?: true }, pod: Pod, context: SyncContext): Promise<void> {
    const { client, expectations } = this.#options;
    const { name = '', namespace = '', uid = '', resourceVersion = '' } = pod.metadata;
    const preconditions = order.unchanged === true ? { uid, resourceVersion } : { uid };
    expectations.expectDeletion(order.key, uid);
    try {
      const pods = client.resource(PODS, namespace);
      const there = await deleteIfThere({ client: pods, context }, name, { preconditions });
      if (!there) expectations.settleDeletion(order.key, uid);
      else
        this.#tell(
          order.owner,
          ['Normal', 'SuccessfulDelete', this.#words('delete', { owner: order.owner, pod: name })],
          context,
        );
    } catch (error) {
      expectations.settleDeletion(order.key, uid);
      if (status.isConflict(error)) {
        // Another pod of that name: ours is gone.
        if (order.unchanged !== true) return;
        throw error;
      }
      if (!context.signal.aborted) {
        const why = this.#words('delete', { owner: order.owner, pod: name, error });
        this.#tell(order.owner, ['Warning', 'FailedDelete', why], context);
      }
      throw error;
    }
  }

  /** Of the owner's pod of that name that stays; by list: upstream's roles let these controllers list pods but not get one. */
  async #ownUid(owner: T, pod: { name: string; namespace: string }, context: SyncContext): Promise<string | undefined> {
    const pods = this.#options.client.resource(PODS, pod.namespace);
    const [existing] = (await pods.list({ fieldSelector: `metadata.name=${pod.name}` }, context)).items;
    if (existing === undefined || !isControlledBy(existing, owner)) return undefined;
    const { deletionTimestamp, uid = '' } = existing.metadata;
    return deletionTimestamp === undefined ? uid : undefined;
  }

  #tell(owner: T, what: readonly ['Normal' | 'Warning', reason: string, message: string], context: SyncContext): void {
    this.#options.events.event(referenceTo(this.#options.ref, owner), ...what, context);
  }
}

function plainWords(
  verb: 'create' | 'delete',
  { pod, error }: { readonly pod: string; readonly error?: unknown },
): string {
  if (error !== undefined) return `Error ${verb === 'create' ? 'creating' : 'deleting'}: ${messageOf(error)}`;
  return `${verb === 'create' ? 'Created' : 'Deleted'} pod: ${pod}`;
}

/** The namespace is going away; retrying is pointless, its controller will remove the owner too. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!status.isForbidden(error)) return false;
  const causes = error.status.details?.causes ?? [];
  return (
    causes.some((cause) => cause.reason === 'NamespaceTerminating') ||
    messageOf(error).includes('because it is being terminated')
  );
}
