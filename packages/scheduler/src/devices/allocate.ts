import type { ResourceClaim } from '@binnacle/api/resource/v1';
import { constraintsOf } from './constraints.ts';
import type { Constraint } from './constraints.ts';
import type { CounterUse } from './counter-use.ts';
import { ClaimError, SearchLimitError, SelectorError } from './errors.ts';
import type { NodePool } from './inventory.ts';
import type { Pool, PoolDevice } from './pools.ts';
import { DEVICES_MAX } from './requests.ts';
import type { Request, Wish } from './requests.ts';
import { toleratesAll } from './taints.ts';

/** Devices that are looked at, at most, for one pod on one node. */
const STEPS_MAX = 100_000;

/** A claim, with what it asks for. */
export interface ClaimToAllocate {
  readonly claim: ResourceClaim;
  readonly requests: readonly Request[];
}

/** A device, and what it is given for. */
export interface ChosenDevice {
  readonly wish: Wish;
  readonly device: PoolDevice;
}

/** What is known while devices are chosen. */
export interface AllocationWorld {
  /** As the node sees them. */
  readonly pools: readonly NodePool[];
  /** Given to some claim already. */
  isAllocated(id: string): boolean;
  readonly counters: CounterUse;
  /** Throws SelectorError. */
  matches(expression: string, device: PoolDevice): boolean;
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
}

class Search {
  readonly chosen: ChosenDevice[][];
  readonly #claims: readonly ClaimToAllocate[];
  readonly #world: AllocationWorld;
  readonly #constraints: readonly (readonly Constraint[])[];
  readonly #candidates = new Map<Wish, readonly Candidate[]>();
  /** Chosen for any of the claims. */
  readonly #taken = new Set<string>();
  #steps = 0;

  constructor(claims: readonly ClaimToAllocate[], world: AllocationWorld) {
    this.#claims = claims;
    this.#world = world;
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
    for (let i = from; i < candidates.length; i++) {
      const candidate = candidates[i];
      if (candidate === undefined || !this.#take(place, candidate)) continue;
      if (this.#takeSome(place, count - 1, i + 1)) return true;
      this.#giveBack(place, candidate);
    }
    return false;
  }

  #takeAll(place: Place): boolean {
    // Nobody knows what all is.
    if (this.#world.pools.some(({ pool }) => pool.isIncomplete || pool.invalid !== undefined)) return false;
    const candidates = this.#candidatesFor(place.wish);
    const taken: Candidate[] = [];
    const all = candidates.length > 0 && candidates.every((one) => this.#take(place, one) && taken.push(one) > 0);
    if (all && place.goOn()) return true;
    for (const one of taken.reverse()) this.#giveBack(place, one);
    return false;
  }

  #take({ at, wish, names }: Place, { pool, device }: Candidate): boolean {
    if (++this.#steps > STEPS_MAX) throw new SearchLimitError();
    const chosen = this.chosen[at] ?? [];
    if (chosen.length >= DEVICES_MAX) return false;
    if (wish.adminAccess) {
      if (chosen.some((one) => one.device.id === device.id)) return false;
    } else if (this.#taken.has(device.id) || this.#world.isAllocated(device.id)) return false;
    if (!toleratesAll(wish.tolerations, device.device.taints)) return false;
    if (!wish.adminAccess && !this.#world.counters.take(pool, device.device)) return false;
    const constraints = this.#constraints[at] ?? [];
    const refusing = constraints.findIndex((one) => !one.add(names, device.driver, device.device));
    if (refusing >= 0) {
      for (const one of constraints.slice(0, refusing)) one.remove(names);
      if (!wish.adminAccess) this.#world.counters.giveBack(pool, device.device);
      return false;
    }
    chosen.push({ wish, device });
    if (!wish.adminAccess) this.#taken.add(device.id);
    return true;
  }

  #giveBack({ at, wish, names }: Place, { pool, device }: Candidate): void {
    this.chosen[at]?.pop();
    for (const one of this.#constraints[at] ?? []) one.remove(names);
    if (wish.adminAccess) return;
    this.#taken.delete(device.id);
    this.#world.counters.giveBack(pool, device.device);
  }

  /** What a wish describes, whether it is free or not. */
  #candidatesFor(wish: Wish): readonly Candidate[] {
    const known = this.#candidates.get(wish);
    if (known !== undefined) return known;
    const found: Candidate[] = [];
    for (const { pool, devices } of this.#world.pools) {
      if (pool.isIncomplete || pool.invalid !== undefined) continue;
      for (const device of devices) {
        if (isWhole(device) && this.#fits(wish, device)) found.push({ pool, device });
      }
    }
    this.#candidates.set(wish, found);
    return found;
  }

  #fits({ expressions }: Wish, device: PoolDevice): boolean {
    return expressions.every(({ source, of }) => {
      try {
        return this.#world.matches(source, device);
      } catch (error) {
        if (error instanceof SelectorError) throw new SelectorError(`${of}: ${error.message}`, error);
        throw error;
      }
    });
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

/** Given out as a whole, and at once: shared devices and those that are made ready first are for nobody here. */
function isWhole({ device }: PoolDevice): boolean {
  return device.allowMultipleAllocations !== true && (device.bindingConditions ?? []).length === 0;
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
