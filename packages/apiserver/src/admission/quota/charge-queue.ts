import { quotaAmounts } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import type { ResourceQuota } from '@binnacle/api/core/v1';
import { status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { AdmissionAttributes } from '../../ports/admission.ts';
import type { GuaranteedUpdate } from '../../ports/guaranteed-update.ts';
import { usedAfter } from './charge.ts';
import type { Charge } from './charge.ts';

const RESOURCE_QUOTAS = { group: '', resource: 'resourcequotas' };

/** Somebody who waits to be charged. */
interface Waiter {
  readonly attributes: AdmissionAttributes;
  readonly charges: readonly Charge[];
  readonly settle: (refusal: unknown) => void;
  refusal: unknown;
}

/**
 * Charges requests to quotas, those of one namespace in turns: who comes while a turn is under way shares the next
 * one, so that a flood costs one write for each turn and quota, and never more is charged than a quota allows. As many
 * wait as requests are in flight.
 */
export class ChargeQueue {
  readonly #update: GuaranteedUpdate;
  /** By namespace: who waits for the next turn, while one is under way. */
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(update: GuaranteedUpdate) {
    this.#update = update;
  }

  /** Throws 403 where a quota does not allow it. */
  async charge(attributes: AdmissionAttributes, charges: readonly Charge[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const waiter: Waiter = { attributes, charges, settle: resolve, refusal: undefined };
    const waiting = this.#waiting.get(attributes.namespace);
    // Never rejects: what fails is the refusal of those who wait.
    if (waiting === undefined) void this.#takeTurns(attributes.namespace, [waiter]);
    else waiting.push(waiter);
    const refusal = await promise;
    if (refusal !== undefined) throw refusal;
  }

  async #takeTurns(namespace: string, first: readonly Waiter[]): Promise<void> {
    let turn = first;
    while (turn.length > 0) {
      const next: Waiter[] = [];
      this.#waiting.set(namespace, next);
      await this.#takeTurn(namespace, turn);
      turn = next;
    }
    this.#waiting.delete(namespace);
  }

  async #takeTurn(namespace: string, waiters: readonly Waiter[]): Promise<void> {
    const names = new Set(waiters.flatMap(({ charges }) => charges.map(({ quota }) => quota)));
    for (const name of names) {
      const concerned = waiters.filter(({ refusal, charges }) => {
        return refusal === undefined && charges.some(({ quota }) => quota === name);
      });
      if (concerned.length > 0) await this.#chargeQuota({ namespace, name }, concerned);
    }
    for (const { settle, refusal } of waiters) settle(refusal);
  }

  async #chargeQuota(
    at: { readonly namespace: string; readonly name: string },
    waiters: readonly Waiter[],
  ): Promise<void> {
    let refusals = new Map<Waiter, unknown>();
    try {
      await this.#update({ resource: RESOURCE_QUOTAS, ...at }, (draft) => (refusals = chargeAll(draft, waiters)), {
        subresource: 'status',
      });
    } catch (error) {
      // A quota that is gone limits nobody.
      if (!status.isNotFound(error)) refusals = new Map(waiters.map((waiter) => [waiter, error]));
    }
    for (const [waiter, refusal] of refusals) waiter.refusal = refusal;
  }
}

/** One after the other, each on top of those who were let in before. */
function chargeAll(draft: KubeObject, waiters: readonly Waiter[]): Map<Waiter, unknown> {
  const quota = draft as Draft<ResourceQuota>;
  const refusals = new Map<Waiter, unknown>();
  for (const waiter of waiters) {
    const charge = waiter.charges.find((one) => one.quota === quota.metadata.name);
    if (charge === undefined) continue;
    try {
      const used = usedAfter(waiter.attributes, quota as ResourceQuota, charge);
      quota.status = { ...quota.status, used: quotaAmounts.textsOf(used) };
    } catch (error) {
      refusals.set(waiter, error);
    }
  }
  return refusals;
}
