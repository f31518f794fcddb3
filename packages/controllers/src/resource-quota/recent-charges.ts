import type { Clock } from '@binnacle/base';
import { quotaAmounts } from '@binnacle/api';
import type { QuotaAmounts } from '@binnacle/api';
import type { ResourceQuota } from '@binnacle/api/core/v1';

/** A charge is forgotten between one and two of these, in ms: what was charged for has been stored or refused by then. */
const SPAN_MS = 1000;
const NOTHING: QuotaAmounts = new Map();

interface Charged {
  /** When the present span began, on the monotonic clock. */
  sinceMs: number;
  amounts: QuotaAmounts;
  earlier: QuotaAmounts;
}

/**
 * What was charged to each quota a moment ago. The API server charges a quota before it stores what it charged for: a
 * count in between finds the charge and not the object, and would let in one too many by taking the charge back.
 */
export class RecentCharges {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #charged = new Map<string, Charged>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Takes note of a change of a quota, by its key. */
  saw(key: string, before: ResourceQuota, after: ResourceQuota): void {
    const { used } = after.status ?? {};
    if (used === undefined || used === before.status?.used) return;
    const more = quotaAmounts.growthOf(quotaAmounts.amountsFrom(used), quotaAmounts.amountsFrom(before.status?.used));
    if (more.size === 0) return;
    const charged = this.#look(key) ?? { sinceMs: this.#clock.monotonic(), amounts: NOTHING, earlier: NOTHING };
    charged.amounts = quotaAmounts.sumOf(charged.amounts, more);
    this.#charged.set(key, charged);
  }

  /** What may have been charged and not stored yet; `forMs`: when that will be forgotten. Undefined: nothing. */
  of(key: string): { readonly amounts: QuotaAmounts; readonly forMs: number } | undefined {
    const charged = this.#look(key);
    if (charged === undefined) return undefined;
    const amounts = quotaAmounts.sumOf(charged.amounts, charged.earlier);
    const spans = charged.amounts.size > 0 ? 2 : 1;
    return { amounts, forMs: charged.sinceMs + spans * SPAN_MS - this.#clock.monotonic() };
  }

  forget(key: string): void {
    this.#charged.delete(key);
  }

  #look(key: string): Charged | undefined {
    const charged = this.#charged.get(key);
    if (charged === undefined) return undefined;
    const spans = Math.floor((this.#clock.monotonic() - charged.sinceMs) / SPAN_MS);
    if (spans === 0) return charged;
    charged.sinceMs += spans * SPAN_MS;
    charged.earlier = spans === 1 ? charged.amounts : NOTHING;
    charged.amounts = NOTHING;
    if (charged.earlier.size > 0) return charged;
    this.#charged.delete(key);
    return undefined;
  }
}
