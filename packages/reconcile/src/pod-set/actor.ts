import { messageOf } from '@binnacle/base';
import { isControlledBy, status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import { PODS } from '@binnacle/api';
import type { Pod, PodTemplateSpec } from '@binnacle/api/core/v1';
import { isTransportError, referenceTo } from '@binnacle/client';
import type { Client, EventRecorder } from '@binnacle/client';
import type { Expectations } from '../expectations.ts';
import { controllerReference } from '../owner.ts';
import { deleteIfThere } from '../committer.ts';
import type { SyncContext } from '../run-controller.ts';
import { runInSlowStartBatches } from '../slow-start.ts';
import type { PodSetKind } from './kind.ts';
import { PodNames } from './names.ts';
import { NumberBook } from './number-book.ts';
import { podFromTemplate } from './new-pod.ts';
import type { PodSetFailure } from './status.ts';

export interface ActorOptions<T extends KubeObject> {
  readonly kind: PodSetKind<T>;
  readonly client: Client;
  readonly events: EventRecorder;
  readonly expectations: Expectations;
}

/** The outcome of one round of creating or deleting. `error` is undefined for a refusal that needs no retry. */
export interface ActorOutcome {
  readonly failure: PodSetFailure | undefined;
  readonly error: unknown;
}

const DONE: ActorOutcome = { failure: undefined, error: undefined };

/** Makes and deletes pods of one kind of set, keeping account in the expectations. */
export class PodSetActor<T extends KubeObject> {
  readonly #options: ActorOptions<T>;
  readonly #numbers = new NumberBook();

  constructor(options: ActorOptions<T>) {
    this.#options = options;
  }

  /** Forgets what it knows about an owner that is gone. */
  forget(ownerUid: string): void {
    this.#numbers.forget(ownerUid);
  }

  async create(
    owner: T,
    work: { readonly key: string; readonly count: number; readonly existing: readonly Pod[] },
    context: SyncContext,
  ): Promise<ActorOutcome> {
    const template = this.#options.kind.template(owner);
    if (template === undefined) return DONE;
    const { name = '', uid = '' } = owner.metadata;
    const names = new PodNames(name, uid);
    const existing = work.existing.map((pod) => pod.metadata.name ?? '');
    const numbers = this.#numbers.next(uid, work.count, { names, existing });
    const { error } = await runInSlowStartBatches(numbers.length, async (index) => {
      await this.#createOne({ owner, template, names, number: numbers[index] ?? 0, key: work.key }, context);
    });
    if (error === undefined || isNamespaceTerminating(error)) return DONE;
    return { failure: { reason: 'FailedCreate', message: messageOf(error) }, error };
  }

  async remove(
    owner: T,
    work: { readonly key: string; readonly pods: readonly Pod[] },
    context: SyncContext,
  ): Promise<ActorOutcome> {
    const results = await Promise.allSettled(
      work.pods.map((pod) => this.#removeOne(owner, { pod, key: work.key }, context)),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed === undefined) return DONE;
    return { failure: { reason: 'FailedDelete', message: messageOf(failed.reason) }, error: failed.reason };
  }

  async #createOne(
    pod: { owner: T; template: PodTemplateSpec; names: PodNames; number: number; key: string },
    context: SyncContext,
  ): Promise<void> {
    const { client, events, expectations, kind } = this.#options;
    const { owner, template, names, number, key } = pod;
    const name = names.nameOf(number);
    const namespace = owner.metadata.namespace ?? '';
    const draft = podFromTemplate(template, {
      name,
      prefix: names.prefix,
      namespace,
      owner: controllerReference(kind.ref, owner),
    });
    expectations.expectCreation(key, name);
    try {
      await client.resource(PODS, namespace).create(draft, undefined, context);
      this.#numbers.markUsed(owner.metadata.uid ?? '', number);
      events.event(referenceTo(kind.ref, owner), 'Normal', 'SuccessfulCreate', `Created pod: ${name}`, context);
    } catch (error) {
      if (status.isAlreadyExists(error)) {
        await this.#meetExisting({ ...pod, name, namespace }, context);
        return;
      }
      expectations.settleCreation(key, name);
      if (isTransportError(error)) this.#numbers.markUnknown(owner.metadata.uid ?? '', number);
      else if (!isNamespaceTerminating(error) && !context.signal.aborted) {
        const why = `Error creating: ${messageOf(error)}`;
        events.event(referenceTo(kind.ref, owner), 'Warning', 'FailedCreate', why, context);
      }
      throw error;
    }
  }

  /** The name is taken: by our own earlier attempt, which the cache will show, or by somebody else. */
  async #meetExisting(
    pod: { owner: T; number: number; key: string; name: string; namespace: string },
    context: SyncContext,
  ): Promise<void> {
    const { client, expectations } = this.#options;
    // By list: upstream's role lets these controllers list pods but not get one.
    const pods = client.resource(PODS, pod.namespace);
    const [existing] = (await pods.list({ fieldSelector: `metadata.name=${pod.name}` }, context)).items;
    const mine = existing !== undefined && isControlledBy(existing, pod.owner);
    if (mine && existing.metadata.deletionTimestamp === undefined) {
      this.#numbers.markUsed(pod.owner.metadata.uid ?? '', pod.number);
      return;
    }
    expectations.settleCreation(pod.key, pod.name);
    this.#numbers.markUsed(pod.owner.metadata.uid ?? '', pod.number);
    throw status.alreadyExists(PODS, pod.name);
  }

  async #removeOne(owner: T, work: { pod: Pod; key: string }, context: SyncContext): Promise<void> {
    const { client, events, expectations, kind } = this.#options;
    const { name = '', namespace = '', uid = '' } = work.pod.metadata;
    expectations.expectDeletion(work.key, uid);
    try {
      const pods = client.resource(PODS, namespace);
      const there = await deleteIfThere({ client: pods, context }, name, { preconditions: { uid } });
      if (!there) expectations.settleDeletion(work.key, uid);
      else events.event(referenceTo(kind.ref, owner), 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`, context);
    } catch (error) {
      expectations.settleDeletion(work.key, uid);
      // Another pod of that name: ours is gone.
      if (status.isConflict(error)) return;
      if (!context.signal.aborted) {
        const why = `Error deleting: ${messageOf(error)}`;
        events.event(referenceTo(kind.ref, owner), 'Warning', 'FailedDelete', why, context);
      }
      throw error;
    }
  }
}

/** The namespace is going away; retrying is pointless, its controller will remove the owner too. */
function isNamespaceTerminating(error: unknown): boolean {
  if (!status.isForbidden(error)) return false;
  const causes = error.status.details?.causes ?? [];
  return (
    causes.some((cause) => cause.reason === 'NamespaceTerminating') ||
    messageOf(error).includes('because it is being terminated')
  );
}
