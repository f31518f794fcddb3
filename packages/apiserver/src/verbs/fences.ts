import type { Fence } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { StatusError } from '@binnacle/machinery';
import type { OperationResult, Store, TxnRequest, TxnResult } from '@binnacle/store';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { StoredResource } from '../catalogue/definition.ts';
import type { Entry } from '../cache/entry.ts';
import { flat, keyOf } from '../storage/keys.ts';

const LEASES = { group: 'coordination.k8s.io', resource: 'leases' };
/** A Lease is renewed every other second: who loses that often meets something else. */
const ATTEMPTS = 16;

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseTransitions?: number;
}

/**
 * Lets leaders write only in their own term: what a leader before sent arrives for nothing, however late it comes. The
 * Lease is compared in the transaction of the write itself, so that nothing comes between. See docs/decisions/0159.
 */
export class Fences {
  readonly #store: Store;
  readonly #catalogue: Pick<Catalogue, 'stored'>;

  constructor(store: Store, catalogue: Pick<Catalogue, 'stored'>) {
    this.#store = store;
    this.#catalogue = catalogue;
  }

  /**
   * A compare-and-swap of one key, whose first `failure` reads that key. Throws 409 when the term is over; else the answer
   * is about the key alone.
   */
  async commit(request: TxnRequest, fence: Fence): Promise<TxnResult> {
    const leases = this.#catalogue.stored(LEASES);
    if (leases === undefined) throw status.notFound(LEASES, fence.lease);
    if (!leases.cache.ready) await leases.cache.start();
    const key = keyOf(true, fence.namespace, fence.lease);
    let lease = leases.cache.get(key);
    if (!isHeld(lease, fence)) lease = await this.#read(leases, key);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      if (lease === undefined || !isHeld(lease, fence)) throw termIsOver(fence);
      const { revision: value } = lease;
      const own = { target: 'modRevision', key: flat(leases.cache.prefix, key), result: 'equal', value } as const;
      const read = { type: 'range', key: own.key } as const;
      const { compare, success, failure } = request;
      const result = await this.#store.txn({ compare: [...compare, own], success, failure: [...failure, read] });
      if (result.succeeded) return result;
      const now = entryIn(leases, result.results.at(-1));
      if (now?.revision === value) return result;
      // Renewed meanwhile, or another's.
      lease = now;
    }
    throw termIsOver(fence);
  }

  async #read(leases: StoredResource, key: string): Promise<Entry | undefined> {
    const { kvs } = await this.#store.range({ key: flat(leases.cache.prefix, key) });
    return kvs[0] === undefined ? undefined : leases.cache.entryOf(kvs[0]);
  }
}

function entryIn(leases: StoredResource, result: OperationResult | undefined): Entry | undefined {
  const found = result?.type === 'range' ? result.kvs[0] : undefined;
  return found === undefined ? undefined : leases.cache.entryOf(found);
}

function isHeld(lease: Entry | undefined, { holder, transitions }: Fence): boolean {
  const { spec } = (lease?.object ?? {}) as { readonly spec?: LeaseSpec };
  return spec?.holderIdentity === holder && (spec.leaseTransitions ?? 0) === transitions;
}

/** Does not tell who has it: the caller may not be one to know. */
function termIsOver({ namespace, lease, holder, transitions }: Fence): StatusError {
  return status.conflict(
    LEASES,
    lease,
    `the Lease in ${namespace} is not held any more by ${holder} in term ${transitions}`,
  );
}
