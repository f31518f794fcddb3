import { toleratesAll } from '@binnacle/api';
import type { ResourceClaim } from '@binnacle/api/resource/v1';
import type { GivenDevices } from './allocated-devices.ts';
import { hasRoom, shareOf } from './capacity.ts';
import type { Amounts } from './capacity.ts';
import { constraintsOf } from './constraints.ts';
import type { Constraint } from './constraints.ts';
import { CounterUse } from './counter-use.ts';
import { ClaimError, SearchLimitError } from './errors.ts';
import type { NodePool } from './inventory.ts';
import type { Pool, PoolDevice } from './pools.ts';
import { DEVICES_MAX } from './requests.ts';
import type { Request, Wish } from './requests.ts';
import { ShareSums } from './share-sums.ts';

/** Devices that are looked at, at most, for one pod on one node. */
const STEPS_MAX = 100_000;
/** The clock is looked at after so many of them. */
const LOOK_AFTER = 256;

/** A claim, with what it asks for. */
export interface ClaimToAllocate {
  readonly claim: ResourceClaim;
  readonly requests: readonly Request[];
}

/** A device, and what it is given for. */
export interface ChosenDevice {
  readonly wish: Wish;
  readonly device: PoolDevice;
  /** What it takes of a device that others may have shares of, too; undefined: the device is for this claim alone. */
  readonly share?: Amounts | undefined;
}

/** What is known while devices are chosen. */
export interface AllocationWorld {
  /** As the node sees them. */
  readonly pools: readonly NodePool[];
  readonly given: GivenDevices;
  /** The devices of a pool that a wish may get. Throws SelectorError. */
  described(wish: Wish, pool: NodePool): readonly PoolDevice[];
  /** The search has taken long enough. */
  isLate(): boolean;
}

/**
 * Devices for all claims together, by claim; undefined: the node has not enough. The first way that works is taken: claims,
 * requests, ways to meet them, pools and devices in their order. Throws ClaimError, SelectorError, SearchLimitError.
 */
export function allocateDevices(
  claims: readonly ClaimToAllocate[],
  world: AllocationWorld,
): readonly (readonly ChosenDevice[])[] | undefined {
  const search = new Search(claims, world);
  return search.run() ? search.chosen : undefined;
}

interface Candidate {
  readonly pool: Pool;
  readonly device: PoolDevice;
  readonly share: Amounts | undefined;
}

/** Candidates, found as far as they are asked for: most often the first will do. */
class CandidateList {
  readonly #found: Candidate[] = [];
  readonly #more: Iterator<Candidate, undefined>;

  constructor(more: Iterator<Candidate, undefined>) {
    this.#more = more;
  }

  /** Undefined: there are not so many. */
  at(index: number): Candidate | undefined {
    while (this.#found.length <= index) {
      const { value } = this.#more.next();
      if (value === undefined) return undefined;
      this.#found.push(value);
    }
    return this.#found[index];
  }

