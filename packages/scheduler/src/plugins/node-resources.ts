import { DEVICE_CLASSES, ExtendedResourceClasses, resourcesOfClass } from '@binnacle/api';
import type { DeviceClass } from '@binnacle/api/resource/v1';
import { MAX_NODE_SCORE } from '../plan/framework.ts';
import { DeviceStock } from '../devices/device-stock.ts';
import type { Handle, PluginFactory } from '../handle.ts';
import type { NodeScore, NodeTest, QueueingHint, Refusal } from '../plan/framework.ts';
import { CPU, EPHEMERAL_STORAGE, MEMORY, POD_COUNT } from '../plan/demand.ts';
import type { PodDemand, Request } from '../plan/demand.ts';
import type { NodeColumns } from '../plan/node-columns.ts';
import { allocationScore, askedOf, devicesBySlot } from './allocation-scores.ts';
import type { ScoreBasis, ScoringStrategy, WeightedResource } from './allocation-scores.ts';
import { argumentsOf } from './arguments.ts';
import { NODE_ALLOCATABLE, OWN_UPDATE, ROOM_FREED } from './queueing-hints.ts';

/** Arguments of NodeResourcesFit (kubescheduler.config.k8s.io/v1 NodeResourcesFitArgs). */
export interface NodeResourcesFitArgs {
  /** Extended resources that the filter does not look at, and groups (`example.com`) of them. */
  readonly ignoredResources?: readonly string[];
  readonly ignoredResourceGroups?: readonly string[];
  readonly scoringStrategy?: ScoringStrategy;
}

/** Arguments of NodeResourcesBalancedAllocation. */
export interface BalancedAllocationArgs {
  readonly resources?: readonly WeightedResource[];
}

/** What counts in scores unless told otherwise. */
export const DEFAULT_RESOURCES: readonly WeightedResource[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
];

interface Need {
  readonly column: number;
  readonly amount: number;
  readonly reason: string;
  /** Nodes that have nothing of it are not asked for it. */
  readonly isClaimed: boolean;
}

/** How the filter looks at resources. */
interface Views {
  /** Whether it passes over one. */
  readonly isIgnored: (resource: string) => boolean;
  /** Whether devices by claims stand for one, where a node does not offer it. */
  readonly isClaimed: (resource: string) => boolean;
}

function needsOf(demand: PodDemand, nodes: NodeColumns, { isIgnored, isClaimed }: Views): Need[] {
  const needs: Need[] = [{ column: POD_COUNT, amount: 1, reason: 'Too many pods', isClaimed: false }];
  const add = (column: number, amount: number, resource: string): void => {
    if (amount <= 0) return;
    needs.push({ column, amount, reason: `Insufficient ${resource}`, isClaimed: isClaimed(resource) });
  };
  add(CPU, demand.milliCpu, 'cpu');
  add(MEMORY, demand.memory, 'memory');
  add(EPHEMERAL_STORAGE, demand.ephemeralStorage, 'ephemeral-storage');
  for (const { resource, amount } of demand.others) {
    if (!isIgnored(resource)) add(nodes.resourceColumn(resource), amount, resource);
  }
  return needs;
}

/** So many needs are told apart by the bits of a number, which is all that nearly any pod has. */
const BITS = 30;

/** Refusals by the set of what is short, so that no node makes a new one; `more` are the needs that have no bit. */
function refusalTable(
  needs: readonly Need[],
): (short: number, more: readonly number[] | undefined, tooSmall: boolean) => Refusal {
  const made = new Map<number | string, Refusal>();
  return (short, more, tooSmall) => {
    const bits = short * 2 + (tooSmall ? 1 : 0);
    const key = more === undefined ? bits : `${bits},${more.join()}`;
    let refusal = made.get(key);
    if (refusal === undefined) {
      const further = new Set(more);
      const isShort = (i: number): boolean => (i < BITS ? (short & (1 << i)) !== 0 : further.has(i));
      const reasons = needs.filter((_, i) => isShort(i)).map((n) => n.reason);
      refusal = { plugin: 'NodeResourcesFit', reasons, unresolvable: tooSmall };
      made.set(key, refusal);
    }
    return refusal;
  };
}

