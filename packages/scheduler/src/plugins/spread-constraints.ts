import { matchesNodeSelection, toleratesTaint } from '@binnacle/api';
import type { Pod, TopologySpreadConstraint } from '@binnacle/api/core/v1';
import { matchesLabels } from '@binnacle/machinery';
import type { Selector } from '@binnacle/machinery';
import { isHardTaint } from '../plan/demand.ts';
import type { PodDemand } from '../plan/demand.ts';
import type { Cohort, LabelledPods } from '../plan/cohort.ts';
import type { Snapshot } from '../plan/snapshot.ts';
import type { Tally, TallySpec } from '../plan/tally.ts';
import { NODE_ITSELF } from '../plan/topology.ts';
import { selectorWithKeys } from './pod-affinity-terms.ts';

/** One spread constraint, read once for one pod. */
export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly selector: Selector;
  readonly minDomains: number;
  /** Only nodes that the pod's node selector and required node affinity allow are counted. */
  readonly honorsAffinity: boolean;
  /** Only nodes whose taints the pod tolerates are counted. */
  readonly honorsTaints: boolean;
}

/** Reads one constraint of a pod, or a default one for a pod (then with the selector that the pod's owners give). */
export function readConstraint(pod: Pod, given: TopologySpreadConstraint, selector?: Selector): SpreadConstraint {
  return {
    maxSkew: given.maxSkew,
    topologyKey: given.topologyKey,
    selector: selector ?? selectorWithKeys(given.labelSelector, pod, given),
    minDomains: given.minDomains ?? 1,
    honorsAffinity: (given.nodeAffinityPolicy ?? 'Honor') === 'Honor',
    honorsTaints: given.nodeTaintsPolicy === 'Honor',
  };
}

/** Whether a constraint counts a placed pod: those on their way out do not count, an empty selector counts none. */
function counts({ selector }: SpreadConstraint, namespace: string | undefined, { sample }: Cohort): boolean {
  const { metadata } = sample.pod;
  if (metadata.namespace !== namespace || metadata.deletionTimestamp !== undefined) return false;
  if (selector.requirements.length === 0) return false;
  return matchesLabels(selector, metadata.labels);
}

/** How to count for a set of constraints. */
export interface SpreadCount {
  readonly demand: PodDemand;
  readonly constraints: readonly SpreadConstraint[];
  /** Nodes that lack the key of any of the constraints are left out altogether. */
  readonly needsAllKeys: boolean;
  /** Pods by node, instead of by the domain of that key: nodes are one domain each, and none is left out. */
  readonly byNode?: string;
}

/** The counts per domain for each constraint, kept from pod to pod. */
export function spreadTally(snapshot: Snapshot, count: SpreadCount): Tally {
  const { demand, constraints, needsAllKeys, byNode } = count;
  const { pod } = demand;
  const namespace = pod.metadata.namespace;
  const { nodeSelector, affinity } = pod.spec;
  const name = JSON.stringify([
    'spread',
    namespace,
    constraints,
    needsAllKeys,
    byNode,
    constraints.some((c) => c.honorsAffinity) ? [nodeSelector, affinity?.nodeAffinity] : 0,
    constraints.some((c) => c.honorsTaints) ? demand.tolerations : 0,
  ]);
  return snapshot.tally(name, 0, () => ({
    ...onlyWith(namespace, labelsOfAll(constraints)),
    keys: constraints.map((c) => (c.topologyKey === byNode ? NODE_ITSELF : c.topologyKey)),
    weigh: (cohort) => {
      const weights = constraints.map((c) => (counts(c, namespace, cohort) ? 1 : 0));
      return weights.some((w) => w > 0) ? weights : undefined;
    },
    takesPart: (column, slot) => {
      const constraint = constraints[column]!;
      if (constraint.topologyKey === byNode) return true;
      if (needsAllKeys && !hasAllKeys(snapshot, slot, constraints)) return false;
      return isIncluded(snapshot, slot, { demand, constraint });
    },
  }));
}

function onlyWith(namespace = '', labels: LabelledPods['labels']): Pick<TallySpec, 'onlyWithLabels'> {
  return labels.length === 0 ? {} : { onlyWithLabels: { namespace, labels } };
}

/** The labels that every constraint asks of the pods that it counts, as far as that is sure. */
function labelsOfAll([first, ...others]: readonly SpreadConstraint[]): (readonly [key: string, value: string])[] {
  let left = labelsAsked(first);
  for (const other of others) {
    const asked = new Map(labelsAsked(other));
    left = left.filter(([key, value]) => asked.get(key) === value);
  }
  return left;
}

function labelsAsked(constraint: SpreadConstraint | undefined): (readonly [key: string, value: string])[] {
  return (constraint?.selector.requirements ?? []).flatMap(({ key, operator, values: [value, ...more] }) => {
    const isOne = operator === '=' || operator === '==' || operator === 'in';
    return isOne && value !== undefined && more.length === 0 ? [[key, value] as const] : [];
  });
}

/** Whether a node has the labels of all constraints. */
export function hasAllKeys(snapshot: Snapshot, slot: number, constraints: readonly SpreadConstraint[]): boolean {
  for (let i = 0; i < constraints.length; i++) {
    if (snapshot.nodes.topology(constraints[i]!.topologyKey).domainOf[slot]! === -1) return false;
  }
  return true;
}

function isIncluded(
  { nodes }: Snapshot,
  slot: number,
  { demand, constraint }: { readonly demand: PodDemand; readonly constraint: SpreadConstraint },
): boolean {
  const node = nodes.nodes[slot];
  if (node === undefined) return false;
  const { name = '', labels } = node.metadata;
  if (constraint.honorsAffinity && !matchesNodeSelection(demand.pod, { name, labels })) return false;
  if (!constraint.honorsTaints) return true;
  return (node.spec.taints ?? []).every(
    (taint) => !isHardTaint(taint) || demand.tolerations.some((toleration) => toleratesTaint(toleration, taint)),
  );
}
