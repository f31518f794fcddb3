import { matchesNodeSelector } from '@binnacle/api';
import type { ExtendedResourceClasses, SelectableNode } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { DeviceClass, ResourceClaim } from '@binnacle/api/resource/v1';
import type { PodDemand } from '../plan/demand.ts';
import type { NodeColumns } from '../plan/node-columns.ts';
import { allocateDevices } from './allocate.ts';
import type { ChosenDevice, ClaimToAllocate } from './allocate.ts';
import type { AllocatedDevices } from './allocated-devices.ts';
import { DescribedDevices } from './described-devices.ts';
import { ClaimError, SearchLimitError, SelectorError } from './errors.ts';
import { wishFor } from './extended-resources.ts';
import type { ResourceWish } from './extended-resources.ts';
import type { DeviceInventory } from './inventory.ts';
import { canBeReserved, claimsOfPod, isReservedFor, keyOf } from './pod-claims.ts';
import { requestsOf } from './requests.ts';
import { DeviceSelectors } from './selectors.ts';

/** Why a pod has to wait. */
export interface Obstacle {
  readonly obstacle: string;
}

const UNAVAILABLE: Obstacle = { obstacle: 'resourceclaim not available on the node' };
const STALE: Obstacle = { obstacle: 'cannot schedule extended resource claim' };
/** Of a node that has too few devices; always this one object. */
export const NOT_ENOUGH: Obstacle = { obstacle: 'cannot allocate all claims' };

/** What of a pod's claims is settled, and what has to be found. */
export interface Wanted {
  readonly allocated: readonly ResourceClaim[];
  readonly open: readonly ClaimToAllocate[];
  /** Extended resources that devices of classes are given for, where the node does not offer them itself. */
  readonly resources: ReadonlyMap<string, DeviceClass>;
  /** Made for them when the pod was tried before: it has to go first. */
  readonly stale: ResourceClaim | undefined;
}

/** What a pod's claims get on a node. */
export interface Plan {
  readonly wanted: Wanted;
  /** For each of those that are open. */
  readonly chosen: readonly (readonly ChosenDevice[])[];
  /** For extended resources that the node does not offer itself. */
  readonly extended?: { readonly wish: ResourceWish; readonly chosen: readonly ChosenDevice[] };
}

/** A node, and whether it offers a resource itself. */
export interface PlannedNode extends SelectableNode {
  readonly offers: (resource: string) => boolean;
}

interface AskedResources {
  readonly wish: ResourceWish;
  readonly asked: ClaimToAllocate;
}

/** What is looked at. */
export interface PlannerParts {
  readonly claims: { get(key: string): ResourceClaim | undefined };
  readonly classes: { get(name: string): DeviceClass | undefined };
  readonly resources: ExtendedResourceClasses;
  /** Claims for extended resources of the pod with this uid. */
  readonly claimsForResources: (podUid: string) => readonly ResourceClaim[];
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
  readonly #described: DescribedDevices;

  constructor(parts: PlannerParts) {
    this.#parts = parts;
    this.#described = new DescribedDevices(new DeviceSelectors(), parts.allocated);
  }

  /** Whether the pod asks for devices, by claims or as extended resources. */
  concerns({ pod, others }: PodDemand): boolean {
    if ((pod.spec.resourceClaims ?? []).length > 0) return true;
    return others.some(({ resource }) => this.#parts.resources.of(resource) !== undefined);
  }

  /** What the pod's claims need, or why it has to wait for them. */
  wantedBy({ pod, uid, others }: PodDemand): Wanted | Obstacle {
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
    const resources = new Map<string, DeviceClass>();
    for (const { resource } of others) {
      const one = this.#parts.resources.of(resource);
      if (one !== undefined) resources.set(resource, one);
    }
    const [stale] = resources.size === 0 ? [] : this.#parts.claimsForResources(uid);
    return { allocated, open, resources, stale };
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

  /**
   * Pods for which this is equal get the same devices, or are told the same of there being too few. Undefined: what a node says
   * depends on more, as some of the claims have their devices.
   */
  likenessOf(demand: PodDemand): string | undefined {
    const wanted = this.wantedBy(demand);
    if ('obstacle' in wanted || wanted.stale !== undefined || wanted.allocated.length > 0) return undefined;
    const { open, resources } = wanted;
    const asked = open.map(({ claim }) => claim.spec.devices);
    const wish = resources.size === 0 ? [] : [[...resources.keys()], wishFor(demand.pod, resources, '').claim.spec];
    return JSON.stringify([asked, wish]);
  }

  /** What depends on the pod alone is worked out once; the answer is for one node. */
  planFor(demand: PodDemand): (node: PlannedNode) => Plan | Obstacle {
    const wanted = this.wantedBy(demand);
    if ('obstacle' in wanted) return () => wanted;
    if (wanted.stale !== undefined) return () => STALE;
    if (wanted.allocated.some((claim) => this.#parts.isHopeless(claim))) return () => UNAVAILABLE;
    const wishes = new Map<string, AskedResources | Obstacle>();
    const wishOn = ({ offers }: PlannedNode): AskedResources | Obstacle | undefined => {
      const missing = [...wanted.resources].filter(([resource]) => !offers(resource));
      if (missing.length === 0) return undefined;
      const key = missing.map(([resource]) => resource).join();
      const known = wishes.get(key) ?? this.#wish(demand.pod, new Map(missing));
      wishes.set(key, known);
      return known;
    };
    return (node) => {
      if (!wanted.allocated.every((claim) => isThere(claim, node))) return UNAVAILABLE;
      const wish = wishOn(node);
      if (wish !== undefined && 'obstacle' in wish) return wish;
      return this.#planOn(node, wanted, wish);
    };
  }

  #wish(pod: Pod, missing: ReadonlyMap<string, DeviceClass>): AskedResources | Obstacle {
    const wish = wishFor(pod, missing, `extended-resources/${pod.metadata.uid ?? ''}`);
    const asked = this.#asked(wish.claim);
    return 'obstacle' in asked ? asked : { wish, asked };
  }

  #planOn(node: PlannedNode, wanted: Wanted, wish: AskedResources | undefined): Plan | Obstacle {
    const open = wish === undefined ? wanted.open : [...wanted.open, wish.asked];
    if (open.length === 0) return { wanted, chosen: [] };
    try {
      const all = this.#allocate(open, node);
      if (all === undefined) return NOT_ENOUGH;
      if (wish === undefined) return { wanted, chosen: all };
      return { wanted, chosen: all.slice(0, -1), extended: { wish: wish.wish, chosen: all.at(-1) ?? [] } };
    } catch (error) {
      const known = error instanceof ClaimError || error instanceof SelectorError || error instanceof SearchLimitError;
      if (!known) throw error;
      return { obstacle: error.message };
    }
  }

  #allocate(open: readonly ClaimToAllocate[], node: SelectableNode): readonly (readonly ChosenDevice[])[] | undefined {
    const { inventory, allocated: given, watchTime } = this.#parts;
    return allocateDevices(open, {
      pools: inventory.poolsOf(node),
      given,
      described: (wish, pool) => this.#described.of(wish, pool),
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

/** The node at a slot, as plans look at it; undefined: none is there. */
export function plannedNode(nodes: NodeColumns, slot: number): PlannedNode | undefined {
  const node = nodes.nodes[slot];
  if (node === undefined) return undefined;
  const offers = (resource: string): boolean => (nodes.allocatable[nodes.resourceColumn(resource)]?.[slot] ?? 0) > 0;
  return { name: node.metadata.name ?? '', labels: node.metadata.labels, offers };
}