/** What may be asked of a column without being looked at: nothing is short of nothing, not even an overbooked node. */
const NOTHING = -Infinity;

function fits(demand: PodDemand, nodes: NodeColumns, views: Views): NodeTest {
  const refuse = explainRefusal(demand, nodes, views);
  const cpuAsked = demand.milliCpu > 0 ? demand.milliCpu : NOTHING;
  const memoryAsked = demand.memory > 0 ? demand.memory : NOTHING;
  const [cpu, memory, , pods] = nodes.allocatable as Float64Array[];
  const [cpuUsed, memoryUsed, , podsUsed] = nodes.requested as Float64Array[];
  const isPlain = demand.ephemeralStorage === 0 && demand.others.length === 0;
  return (slot) => {
    const fitsPlainly =
      podsUsed![slot]! < pods![slot]! &&
      cpuAsked <= cpu![slot]! - cpuUsed![slot]! &&
      memoryAsked <= memory![slot]! - memoryUsed![slot]!;
    return fitsPlainly && isPlain ? undefined : refuse(slot);
  };
}

/** Looks at every need of the pod: the slow way, for nodes that are refused and pods that ask for unusual things. */
function explainRefusal(demand: PodDemand, nodes: NodeColumns, views: Views): NodeTest {
  const needs = needsOf(demand, nodes, views);
  const refusal = refusalTable(needs);
  return (slot) => {
    let short = 0;
    let more: number[] | undefined;
    let tooSmall = false;
    for (let i = 0; i < needs.length; i++) {
      const { column, amount, isClaimed } = needs[i]!;
      const total = nodes.allocatable[column]![slot]!;
      if (isClaimed && total === 0) continue;
      if (amount <= total - nodes.requested[column]![slot]!) continue;
      if (i < BITS) short |= 1 << i;
      else (more ??= []).push(i);
      tooSmall ||= amount > total;
    }
    return short === 0 && more === undefined ? undefined : refusal(short, more, tooSmall);
  };
}

/** Devices may stand for a resource from now on, or for another one. */
const CLASS_OF_RESOURCE: QueueingHint = {
  resource: DEVICE_CLASSES.resource,
  actions: ['add', 'update'],
  mayHelp: ({ others }, { before, after }) => {
    const classes = [before, after] as readonly (DeviceClass | undefined)[];
    const names = classes.flatMap((one) => (one === undefined ? [] : resourcesOfClass(one)));
    return others.some(({ resource }) => names.includes(resource));
  },
};

/** Devices count in scores only where a resource does for which they can stand. */
function stockFor(handle: Handle, resources: readonly WeightedResource[]): DeviceStock | undefined {
  return resources.some(({ name }) => name.includes('/')) ? new DeviceStock(handle) : undefined;
}

/** What the devices that count in a pod's score are told apart by. */
function stockKey({ others }: PodDemand, stock: DeviceStock | undefined): string {
  if (stock === undefined || others.length === 0) return '';
  return others.some(({ resource }) => stock.of(resource) !== undefined) ? `@${stock.version}` : '';
}