  all(): readonly Candidate[] {
    while (this.at(this.#found.length) !== undefined);
    return this.#found;
  }
}

class Search {
  readonly chosen: ChosenDevice[][];
  readonly #claims: readonly ClaimToAllocate[];
  readonly #world: AllocationWorld;
  readonly #constraints: readonly (readonly Constraint[])[];
  readonly #candidates = new Map<Wish, CandidateList>();
  /** Chosen for any of the claims: as a whole, and in part. */
  readonly #taken = new Set<string>();
  readonly #shares = new ShareSums();
  readonly #counters: CounterUse;
  #steps = 0;

  constructor(claims: readonly ClaimToAllocate[], world: AllocationWorld) {
    this.#claims = claims;
    this.#world = world;
    const { given } = world;
    this.#counters = new CounterUse((id) => given.isGiven(id) || given.sharesOf(id) !== undefined);
    this.chosen = claims.map(() => []);
    this.#constraints = claims.map(({ claim }) =>
      constraintsOf(
        claim.spec.devices.constraints ?? [],
        `${claim.metadata.namespace ?? ''}/${claim.metadata.name ?? ''}`,
      ),
    );
    for (const { claim, requests } of claims) checkSize(claim, requests);
  }

  run(): boolean {
    return this.#meet(0, 0);
  }

  /** Meets a request of a claim, and all after it. */
  #meet(at: number, request: number): boolean {
    const claim = this.#claims[at];
    if (claim === undefined) return true;
    const asked = claim.requests[request];
    if (asked === undefined) return this.#meet(at + 1, 0);
    return asked.wishes.some((wish) => {
      const names = wish.name === asked.name ? [wish.name] : [asked.name, wish.name];
      const place = { at, wish, names, goOn: () => this.#meet(at, request + 1) };
      return wish.count === 'all' ? this.#takeAll(place) : this.#takeSome(place, wish.count, 0);
    });
  }

  #takeSome(place: Place, count: number, from: number): boolean {
    if (count === 0) return place.goOn();
    const candidates = this.#candidatesFor(place.wish);
    for (let i = from; ; i++) {
      const candidate = candidates.at(i);
      if (candidate === undefined) return false;
      if (!this.#take(place, candidate)) continue;
      if (this.#takeSome(place, count - 1, i + 1)) return true;
      this.#giveBack(place, candidate);
    }
  }

  #takeAll(place: Place): boolean {
    // Nobody knows what all is.
    if (this.#world.pools.some(({ pool }) => pool.isIncomplete || pool.invalid !== undefined)) return false;
    const candidates = this.#candidatesFor(place.wish).all();
    const taken: Candidate[] = [];
    const all = candidates.length > 0 && candidates.every((one) => this.#take(place, one) && taken.push(one) > 0);
    if (all && place.goOn()) return true;
    for (const one of taken.reverse()) this.#giveBack(place, one);
    return false;
  }

  #take({ at, wish, names }: Place, candidate: Candidate): boolean {
    if (++this.#steps > STEPS_MAX || (this.#steps % LOOK_AFTER === 0 && this.#world.isLate()))
      throw new SearchLimitError();
    const { device, share } = candidate;
    const chosen = this.chosen[at] ?? [];
    if (chosen.length >= DEVICES_MAX || !this.#isFree(chosen, wish, candidate)) return false;
    if (!toleratesAll(wish.tolerations, device.device.taints)) return false;
    if (!this.#takeCounters(wish, candidate)) return false;
    const constraints = this.#constraints[at] ?? [];
    const refusing = constraints.findIndex((one) => !one.add(names, device.driver, device.device));
    if (refusing >= 0) {
      for (const one of constraints.slice(0, refusing)) one.remove(names);
      this.#giveBackCounters(wish, candidate);
      return false;
    }
    chosen.push({ wish, device, share });
    if (wish.adminAccess) return true;
    if (share === undefined) this.#taken.add(device.id);
    else this.#shares.add(device.id, share);
    return true;
  }

  #isFree(chosen: readonly ChosenDevice[], { adminAccess }: Wish, { device, share }: Candidate): boolean {
    const { given } = this.#world;
    const isGiven = this.#taken.has(device.id) || given.isGiven(device.id);
    if (share !== undefined) {
      const hasSpace = hasRoom(device.device, share, given.sharesOf(device.id), this.#shares.of(device.id));
      return hasSpace && (adminAccess || !isGiven);
    }
    if (adminAccess) return chosen.every((one) => one.device.id !== device.id);
    // Those who shared it when it could be shared still do.
    return !isGiven && given.sharesOf(device.id) === undefined;
  }

  #giveBack({ at, wish, names }: Place, candidate: Candidate): void {
    this.chosen[at]?.pop();
    for (const one of this.#constraints[at] ?? []) one.remove(names);
    if (wish.adminAccess) return;
    const { device, share } = candidate;
    if (share === undefined) this.#taken.delete(device.id);
    else this.#shares.remove(device.id, share);
    this.#giveBackCounters(wish, candidate);
  }

  #takeCounters(wish: Wish, { pool, device }: Candidate): boolean {
    return wish.adminAccess || this.#isShared(device) || this.#counters.take(pool, device.device);
  }

  #giveBackCounters(wish: Wish, { pool, device }: Candidate): void {
    if (!wish.adminAccess && !this.#isShared(device)) this.#counters.giveBack(pool, device.device);
  }

  /** However many share a device, it takes of its counters once. */
  #isShared({ id }: PoolDevice): boolean {
    return this.#shares.of(id) !== undefined || this.#world.given.sharesOf(id) !== undefined;
  }

  /** What a wish describes. */
  #candidatesFor(wish: Wish): CandidateList {
    let list = this.#candidates.get(wish);
    if (list === undefined) this.#candidates.set(wish, (list = new CandidateList(this.#find(wish))));
    return list;
  }

  *#find(wish: Wish): Generator<Candidate, undefined> {
    for (const nodePool of this.#world.pools) {
      const { pool } = nodePool;
      if (pool.isIncomplete || pool.invalid !== undefined) continue;
      for (const device of this.#world.described(wish, nodePool)) {
        const candidate = this.#candidate(wish, pool, device);
        if (candidate !== undefined) yield candidate;
      }
    }
    return undefined;
  }

  #candidate(wish: Wish, pool: Pool, device: PoolDevice): Candidate | undefined {
    const isShared = device.device.allowMultipleAllocations === true;
    if (!isShared && wish.capacity.size === 0) return { pool, device, share: undefined };
    const share = shareOf(device.device, wish.capacity);
    if (share === undefined) return undefined;
    // All are those that have enough left, and not those that have not.
    const taken = isShared && wish.count === 'all' ? this.#world.given.sharesOf(device.id) : undefined;
    if (!hasRoom(device.device, share, taken)) return undefined;
    return { pool, device, share: isShared ? share : undefined };
  }
}

interface Place {
  readonly at: number;
  readonly wish: Wish;
  /** Under which constraints may name it. */
  readonly names: readonly string[];
  /** What has to work out after it. */
  readonly goOn: () => boolean;
}

function checkSize({ metadata }: ResourceClaim, requests: readonly Request[]): void {
  const least = requests.map(({ wishes }) => Math.min(...wishes.map(({ count }) => (count === 'all' ? 1 : count))));
  const total = least.reduce((sum, count) => sum + count, 0);
  if (total <= DEVICES_MAX) return;
  const where = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
  throw new ClaimError(
    `claim ${where}: number of requested devices ${total} exceeds the claim limit of ${DEVICES_MAX}`,
  );
}
