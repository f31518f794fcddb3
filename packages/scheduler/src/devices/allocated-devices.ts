import type { AllocationResult, ResourceClaim } from '@binnacle/api/resource/v1';
import { parseQuantity } from '@binnacle/machinery';
import type { Amounts } from './capacity.ts';
import type { Snapshot } from '../plan/snapshot.ts';
import { deviceId } from './pools.ts';
import type { Pool } from './pools.ts';
import { ShareSums } from './share-sums.ts';

/** What claims have already. */
export interface GivenDevices {
  /** Whether a claim has the device for itself. */
  isGiven(id: string): boolean;
  /** What claims that share the device have of it, in nanos by capacity; undefined: none has a share. */
  sharesOf(id: string): ReadonlyMap<string, bigint> | undefined;
}

/** Pools whose changes are remembered; beyond it, all of them count as changed. */
const POOLS_MAX = 100_000;
/** How many changes can be caught up with one by one. */
const JOURNAL = 4096;

/** A device of a claim; `share`: what it has of one that others may have shares of, too. */
interface Held {
  readonly id: string;
  readonly share: Amounts | undefined;
}

/** Which devices are given to claims: as their statuses say, and as was just decided. */
export class AllocatedDevices implements GivenDevices {
  /** Claim's uid → its devices. */
  readonly #byClaim = new Map<string, readonly Held[]>();
  readonly #pending = new Map<string, { readonly allocation: AllocationResult; readonly held: readonly Held[] }>();
  /** How many claims have a device for themselves. */
  readonly #count = new Map<string, number>();
  readonly #shares = new ShareSums();
  /** `driver/pool` → how many changes there had been when a device of it changed last. */
  readonly #changes = new Map<string, number>();
  /** The pools of the last changes, in a ring. */
  readonly #journal: string[] = [];
  #total = 0;
  #forgotten = 0;

  /** Another number after each change of what is given of a pool. */
  changesOf({ id }: Pick<Pool, 'id'>): number {
    return this.#changes.get(id) ?? this.#forgotten;
  }

  /** Grows with every change. */
  get version(): number {
    return this.#total;
  }

  /** Calls `visit` with the id of every pool that changed since a version, repeats included; false when that is too long ago. */
  changedSince(version: number, visit: (pool: string) => void): boolean {
    if (this.#total - version > JOURNAL) return false;
    for (let v = version; v < this.#total; v++) visit(this.#journal[v % JOURNAL] ?? '');
    return true;
  }

  isGiven(id: string): boolean {
    return this.#count.has(id);
  }

  sharesOf(id: string): ReadonlyMap<string, bigint> | undefined {
    return this.#shares.of(id);
  }

  /** What the cache of claims tells; more than one may tell it. */
  follow(before: ResourceClaim | undefined, after: ResourceClaim | undefined): void {
    const uid = (after ?? before)?.metadata.uid ?? '';
    if (before !== undefined && before.metadata.uid !== uid) {
      this.see(before.metadata.uid ?? '', undefined);
      this.withdraw(before.metadata.uid ?? '');
    }
    if (after?.status?.allocation !== undefined && this.#keepPromise(uid, after.status.allocation)) return;
    this.see(uid, after);
    // From here on the claim itself says so, or nobody will any more.
    if (after === undefined || after.status?.allocation !== undefined) this.withdraw(uid);
  }

  /** The claim's status is this now; undefined: it is gone. */
  see(uid: string, claim: ResourceClaim | undefined): void {
    const held = claim?.status?.allocation === undefined ? [] : devicesOf(claim.status.allocation);
    const before = this.#byClaim.get(uid) ?? [];
    if (isSame(before, held)) return;
    this.#replace(before, held);
    if (held.length === 0) this.#byClaim.delete(uid);
    else this.#byClaim.set(uid, held);
  }

  /** Promised to a claim, whose status does not say so yet. */
  promise(uid: string, allocation: AllocationResult): void {
    this.withdraw(uid);
    const held = devicesOf(allocation);
    this.#replace([], held);
    this.#pending.set(uid, { allocation, held });
  }

  promised(uid: string): AllocationResult | undefined {
    return this.#pending.get(uid)?.allocation;
  }

  withdraw(uid: string): void {
    this.#replace(this.#pending.get(uid)?.held ?? [], []);
    this.#pending.delete(uid);
  }

  /** The status says what was promised: nothing is given otherwise than before, and nobody has to look again. */
  #keepPromise(uid: string, allocation: AllocationResult): boolean {
    const promised = this.#pending.get(uid);
    if (promised === undefined || this.#byClaim.has(uid)) return false;
    if (!isSame(promised.held, devicesOf(allocation))) return false;
    this.#pending.delete(uid);
    if (promised.held.length > 0) this.#byClaim.set(uid, promised.held);
    return true;
  }

  #changed(pool: string): void {
    this.#journal[this.#total % JOURNAL] = pool;
    this.#total++;
    if (this.#changes.size >= POOLS_MAX) {
      this.#changes.clear();
      this.#forgotten = this.#total;
    }
    this.#changes.set(pool, this.#total);
  }

  #replace(before: readonly Held[], after: readonly Held[]): void {
    for (const { id } of [...before, ...after]) this.#changed(id.slice(0, id.lastIndexOf('/')));
    for (const { id, share } of after) {
      if (share === undefined) this.#count.set(id, (this.#count.get(id) ?? 0) + 1);
      else this.#shares.add(id, share);
    }
    for (const { id, share } of before) {
      if (share !== undefined) {
        this.#shares.remove(id, share);
        continue;
      }
      const left = (this.#count.get(id) ?? 0) - 1;
      if (left > 0) this.#count.set(id, left);
      else this.#count.delete(id);
    }
  }
}

/** Whether nothing is shared and the devices are the same. */
function isSame(a: readonly Held[], b: readonly Held[]): boolean {
  return (
    a.length === b.length &&
    a.every((one, i) => one.share === undefined && b[i]?.share === undefined && one.id === b[i]?.id)
  );
}

/** By the state of the scheduler whose profiles decide one after the other. */
const shared = new WeakMap<Snapshot, AllocatedDevices>();

/** One for all profiles of a scheduler: what one of them has promised is nobody else's to give. */
export function allocatedDevicesOf(snapshot: Snapshot): AllocatedDevices {
  const known = shared.get(snapshot) ?? new AllocatedDevices();
  shared.set(snapshot, known);
  return known;
}

/** What is looked at by an administrator is not taken from anybody. */
function devicesOf({ devices }: AllocationResult): readonly Held[] {
  const results = devices?.results ?? [];
  return results.flatMap((one): readonly Held[] => {
    if (one.adminAccess === true) return [];
    const id = deviceId(one.driver, one.pool, one.device);
    if (one.shareID === undefined) return [{ id, share: undefined }];
    const amounts = Object.entries(one.consumedCapacity ?? {});
    return [{ id, share: new Map(amounts.map(([name, amount]) => [name, parseQuantity(amount)])) }];
  });
}
