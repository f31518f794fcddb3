import { matchesNodeSelection, matchesNodeSelectorTerm, toleratesTaint } from '@binnacle/api';
import type { Node, Pod, PodAffinityTerm, Taint, TopologySpreadConstraint } from '@binnacle/api/core/v1';
import { matchesLabels, selectorFromObject } from '@binnacle/machinery';
import type { ScoringStrategy } from '../plugins/allocation-scores.ts';
import { naiveAllocation, naiveBalance, naiveRoom } from './naive-resources.ts';
import { naiveUnclaimable, naiveVolumeRefusal } from './naive-volumes.ts';
import type { StoredCluster } from './naive-volumes.ts';

/**
 * The definition of the default plugins in plain words: loops over all nodes and all pods, nothing kept, nothing
 * counted ahead. What the scheduler does quickly has to come out the same.
 */
export interface NaiveCluster extends StoredCluster {
  readonly nodes: readonly Node[];
  readonly placed: readonly { readonly pod: Pod; readonly node: string }[];
  readonly namespaces: ReadonlyMap<string, { readonly [key: string]: string }>;
  /** Pods that wait for room on a node. */
  readonly waiting?: readonly { readonly pod: Pod; readonly node: string }[];
  /** Whose pods are spread without saying so. */
  readonly services?: readonly NaiveService[];
  /** How NodeResourcesFit scores; LeastAllocated by CPU and memory where absent. */
  readonly strategy?: ScoringStrategy;
}

/** What a Service chooses. */
export interface NaiveService {
  readonly namespace: string;
  readonly selector: { readonly [key: string]: string };
}

type Labels = { readonly [key: string]: string } | undefined;

const nameOf = (node: Node): string => node.metadata.name ?? '';
/** Labels are what is written there, not what every object knows. */
const valueOf = (labels: Labels, key: string): string | undefined =>
  labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
const labelOf = (node: Node, key: string): string | undefined => valueOf(node.metadata.labels, key);
const isHard = (taint: Taint): boolean => taint.effect === 'NoSchedule' || taint.effect === 'NoExecute';
const tolerates = (pod: Pod, taint: Taint): boolean =>
  (pod.spec.tolerations ?? []).some((toleration) => toleratesTaint(toleration, taint));
const podsOn = ({ placed }: NaiveCluster, node: Node): Pod[] =>
  placed.filter((p) => p.node === nameOf(node)).map((p) => p.pod);
const seen = (node: Node): { name: string; labels: Labels } => ({ name: nameOf(node), labels: node.metadata.labels });

/** The gates that a pod waits behind; it is decided when none is left. */
export function naiveGates(pod: Pod): readonly string[] {
  return (pod.spec.schedulingGates ?? []).map(({ name }) => name);
}

