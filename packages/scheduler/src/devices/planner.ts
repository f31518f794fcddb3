import { matchesNodeSelector } from '@binnacle/api';
import type { SelectableNode } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { DeviceClass, ResourceClaim } from '@binnacle/api/resource/v1';
import { allocateDevices } from './allocate.ts';
import type { ChosenDevice, ClaimToAllocate } from './allocate.ts';
import type { AllocatedDevices } from './allocated-devices.ts';
import { CounterUse } from './counter-use.ts';
import { ClaimError, SearchLimitError, SelectorError } from './errors.ts';
import type { DeviceInventory } from './inventory.ts';
import { canBeReserved, claimsOfPod, isReservedFor, keyOf } from './pod-claims.ts';
import { requestsOf } from './requests.ts';
import { DeviceSelectors } from './selectors.ts';

/** Why a pod has to wait. */
export interface Obstacle {
  readonly obstacle: string;
}

const UNAVAILABLE: Obstacle = { obstacle: 'resourceclaim not available on the node' };
const NOT_ENOUGH: Obstacle = { obstacle: 'cannot allocate all claims' };

/** What of a pod's claims is settled, and what has to be found. */
export interface Wanted {
  readonly allocated: readonly ResourceClaim[];
  readonly open: readonly ClaimToAllocate[];
}

/** What a pod's claims get on a node. */
export interface Plan {
  readonly wanted: Wanted;
  readonly chosen: readonly (readonly ChosenDevice[])[];
}

/** What is looked at. */
export interface PlannerParts {
  readonly claims: { get(key: string): ResourceClaim | undefined };
  readonly classes: { get(name: string): DeviceClass | undefined };
  readonly inventory: DeviceInventory;
  readonly allocated: AllocatedDevices;
  /** Whether pods wait in vain for the devices of an allocated claim to be made ready. */
  readonly isHopeless: (claim: ResourceClaim) => boolean;
  /** Tells, from now on, whether a search has taken too long. */
  readonly watchTime: () => () => boolean;
}

/** Works out which devices the claims of a pod get on a node. */
export class DevicePlanner {
  readonly #parts: PlannerParts;
  readonly #selectors = new DeviceSelectors();

  constructor(parts: PlannerParts) {
    this.#parts = parts;
  }

  /** What the pod's claims need, or why it has to wait for them. */
  wantedBy(pod: Pod): Wanted | Obstacle {
    const found = claimsOfPod(pod, (key) => this.#parts.claims.get(key));
    if ('obstacle' in found) return found;
    const allocated: ResourceClaim[] = [];
    const open: ClaimToAllocate[] = [];
    for (const claim of found.claims) {
      if (claim.status?.allocation !== undefined) {
        if (!canBeReserved(claim) && !isReservedFor(claim, pod)) return { obstacle: 'resourceclaim in use' };
        allocated.push(claim);
        continue;
      }
      if (this.#parts.allocated.promised(claim.metadata.uid ?? '') !== undefined) {
        return { obstacle: `resource claim ${keyOf(claim)} is in the process of being allocated` };
      }
      const asked = this.#asked(claim);
      if ('obstacle' in asked) return asked;
      open.push(asked);
    }
    return { allocated, open };
  }

  #asked(claim: ResourceClaim): ClaimToAllocate | Obstacle {
    try {
      const requests = requestsOf(claim, (name) => this.#parts.classes.get(name));
      const wishes = requests.flatMap((request) => request.wishes);
      const missing = wishes.find((wish) => wish.class === undefined);
      if (missing === undefined) return { claim, requests };
      return { obstacle: `request ${missing.name}: device class ${missing.className} does not exist` };
    } catch (error) {
      if (error instanceof ClaimError) return { obstacle: error.message };
      throw error;
    }
  }

  /** What depends on the pod alone is worked out once; the answer is for one node. */
  planFor(pod: Pod): (node: SelectableNode) => Plan | Obstacle {
    const wanted = this.wantedBy(pod);
    if ('obstacle' in wanted) return () => wanted;
    if (wanted.allocated.some((claim) => this.#parts.isHopeless(claim))) return () => UNAVAILABLE;
    return (node) => {
      if (!wanted.allocated.every((claim) => isThere(claim, node))) return UNAVAILABLE;
      if (wanted.open.length === 0) return { wanted, chosen: [] };
      try {
        const chosen = this.#allocate(wanted.open, node);
        return chosen === undefined ? NOT_ENOUGH : { wanted, chosen };
      } catch (error) {
        const known =
          error instanceof ClaimError || error instanceof SelectorError || error instanceof SearchLimitError;
        if (!known) throw error;
        return { obstacle: error.message };
      }
    };
  }

  #allocate(open: readonly ClaimToAllocate[], node: SelectableNode): readonly (readonly ChosenDevice[])[] | undefined {
    const { inventory, allocated: given, watchTime } = this.#parts;
    return allocateDevices(open, {
      pools: inventory.poolsOf(node),
      given,
      counters: new CounterUse((id) => given.isGiven(id) || given.sharesOf(id) !== undefined),
      matches: (expression, { driver, device }) => this.#selectors.matches(expression, driver, device),
      isLate: watchTime(),
    });
  }
}

/** Whether the node reaches the devices that the claim has. */
export function isThere({ status }: ResourceClaim, node: SelectableNode): boolean {
  const selector = status?.allocation?.nodeSelector;
  return selector === undefined || matchesNodeSelector(selector, node);
}

/** Upstream's most of ways to meet one request; the first is worth so much. */
const WAYS_MAX = 8;

/** The sooner a way to meet a request was named, the better. */
export function worthOf({ wanted, chosen }: Plan): number {
  let worth = 0;
  for (const [i, { requests }] of wanted.open.entries()) {
    const names = new Set((chosen[i] ?? []).map(({ wish }) => wish.name));
    for (const { wishes } of requests) {
      const at = wishes.length > 1 ? wishes.findIndex(({ name }) => names.has(name)) : -1;
      if (at >= 0) worth += WAYS_MAX - at;
    }
  }
  return worth;
}
