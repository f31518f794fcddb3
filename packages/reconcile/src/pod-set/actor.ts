import { messageOf } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import type { Pod } from '@binnacle/api/core/v1';
import type { Client, Draft, EventRecorder } from '@binnacle/client';
import type { Expectations } from '../expectations.ts';
import { controllerReference } from '../owner.ts';
import { isNamespaceTerminating, PodControl } from '../pod-control.ts';
import type { PodOrder } from '../pod-control.ts';
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
  readonly pods: { get(key: string): Pod | undefined };
}

/** The outcome of one round of creating or deleting. `error` is undefined for a refusal that needs no retry. */
export interface ActorOutcome {
  readonly failure: PodSetFailure | undefined;
  readonly error: unknown;
  /** All pods that were missing are there now: the cache will show each of them. */
  readonly made?: true;
}

const DONE: ActorOutcome = { failure: undefined, error: undefined };

/** Makes and deletes pods of one kind of set, keeping account in the expectations. */
export class PodSetActor<T extends KubeObject> {
  readonly #kind: PodSetKind<T>;
  readonly #pods: PodControl<T>;
  readonly #numbers = new NumberBook();

  constructor(options: ActorOptions<T>) {
    this.#kind = options.kind;
    this.#pods = new PodControl({ ...options, ref: options.kind.ref });
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
    const template = this.#kind.template(owner);
    if (template === undefined) return DONE;
    const { name = '', uid = '', namespace = '' } = owner.metadata;
    const names = new PodNames(name, uid);
    const existing = work.existing.map((pod) => pod.metadata.name ?? '');
    const numbers = this.#numbers.next(uid, work.count, { names, existing });
    const reference = controllerReference(this.#kind.ref, owner);
    const { error } = await runInSlowStartBatches(numbers.length, async (index) => {
      const number = numbers[index] ?? 0;
      const as = { name: names.nameOf(number), prefix: names.prefix, namespace, owner: reference };
      await this.#createOne({ owner, key: work.key, number }, podFromTemplate(template, as), context);
    });
    if (error === undefined) return { ...DONE, ...(numbers.length > 0 ? { made: true } : {}) };
    if (isNamespaceTerminating(error)) return DONE;
    return { failure: { reason: 'FailedCreate', message: messageOf(error) }, error };
  }

  async remove(
    owner: T,
    work: { readonly key: string; readonly pods: readonly Pod[] },
    context: SyncContext,
  ): Promise<ActorOutcome> {
    const results = await Promise.allSettled(
      work.pods.map((pod) => this.#pods.remove({ owner, key: work.key }, pod, context)),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed === undefined) return DONE;
    return { failure: { reason: 'FailedDelete', message: messageOf(failed.reason) }, error: failed.reason };
  }

  async #createOne(order: PodOrder<T> & { number: number }, draft: Draft<Pod>, context: SyncContext): Promise<void> {
    const uid = order.owner.metadata.uid ?? '';
    await this.#numbers.create(uid, order, () => this.#pods.create(order, draft, context));
  }
}