/** Why a node is refused: the first plugin that says so, or undefined. */
export function naiveRefusal(cluster: NaiveCluster, pod: Pod, node: Node): string | undefined {
  if (naiveUnclaimable(cluster, pod)) return 'VolumeBinding';
  // Where every term names nodes, the others are not even looked at.
  const terms =
    pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const named = terms.map((t) => t.matchFields?.find((f) => f.key === 'metadata.name' && f.operator === 'In')?.values);
  if (terms.length > 0 && named.every((values) => values !== undefined && !values.includes(nameOf(node)))) {
    return 'NodeAffinity';
  }
  if (node.spec.unschedulable === true) {
    if (!tolerates(pod, { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' })) return 'NodeUnschedulable';
  }
  if ((node.spec.taints ?? []).some((t) => isHard(t) && !tolerates(pod, t))) return 'TaintToleration';
  if (!matchesNodeSelection(pod, seen(node))) return 'NodeAffinity';
  if (podsOn(cluster, node).some((other) => wantSamePort(other, pod))) return 'NodePorts';
  if (!naiveRoom(podsOn(cluster, node), pod, node)) return 'NodeResourcesFit';
  const volumes = naiveVolumeRefusal(cluster, pod, node);
  if (volumes !== undefined) return volumes;
  if (!isSpread(cluster, pod, node)) return 'PodTopologySpread';
  if (!isAffine(cluster, pod, node)) return 'InterPodAffinity';
  const needsAll = pod.spec.containers.some((c) => c.restartPolicyRules?.[0]?.action === 'RestartAllContainers');
  const declared = node.status?.declaredFeatures ?? [];
  if (needsAll && !declared.includes('RestartAllContainersOnContainerExits')) return 'NodeDeclaredFeatures';
  return undefined;
}

/**
 * Why a node is refused, without and with those there that wait for room on it and are at least as important; none: it is
 * not refused.
 */
export function naiveRefusals(cluster: NaiveCluster, pod: Pod, node: Node): readonly string[] {
  const { placed, waiting = [] } = cluster;
  const first = waiting.filter(
    (w) => w.node === nameOf(node) && (w.pod.spec.priority ?? 0) >= (pod.spec.priority ?? 0),
  );
  const refusals = [naiveRefusal(cluster, pod, node)];
  if (first.length > 0) refusals.push(naiveRefusal({ ...cluster, placed: [...placed, ...first] }, pod, node));
  return refusals.filter((one) => one !== undefined);
}

/** A host port, on one address or on all of them. */
function wantSamePort(one: Pod, other: Pod): boolean {
  const ports = ({ spec }: Pod) =>
    spec.containers.flatMap((c) => c.ports ?? []).filter((p) => p.hostPort !== undefined);
  return ports(one).some((a) =>
    ports(other).some(
      (b) =>
        a.hostPort === b.hostPort &&
        (a.protocol ?? 'TCP') === (b.protocol ?? 'TCP') &&
        (a.hostIP === undefined || b.hostIP === undefined || a.hostIP === b.hostIP),
    ),
  );
}

// Spreading.

function isIncluded(pod: Pod, node: Node, c: TopologySpreadConstraint): boolean {
  if (c.nodeAffinityPolicy !== 'Ignore' && !matchesNodeSelection(pod, seen(node))) return false;
  return c.nodeTaintsPolicy !== 'Honor' || !(node.spec.taints ?? []).some((t) => isHard(t) && !tolerates(pod, t));
}

function spreadMatches(c: TopologySpreadConstraint, incoming: Pod, pod: Pod): boolean {
  if (pod.metadata.namespace !== incoming.metadata.namespace || pod.metadata.deletionTimestamp !== undefined)
    return false;
  if (c.labelSelector === undefined) return false;
  const own = incoming.metadata.labels;
  const keys = (c.matchLabelKeys ?? []).filter((key) => valueOf(own, key) !== undefined);
  // A selector that says nothing at all counts nothing.
  if (Object.keys(c.labelSelector).length === 0 && keys.length === 0) return false;
  return (
    matchesLabels(selectorFromObject(c.labelSelector), pod.metadata.labels) &&
    keys.every((key) => valueOf(pod.metadata.labels, key) === valueOf(own, key))
  );
}

function isSpread(cluster: NaiveCluster, pod: Pod, node: Node): boolean {
  const hard = (pod.spec.topologySpreadConstraints ?? []).filter((c) => c.whenUnsatisfiable === 'DoNotSchedule');
  return hard.every((c) => {
    const value = labelOf(node, c.topologyKey);
    if (value === undefined) return false;
    const counted = cluster.nodes.filter(
      (n) => hard.every((h) => labelOf(n, h.topologyKey) !== undefined) && isIncluded(pod, n, c),
    );
    const countIn = (domain: string): number =>
      counted
        .filter((n) => labelOf(n, c.topologyKey) === domain)
        .reduce((sum, n) => sum + podsOn(cluster, n).filter((p) => spreadMatches(c, pod, p)).length, 0);
    const domains = [...new Set(counted.map((n) => labelOf(n, c.topologyKey) ?? ''))];
    const fewest = domains.length < (c.minDomains ?? 1) ? 0 : Math.min(...domains.map(countIn));
    const self = matchesLabels(selectorFromObject(c.labelSelector), pod.metadata.labels) ? 1 : 0;
    return countIn(value) + self - fewest <= c.maxSkew;
  });
}

// Affinity to pods.

interface Spoken {
  readonly owner: Pod;
  readonly term: PodAffinityTerm;
}

function speaksOf(cluster: NaiveCluster, { owner, term }: Spoken, pod: Pod): boolean {
  const { namespaces = [], namespaceSelector } = term;
  const namespace = pod.metadata.namespace ?? '';
  const isHome = namespaces.length === 0 && namespaceSelector === undefined && namespace === owner.metadata.namespace;
  const isChosen =
    namespaceSelector !== undefined &&
    matchesLabels(selectorFromObject(namespaceSelector), cluster.namespaces.get(namespace));
  if (!isHome && !namespaces.includes(namespace) && !isChosen) return false;
  if (term.labelSelector === undefined) return false;
  const own = owner.metadata.labels;
  const { labels } = pod.metadata;
  const isAlike = (key: string): boolean => valueOf(labels, key) === valueOf(own, key);
  const isSaid = (key: string): boolean => valueOf(own, key) !== undefined;
  return (
    matchesLabels(selectorFromObject(term.labelSelector), labels) &&
    (term.matchLabelKeys ?? []).filter(isSaid).every(isAlike) &&
    !(term.mismatchLabelKeys ?? []).filter(isSaid).some(isAlike)
  );
}

function sharesDomain(cluster: NaiveCluster, key: string, [node, other]: [node: Node, other: string]): boolean {
  const value = labelOf(node, key);
  const there = cluster.nodes.find((n) => nameOf(n) === other);
  return value !== undefined && there !== undefined && labelOf(there, key) === value;
}

function isAffine(cluster: NaiveCluster, pod: Pod, node: Node): boolean {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  const near = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const far = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  if (near.some((t) => labelOf(node, t.topologyKey) === undefined)) return false;
  const friends = cluster.placed.filter((p) => near.every((term) => speaksOf(cluster, { owner: pod, term }, p.pod)));
  const isNear = near.every((t) => friends.some((f) => sharesDomain(cluster, t.topologyKey, [node, f.node])));
  const hasPlacedFriend = near.some((t) =>
    friends.some((f) => {
      const there = cluster.nodes.find((n) => nameOf(n) === f.node);
      return there !== undefined && labelOf(there, t.topologyKey) !== undefined;
    }),
  );
  if (!isNear && (hasPlacedFriend || !near.every((term) => speaksOf(cluster, { owner: pod, term }, pod)))) return false;
  const isApart = (spoken: Spoken, about: Pod, other: string): boolean =>
    !(speaksOf(cluster, spoken, about) && sharesDomain(cluster, spoken.term.topologyKey, [node, other]));
  if (!far.every((term) => cluster.placed.every((p) => isApart({ owner: pod, term }, p.pod, p.node)))) return false;
  return cluster.placed.every((p) =>
    (p.pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).every((term) =>
      isApart({ owner: p.pod, term }, pod, p.node),
    ),
  );
}

// Scores.

type Scores = Map<string, number>;

function scoreAll(nodes: readonly Node[], score: (node: Node) => number): Scores {
  return new Map(nodes.map((n) => [nameOf(n), score(n)]));
}

function scale(scores: Scores, reverse: boolean): Scores {
  const highest = Math.max(0, ...scores.values());
  return new Map(
    [...scores].map(([n, s]) => {
      const scaled = highest === 0 ? 0 : Math.floor((s * 100) / highest);
      return [n, reverse ? 100 - scaled : scaled];
    }),
  );
}

const MEBIBYTE = 2 ** 20;

/** Images that are there, each worth its size and the more the more nodes have it; from 23 MiB on, up to 1,000 a container. */
function imagesThere({ nodes }: NaiveCluster, pod: Pod, node: Node): number {
  const sizeOn = (n: Node, image: string): number | undefined =>
    n.status?.images?.find(({ names }) => names?.includes(image) === true)?.sizeBytes;
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  const named = [
    ...containers.map((c) => c.image ?? ''),
    ...(pod.spec.volumes ?? []).flatMap((v) => v.image?.reference ?? []),
  ].map((image) => (/:[^/]*$/.test(image) ? image : `${image}:latest`));
  const sum = named.reduce((total, image) => {
    const share = nodes.filter((n) => sizeOn(n, image) !== undefined).length / nodes.length;
    return total + Math.floor((sizeOn(node, image) ?? 0) * share);
  }, 0);
  const [least, most] = [23 * MEBIBYTE, 1000 * MEBIBYTE * containers.length];
  return Math.floor((100 * (Math.min(Math.max(sum, least), most) - least)) / (most - least));
}

function preferredNodes(pod: Pod, node: Node): number {
  const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return preferred
    .filter((p) => matchesNodeSelectorTerm(p.preference, seen(node)))
    .reduce((sum, p) => sum + p.weight, 0);
}

function preferredPods(cluster: NaiveCluster, pod: Pod, node: Node): number {
  let sum = 0;
  const add = (owner: Pod, t: { term: PodAffinityTerm; weight: number }, about: { pod: Pod; at: string }): void => {
    const { term, weight } = t;
    if (speaksOf(cluster, { owner, term }, about.pod) && sharesDomain(cluster, term.topologyKey, [node, about.at])) {
      sum += weight;
    }
  };
  const wishes = (p: Pod, hard: boolean): { term: PodAffinityTerm; weight: number }[] => {
    const { podAffinity, podAntiAffinity } = p.spec.affinity ?? {};
    return [
      ...(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((t) => ({
        term: t.podAffinityTerm,
        weight: t.weight,
      })),
      ...(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((t) => ({
        term: t.podAffinityTerm,
        weight: -t.weight,
      })),
      ...(hard ? (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) : []).map((term) => ({
        term,
        weight: 1,
      })),
    ];
  };
  for (const other of cluster.placed) {
    for (const t of wishes(pod, false)) add(pod, t, { pod: other.pod, at: other.node });
    for (const t of wishes(other.pod, true)) add(other.pod, t, { pod, at: other.node });
  }
  return sum;
}

/** Over hosts and zones, with those that the same Services choose. */
function spreadByServices({ services = [] }: NaiveCluster, pod: Pod): TopologySpreadConstraint[] {
  const { namespace, labels = {} } = pod.metadata;
  const chosen = services.filter(
    (one) => one.namespace === namespace && Object.entries(one.selector).every(([key, value]) => labels[key] === value),
  );
  if (chosen.length === 0) return [];
  const labelSelector = { matchLabels: Object.assign({}, ...chosen.map(({ selector }) => selector)) as Labels & {} };
  const whenUnsatisfiable = 'ScheduleAnyway' as const;
  return [
    { topologyKey: 'kubernetes.io/hostname', maxSkew: 3, whenUnsatisfiable, labelSelector },
    { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 5, whenUnsatisfiable, labelSelector },
  ];
}

function softSpread(cluster: NaiveCluster, pod: Pod, feasible: readonly Node[]): Scores | undefined {
  const own = pod.spec.topologySpreadConstraints ?? [];
  const given = own.filter((c) => c.whenUnsatisfiable === 'ScheduleAnyway');
  const soft = own.length > 0 ? given : spreadByServices(cluster, pod);
  if (soft.length === 0) return undefined;
  // Who says nothing is spread over nodes that lack a zone too.
  const hasAll = (n: Node): boolean => own.length === 0 || soft.every((c) => labelOf(n, c.topologyKey) !== undefined);
  const scored = feasible.filter(hasAll);
  const raw = scoreAll(scored, (node) => {
    let sum = 0;
    for (const c of soft.filter(({ topologyKey }) => labelOf(node, topologyKey) !== undefined)) {
      const isHost = c.topologyKey === 'kubernetes.io/hostname';
      const inDomain = cluster.nodes.filter((n) =>
        isHost
          ? n === node
          : hasAll(n) && isIncluded(pod, n, c) && labelOf(n, c.topologyKey) === labelOf(node, c.topologyKey),
      );
      const count = inDomain.reduce((s, n) => s + podsOn(cluster, n).filter((p) => spreadMatches(c, pod, p)).length, 0);
      const domains = isHost ? scored.length : new Set(scored.map((n) => labelOf(n, c.topologyKey))).size;
      sum += count * Math.log(domains + 2) + (c.maxSkew - 1);
    }
    return Math.round(sum);
  });
  const highest = Math.max(0, ...raw.values());
  const lowest = Math.min(...raw.values());
  return scoreAll(feasible, (n) => {
    const s = raw.get(nameOf(n));
    if (s === undefined) return 0;
    return highest === 0 ? 100 : Math.floor((100 * (highest + lowest - s)) / highest);
  });
}

/** The total of every node that fits. */
export function naiveTotals(cluster: NaiveCluster, pod: Pod): ReadonlyMap<string, number> {
  const feasible = cluster.nodes.filter((n) => naiveRefusals(cluster, pod, n).length === 0);
  const totals: Scores = scoreAll(feasible, () => 0);
  const add = (scores: Scores | undefined, weight: number): void => {
    for (const [node, score] of scores ?? []) totals.set(node, (totals.get(node) ?? 0) + weight * score);
  };
  const isDisliked = (t: Taint): boolean => t.effect === 'PreferNoSchedule' && !tolerates(pod, t);
  if (cluster.nodes.some((n) => (n.spec.taints ?? []).some(isDisliked))) {
    add(
      scale(
        scoreAll(feasible, (n) => (n.spec.taints ?? []).filter(isDisliked).length),
        true,
      ),
      3,
    );
  }
  add(
    scale(
      scoreAll(feasible, (n) => preferredNodes(pod, n)),
      false,
    ),
    2,
  );
  const { strategy } = cluster;
  add(
    scoreAll(feasible, (n) => naiveAllocation([...podsOn(cluster, n), pod], n, { asking: pod, strategy })),
    1,
  );
  add(
    scoreAll(feasible, (n) => naiveBalance(podsOn(cluster, n), n, pod)),
    1,
  );
  add(
    scoreAll(feasible, (n) => imagesThere(cluster, pod, n)),
    1,
  );
  add(softSpread(cluster, pod, feasible), 2);
  const wanted = scoreAll(feasible, (n) => preferredPods(cluster, pod, n));
  const [low, high] = [Math.min(...wanted.values()), Math.max(...wanted.values())];
  const range = high - low;
  add(new Map([...wanted].map(([n, s]) => [n, range > 0 ? Math.floor(100 * ((s - low) / range)) : 0])), 2);
  return totals;
}
