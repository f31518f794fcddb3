import { nodeSelectionOf, toleratesTaint } from '@binnacle/api';
import type { Node, Pod, TopologySpreadConstraint } from '@binnacle/api/core/v1';
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
  return snapshot.tally(name, 0, () => spreadSpec(snapshot, count));
}

function spreadSpec(snapshot: Snapshot, { demand, constraints, needsAllKeys, byNode }: SpreadCount): TallySpec {
  const { namespace } = demand.pod.metadata;
  const isIncluded = inclusion(demand);
  return {
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
      const node = snapshot.nodes.nodes[slot];
      return node !== undefined && isIncluded(node, constraint);
    },
  };
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

/**
 * Whether a constraint of the pod counts a node. Its node affinity is held against each node once, however many constraints
 * there are: either may be thousands of terms.
 */
function inclusion({ pod, tolerations }: PodDemand): (node: Node, constraint: SpreadConstraint) => boolean {
  const isMeant = nodeSelectionOf(pod);
  const isAllowed = once(({ metadata: { name = '', labels } }) => isMeant({ name, labels }));
  const isTolerated = once(({ spec: { taints = [] } }) =>
    taints.every((taint) => !isHardTaint(taint) || tolerations.some((one) => toleratesTaint(one, taint))),
  );
  return (node, { honorsAffinity, honorsTaints }) =>
    (!honorsAffinity || isAllowed(node)) && (!honorsTaints || isTolerated(node));
}

/** Objects never change: a node that does is another one. */
function once(judge: (node: Node) => boolean): (node: Node) => boolean {
  const known = new WeakMap<Node, boolean>();
  return (node) => {
    let verdict = known.get(node);
    if (verdict === undefined) known.set(node, (verdict = judge(node)));
    return verdict;
  };
}
