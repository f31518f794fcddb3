import { placedPodRequests, resourceAmount } from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import type { ScoringStrategy, ShapePoint } from '../plugins/allocation-scores.ts';

/** The definition of the two plugins of resources in plain words: everything is added up anew for every question. */

const allocatable = (node: Node, resource: string): number =>
  resourceAmount(resource, node.status?.allocatable?.[resource] ?? '0');

const requestOf = (pod: Pod, resource: string): number => placedPodRequests(pod).get(resource) ?? 0;

/** Whether a pod has room beside those that are there. */
export function naiveRoom(there: readonly Pod[], pod: Pod, node: Node): boolean {
  if (there.length + 1 > allocatable(node, 'pods')) return false;
  return [...placedPodRequests(pod)].every(([resource, amount]) => {
    const used = there.reduce((sum, p) => sum + requestOf(p, resource), 0);
    return amount === 0 || used + amount <= allocatable(node, resource);
  });
}

/** What containers that do not say are taken to use when nodes are scored: a tenth of a CPU, 200 MiB. */
const UNSTATED = { cpu: 100, memory: 200 * 1024 * 1024 };

const DEFAULT: ScoringStrategy = {
  type: 'LeastAllocated',
  resources: [
    { name: 'cpu', weight: 1 },
    { name: 'memory', weight: 1 },
  ],
};

/** How full the node would be of one resource, and what there is of it. */
interface Fullness {
  readonly used: number;
  readonly total: number;
}

/** The score of one resource by a strategy, 0–100. */
function scoreOf(strategy: ScoringStrategy, { used, total }: Fullness): number {
  switch (strategy.type) {
    case 'LeastAllocated':
      return used > total ? 0 : Math.floor(((total - used) * 100) / total);
    case 'MostAllocated':
      return Math.floor((Math.min(used, total) * 100) / total);
    default:
      return onLine(strategy.shape ?? [], used > total ? 100 : Math.floor((used * 100) / total));
  }
}

/** The point of the broken line; steps of it are of whole numbers, cut off towards where it comes from. */
function onLine(shape: readonly ShapePoint[], utilization: number): number {
  const before = shape.findLast((point) => point.utilization < utilization);
  const after = shape.find((point) => point.utilization >= utilization);
  if (before === undefined || after === undefined) return ((before ?? after)?.score ?? 0) * 10;
  const [run, rise] = [after.utilization - before.utilization, (after.score - before.score) * 10];
  return before.score * 10 + Math.trunc((rise * (utilization - before.utilization)) / run);
}

/** What NodeResourcesFit gives a node that would have these pods, 0–100; what the node has none of does not count. */
export function naiveAllocation(
  pods: readonly Pod[],
  node: Node,
  { asking, strategy = DEFAULT }: { readonly asking: Pod; readonly strategy?: ScoringStrategy | undefined },
): number {
  const isRatio = strategy.type === 'RequestedToCapacityRatio';
  const parts = strategy.resources.flatMap(({ name, weight }) => {
    const total = allocatable(node, name);
    // Of the resources that not every pod asks for, those count that this one asks for.
    if (total === 0 || (name.includes('/') && requestOf(asking, name) === 0)) return [];
    const used = pods.reduce((sum, p) => sum + (placedPodRequests(p, UNSTATED).get(name) ?? 0), 0);
    const score = scoreOf(strategy, { used, total });
    return isRatio && score === 0 ? [] : [{ score, weight }];
  });
  if (parts.length === 0) return 0;
  const mean = parts.reduce((sum, p) => sum + p.score * p.weight, 0) / parts.reduce((sum, p) => sum + p.weight, 0);
  return isRatio ? Math.round(mean) : Math.floor(mean);
}

/** What the pod does to how evenly CPU and memory are used, 50–100; one that requests neither has no say. */
export function naiveBalance(there: readonly Pod[], node: Node, asking: Pod): number {
  const asked = placedPodRequests(asking);
  if (asked.get('cpu') === undefined && asked.get('memory') === undefined) return 0;
  const evenness = (pods: readonly Pod[]): number => {
    const fraction = (resource: string): number =>
      Math.min(1, pods.reduce((sum, p) => sum + requestOf(p, resource), 0) / allocatable(node, resource));
    return Math.floor((1 - Math.abs(fraction('cpu') - fraction('memory')) / 2) * 100);
  };
  return 50 + Math.floor((50 + evenness([...there, asking]) - evenness(there)) / 2);
}
