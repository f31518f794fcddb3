import type { Node, Pod } from '@binnacle/api/core/v1';
import type { PodDisruptionBudget } from '@binnacle/api/policy/v1';
import { matchesLabels, selectorFromObject } from '@binnacle/machinery';
import { naiveRefusal } from './naive.ts';
import type { NaiveCluster } from './naive.ts';

/** The definition of preemption in plain words, as naive.ts of the plugins that refuse and score. */

/** What making room on a node would cost, the gravest first. */
type Cost = readonly [violations: number, top: number, sum: number, count: number, since: number];

const priorityOf = ({ spec }: Pod): number => spec.priority ?? 0;
const startedAt = ({ status }: Pod): number => Date.parse(status?.startTime ?? '');
const byImportance = (a: Pod, b: Pod): number => priorityOf(b) - priorityOf(a) || startedAt(a) - startedAt(b);

/** The cluster without some of its pods. */
function without(cluster: NaiveCluster, gone: readonly Pod[]): NaiveCluster {
  return { ...cluster, placed: cluster.placed.filter((p) => !gone.includes(p.pod)) };
}

/** Whom the budgets protect, when the pods go in this order. */
function protectedBy(budgets: readonly PodDisruptionBudget[], pods: readonly Pod[]): Pod[] {
  const left = budgets.map((b) => b.status?.disruptionsAllowed ?? 0);
  return pods.filter((pod) => {
    let isProtected = false;
    budgets.forEach(({ metadata, spec }, i) => {
      const covers = matchesLabels(selectorFromObject(spec.selector), pod.metadata.labels);
      if (metadata.namespace !== pod.metadata.namespace || !covers) return;
      left[i] = (left[i] ?? 0) - 1;
      isProtected ||= left[i] < 0;
    });
    return isProtected;
  });
}

function costAt(
  cluster: NaiveCluster,
  budgets: readonly PodDisruptionBudget[],
  [pod, node]: [Pod, Node],
): Cost | undefined {
  const there = cluster.placed.filter((p) => p.node === node.metadata.name).map((p) => p.pod);
  const lower = there.filter((p) => priorityOf(p) < priorityOf(pod)).toSorted(byImportance);
  if (lower.length === 0 || naiveRefusal(without(cluster, lower), pod, node) !== undefined) return undefined;
  const violating = protectedBy(budgets, lower);
  let gone: readonly Pod[] = lower;
  // Everybody who may stay stays; those whom a budget protects are asked first.
  for (const one of [...violating, ...lower.filter((p) => !violating.includes(p))]) {
    const fewer = gone.filter((p) => p !== one);
    if (naiveRefusal(without(cluster, fewer), pod, node) === undefined) gone = fewer;
  }
  const victims = gone.toSorted(byImportance);
  const [first] = victims;
  const top = first === undefined ? -Infinity : priorityOf(first);
  const earliest = Math.min(...victims.filter((p) => priorityOf(p) === top).map(startedAt));
  const sum = victims.reduce((total, p) => total + priorityOf(p) + 2 ** 31, 0);
  return [victims.filter((p) => violating.includes(p)).length, top, sum, victims.length, -earliest];
}

function compare(a: Cost, b: Cost): number {
  const at = a.findIndex((part, i) => part !== b[i]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** The nodes on which room costs least; several where they cost the same, none where it helps nowhere. */
export function naiveNominations(
  cluster: NaiveCluster,
  budgets: readonly PodDisruptionBudget[],
  pod: Pod,
): readonly string[] {
  const costs = cluster.nodes.flatMap((node) => {
    const cost = costAt(cluster, budgets, [pod, node]);
    return cost === undefined ? [] : [{ node: node.metadata.name ?? '', cost }];
  });
  const [best] = costs.toSorted((a, b) => compare(a.cost, b.cost));
  return best === undefined ? [] : costs.filter(({ cost }) => compare(cost, best.cost) === 0).map(({ node }) => node);
}
