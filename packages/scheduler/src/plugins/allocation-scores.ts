import { MAX_NODE_SCORE } from '../plan/framework.ts';
import type { NodeScore } from '../plan/framework.ts';
import type { DeviceCount, DeviceStock } from '../devices/device-stock.ts';
import { CPU, MEMORY } from '../plan/demand.ts';
import type { PodDemand } from '../plan/demand.ts';
import type { NodeColumns } from '../plan/node-columns.ts';
import { selectable } from './pod-volumes.ts';

/** A resource that counts in a score, and how much. */
export interface WeightedResource {
  readonly name: string;
  /** 1–100. */
  readonly weight: number;
}

/** A point of the function from utilization (0–100) to score (0–10). */
export interface ShapePoint {
  readonly utilization: number;
  readonly score: number;
}

/** How NodeResourcesFit scores (kubescheduler.config.k8s.io/v1 ScoringStrategy). */
export interface ScoringStrategy {
  readonly type: 'LeastAllocated' | 'MostAllocated' | 'RequestedToCapacityRatio';
  readonly resources: readonly WeightedResource[];
  /** For RequestedToCapacityRatio, utilization rising. */
  readonly shape?: readonly ShapePoint[];
}

/** One resource as the score of one pod sees it. */
export interface Share {
  readonly weight: number;
  readonly capacity: Float64Array;
  readonly used: Float64Array;
  readonly asked: number;
  /** Devices that stand for the resource, by slot, where the node does not offer it itself. */
  readonly devices?: (slot: number) => DeviceCount;
}

/** What is looked at besides the nodes' own columns. */
export interface ScoreBasis {
  readonly nodes: NodeColumns;
  /** Absent: no resource that counts can be one for which devices stand. */
  readonly stock?: Pick<DeviceStock, 'of'> | undefined;
}

/** The devices of a resource by slot; undefined: none stand for it. */
export function devicesBySlot(resource: string, { nodes, stock }: ScoreBasis): Share['devices'] {
  const count = stock?.of(resource);
  if (count === undefined) return undefined;
  return (slot) => {
    const node = nodes.nodes[slot];
    return node === undefined ? NO_DEVICES : count(selectable(node));
  };
}

const NO_DEVICES: DeviceCount = { total: 0, used: 0 };

/** CPU and memory count with stand-ins for what containers leave open; what the pod does not ask for of other resources does not count. */
function sharesOf(demand: PodDemand, basis: ScoreBasis, resources: readonly WeightedResource[]): Share[] {
  const { nodes } = basis;
  const shares: Share[] = [];
  for (const { name, weight } of resources) {
    const column = nodes.resourceColumn(name);
    const capacity = nodes.allocatable[column]!;
    if (column === CPU) shares.push({ weight, capacity, used: nodes.scoringCpu, asked: demand.scoringMilliCpu });
    else if (column === MEMORY) {
      shares.push({ weight, capacity, used: nodes.scoringMemory, asked: demand.scoringMemory });
    } else {
      const asked = askedOf(demand, name);
      const isNative = !name.includes('/');
      if (asked === 0 && !isNative) continue;
      const devices = devicesBySlot(name, basis);
      const share = { weight, capacity, used: nodes.requested[column]!, asked };
      shares.push(devices === undefined ? share : { ...share, devices });
    }
  }
  return shares;
}

/** What a pod requests of a resource by name. */
export function askedOf(demand: PodDemand, name: string): number {
  if (name === 'cpu') return demand.milliCpu;
  if (name === 'memory') return demand.memory;
  if (name === 'ephemeral-storage') return demand.ephemeralStorage;
  return demand.others.find((o) => o.resource === name)?.amount ?? 0;
}

/** The score of a strategy. Whole numbers at every step, as upstream's. */
export function allocationScore(demand: PodDemand, basis: ScoreBasis, strategy: ScoringStrategy): NodeScore {
  const shares = sharesOf(demand, basis, strategy.resources);
  if (strategy.type === 'RequestedToCapacityRatio') return ratioScore(shares, strategy.shape ?? []);
  const isLeast = strategy.type === 'LeastAllocated';
  const [first, second] = shares;
  const isEven = shares.length === 2 && first?.weight === second?.weight;
  if (isLeast && isEven && shares.every(({ devices }) => devices === undefined)) {
    return evenLeastScore(first!, second!);
  }
  return (slot) => {
    let sum = 0;
    let weights = 0;
    for (let i = 0; i < shares.length; i++) {
      const { weight, capacity, used, asked, devices } = shares[i]!;
      const found = capacity[slot] === 0 ? devices?.(slot) : undefined;
      const total = found?.total ?? capacity[slot]!;
      if (total === 0) continue;
      const requested = (found?.used ?? used[slot]!) + asked;
      weights += weight;
      if (isLeast) sum += requested > total ? 0 : Math.floor(((total - requested) * MAX_NODE_SCORE) / total) * weight;
      else sum += Math.floor((Math.min(requested, total) * MAX_NODE_SCORE) / total) * weight;
    }
    return weights === 0 ? 0 : Math.floor(sum / weights);
  };
}

/** LeastAllocated over two resources of equal weight: the default, without a loop. */
function evenLeastScore(a: Share, b: Share): NodeScore {
  const { capacity: capacityA, used: usedA, asked: askedA } = a;
  const { capacity: capacityB, used: usedB, asked: askedB } = b;
  return (slot) => {
    const totalA = capacityA[slot]!;
    const totalB = capacityB[slot]!;
    const freeA = totalA - usedA[slot]! - askedA;
    const freeB = totalB - usedB[slot]! - askedB;
    const scoreA = freeA > 0 ? Math.floor((freeA * MAX_NODE_SCORE) / totalA) : 0;
    const scoreB = freeB > 0 ? Math.floor((freeB * MAX_NODE_SCORE) / totalB) : 0;
    const parts = (totalA > 0 ? 1 : 0) + (totalB > 0 ? 1 : 0);
    return parts === 0 ? 0 : Math.floor((scoreA + scoreB) / parts);
  };
}

const SHAPE_SCORE_MAX = 10;

/** The value of the broken line through the points, cut off to a whole number; flat before the first and after the last. */
export function brokenLine(points: readonly ShapePoint[], utilization: number): number {
  for (let i = 0; i < points.length; i++) {
    const to = points[i]!;
    if (utilization > to.utilization) continue;
    const from = points[i - 1];
    if (from === undefined) return to.score;
    const rise = (to.score - from.score) * (utilization - from.utilization);
    return from.score + Math.trunc(rise / (to.utilization - from.utilization));
  }
  return points.at(-1)?.score ?? 0;
}

function ratioScore(shares: readonly Share[], shape: readonly ShapePoint[]): NodeScore {
  const points = shape.map((p) => ({ ...p, score: p.score * (MAX_NODE_SCORE / SHAPE_SCORE_MAX) }));
  return (slot) => {
    let sum = 0;
    let weights = 0;
    for (const { weight, capacity, used, asked, devices } of shares) {
      const found = capacity[slot] === 0 ? devices?.(slot) : undefined;
      const total = found?.total ?? capacity[slot]!;
      if (total === 0) continue;
      const requested = (found?.used ?? used[slot]!) + asked;
      const utilization = requested > total ? MAX_NODE_SCORE : Math.floor((requested * MAX_NODE_SCORE) / total);
      const score = brokenLine(points, utilization);
      if (score <= 0) continue;
      sum += score * weight;
      weights += weight;
    }
    return weights === 0 ? 0 : Math.round(sum / weights);
  };
}
