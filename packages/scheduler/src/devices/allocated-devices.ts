import type { AllocationResult, ResourceClaim } from '@binnacle/api/resource/v1';
import { deviceId } from './pools.ts';

/** Which devices are given to claims: as their statuses say, and as was just decided. */
export class AllocatedDevices {
  /** Claim's uid → its devices. */
  readonly #byClaim = new Map<string, readonly string[]>();
  readonly #pending = new Map<string, { readonly allocation: AllocationResult; readonly ids: readonly string[] }>();
  /** How many claims have a device. */
  readonly #count = new Map<string, number>();

  has(id: string): boolean {
    return this.#count.has(id);
  }

  /** The claim's status is this now; undefined: it is gone. */
  see(uid: string, claim: ResourceClaim | undefined): void {
    const ids = claim?.status?.allocation === undefined ? [] : devicesOf(claim.status.allocation);
    this.#replace(this.#byClaim.get(uid) ?? [], ids);
    if (ids.length === 0) this.#byClaim.delete(uid);
    else this.#byClaim.set(uid, ids);
  }

  /** Promised to a claim, whose status does not say so yet. */
  promise(uid: string, allocation: AllocationResult): void {
    this.withdraw(uid);
    const ids = devicesOf(allocation);
    this.#replace([], ids);
    this.#pending.set(uid, { allocation, ids });
  }

  promised(uid: string): AllocationResult | undefined {
    return this.#pending.get(uid)?.allocation;
  }

  withdraw(uid: string): void {
    this.#replace(this.#pending.get(uid)?.ids ?? [], []);
    this.#pending.delete(uid);
  }

  #replace(before: readonly string[], after: readonly string[]): void {
    for (const id of after) this.#count.set(id, (this.#count.get(id) ?? 0) + 1);
    for (const id of before) {
      const left = (this.#count.get(id) ?? 0) - 1;
      if (left > 0) this.#count.set(id, left);
      else this.#count.delete(id);
    }
  }
}

/** What is looked at by an administrator is not taken from anybody. */
function devicesOf({ devices }: AllocationResult): readonly string[] {
  const results = devices?.results ?? [];
  return results.flatMap((one) => (one.adminAccess === true ? [] : [deviceId(one.driver, one.pool, one.device)]));
}