/** Room for what the pod requests; of the nodes with room the emptiest, or as the strategy says. */
export const nodeResourcesFit: PluginFactory = {
  name: 'NodeResourcesFit',
  create(handle, args) {
    const given = argumentsOf<NodeResourcesFitArgs>(args, {});
    const classes = handle.lister(DEVICE_CLASSES);
    const devices = new ExtendedResourceClasses(() => classes.list());
    classes.follow(() => devices.invalidate());
    const ignored = new Set(given.ignoredResources ?? []);
    const groups = new Set(given.ignoredResourceGroups ?? []);
    const isIgnored = (resource: string): boolean =>
      resource.includes('/') && (ignored.has(resource) || groups.has(resource.slice(0, resource.indexOf('/'))));
    const isClaimed = (resource: string): boolean => devices.of(resource) !== undefined;
    const isByClaim = ({ resource }: Request): boolean => isClaimed(resource);
    const nameOf = ({ resource }: Request): string => resource;
    const strategy: ScoringStrategy = given.scoringStrategy ?? { type: 'LeastAllocated', resources: DEFAULT_RESOURCES };
    const stock = stockFor(handle, strategy.resources);
    return {
      name: 'NodeResourcesFit',
      isLocal: true,
      localKey: (demand) => {
        const { others } = demand;
        return others.length === 0 ? '' : others.filter(isByClaim).map(nameOf).join() + stockKey(demand, stock);
      },
      wakesOn: [NODE_ALLOCATABLE, ROOM_FREED, OWN_UPDATE, CLASS_OF_RESOURCE],
      filter: (demand, { nodes }) => fits(demand, nodes, { isIgnored, isClaimed }),
      score: (demand, { nodes }) => allocationScore(demand, { nodes, stock }, strategy),
    };
  },
};

/** Likes nodes on which the resources are used in equal measure. */
export const nodeResourcesBalancedAllocation: PluginFactory = {
  name: 'NodeResourcesBalancedAllocation',
  create(handle, args) {
    const { resources = DEFAULT_RESOURCES } = argumentsOf<BalancedAllocationArgs>(args, {});
    const stock = stockFor(handle, resources);
    return {
      name: 'NodeResourcesBalancedAllocation',
      isLocal: true,
      localKey: (demand) => stockKey(demand, stock),
      score(demand, { nodes }) {
        // A pod that requests nothing changes no balance; scoring it would send every such pod to one node.
        if (resources.every(({ name }) => askedOf(demand, name) === 0)) return undefined;
        return balanceScore(demand, { nodes, stock }, resources);
      },
    };
  },
};

/** Half of what the pod does to the evenness, around the middle of the upper half: 50 to 100, 75 where it changes nothing. */
function balanceScore(demand: PodDemand, basis: ScoreBasis, resources: readonly WeightedResource[]): NodeScore {
  const { nodes } = basis;
  const shares = resources.flatMap(({ name }) => {
    const column = nodes.resourceColumn(name);
    const asked = askedOf(demand, name);
    if (name.includes('/') && asked === 0) return [];
    const devices = devicesBySlot(name, basis);
    return [{ total: nodes.allocatable[column]!, used: nodes.requested[column]!, asked, devices }];
  });
  const without = new Float64Array(shares.length);
  const withPod = new Float64Array(shares.length);
  return (slot) => {
    let count = 0;
    for (let i = 0; i < shares.length; i++) {
      const { total, used, asked, devices } = shares[i]!;
      const found = total[slot] === 0 ? devices?.(slot) : undefined;
      const capacity = found?.total ?? total[slot]!;
      if (capacity === 0) continue;
      const held = found?.used ?? used[slot]!;
      without[count] = Math.min(1, held / capacity);
      withPod[count++] = Math.min(1, (held + asked) / capacity);
    }
    return HALF_SCORE + Math.floor((HALF_SCORE + evenness(withPod, count) - evenness(without, count)) / 2);
  };
}

const HALF_SCORE = MAX_NODE_SCORE / 2;

/** 100 less the standard deviation of the first `count` fractions, as a percentage. */
function evenness(fractions: Float64Array, count: number): number {
  if (count < 2) return MAX_NODE_SCORE;
  if (count === 2) return Math.floor((1 - Math.abs(fractions[0]! - fractions[1]!) / 2) * MAX_NODE_SCORE);
  let sum = 0;
  for (let i = 0; i < count; i++) sum += fractions[i]!;
  const mean = sum / count;
  let square = 0;
  for (let i = 0; i < count; i++) square += (fractions[i]! - mean) ** 2;
  return Math.floor((1 - Math.sqrt(square / count)) * MAX_NODE_SCORE);
}
