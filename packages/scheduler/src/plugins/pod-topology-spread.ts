import { wellknown } from '@binnacle/api';
import type { Pod, TopologySpreadConstraint } from '@binnacle/api/core/v1';
import { matchesLabels } from '@binnacle/machinery';
import { MAX_NODE_SCORE } from '../plan/framework.ts';
import type { Handle, PluginFactory } from '../handle.ts';
import type { Candidates, DomainView, NodeScore, NodeTest, Plugin, QueueingHint, Refusal } from '../plan/framework.ts';
import type { PodDemand } from '../plan/demand.ts';
import type { Snapshot } from '../plan/snapshot.ts';
import { leastOf } from '../plan/tally.ts';
import type { Tally, TallyColumn } from '../plan/tally.ts';
import type { TopologyColumn } from '../plan/topology.ts';
import { argumentsOf } from './arguments.ts';
import { OwnerSelectors } from './owner-selectors.ts';
import { NODE_GONE, NODE_LABELS, NODE_TAINTS, OWN_UPDATE, podsOf } from './queueing-hints.ts';
import { readConstraint, spreadTally } from './spread-constraints.ts';
import type { SpreadConstraint } from './spread-constraints.ts';

/** Arguments of PodTopologySpread (kubescheduler.config.k8s.io/v1 PodTopologySpreadArgs). */
export interface PodTopologySpreadArgs {
  /** For pods that have none of their own; without label selectors: those are found by Services and controllers. */
  readonly defaultConstraints?: readonly TopologySpreadConstraint[];
  readonly defaultingType?: 'System' | 'List';
}

const BY_NODE = wellknown.LABEL_HOSTNAME;

const SYSTEM_CONSTRAINTS: readonly TopologySpreadConstraint[] = [
  { topologyKey: wellknown.LABEL_HOSTNAME, whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 3 },
  { topologyKey: wellknown.LABEL_ZONE, whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 5 },
];

function refusal(reason: string, unresolvable: boolean): Refusal {
  return { plugin: 'PodTopologySpread', reasons: [reason], unresolvable };
}

const SKEWED = refusal("node(s) didn't match pod topology spread constraints", false);
const NO_LABEL = refusal("node(s) didn't match pod topology spread constraints (missing required label)", true);

/** Spreads pods of a kind evenly over topology domains. Counts are kept per domain from one pod to the next. */
class PodTopologySpread implements Plugin {
  readonly name = 'PodTopologySpread';
  readonly wakesOn: readonly QueueingHint[] = [
    OWN_UPDATE,
    NODE_LABELS,
    NODE_TAINTS,
    NODE_GONE,
    {
      resource: 'pods',
      actions: ['add', 'update', 'delete'],
      mayHelp: (demand, event) => {
        const { before, after } = podsOf(event);
        return this.#constraintsOf(demand, 'DoNotSchedule').some((c) =>
          [before, after].some((p) => isCounted(c, demand.pod, p)),
        );
      },
    },
  ];
  readonly #defaults: readonly TopologySpreadConstraint[];
  readonly #isSystemDefaulted: boolean;
  readonly #owners: OwnerSelectors | undefined;

  constructor(handle: Handle, { defaultConstraints = [], defaultingType = 'System' }: PodTopologySpreadArgs) {
    this.#isSystemDefaulted = defaultingType === 'System';
    this.#defaults = this.#isSystemDefaulted ? SYSTEM_CONSTRAINTS : defaultConstraints;
    this.#owners = this.#defaults.length === 0 ? undefined : new OwnerSelectors(handle);
  }

  looksAt(demand: PodDemand, snapshot: Snapshot): readonly DomainView[] {
    const views: DomainView[] = [];
    const hard = this.#constraintsOf(demand, 'DoNotSchedule');
    if (hard.length > 0) views.push(...this.#hardTally(demand, snapshot, hard).columns);
    const soft = this.#constraintsOf(demand, 'ScheduleAnyway');
    if (soft.length === 0) return views;
    views.push(...this.#softTally(demand, snapshot, soft).columns);
    for (const { topologyKey } of soft) {
      // The domains of candidates are told apart but for the host's, where each node is one.
      const topology = snapshot.nodes.topology(topologyKey);
      views.push(topologyKey === BY_NODE ? { topology, presenceOnly: true } : { topology });
    }
    return views;
  }

  #hardTally(demand: PodDemand, snapshot: Snapshot, constraints: readonly SpreadConstraint[]): Tally {
    return spreadTally(snapshot, { demand, constraints, needsAllKeys: true });
  }

  #softTally(demand: PodDemand, snapshot: Snapshot, constraints: readonly SpreadConstraint[]): Tally {
    return spreadTally(snapshot, { demand, constraints, needsAllKeys: this.#needsAllKeys(demand), byNode: BY_NODE });
  }

  /** Nodes without the key of one of the soft constraints are left out, unless it is upstream's own. */
  #needsAllKeys({ pod }: PodDemand): boolean {
    return (pod.spec.topologySpreadConstraints ?? []).length > 0 || !this.#isSystemDefaulted;
  }

  filter(demand: PodDemand, snapshot: Snapshot): NodeTest | undefined {
    const constraints = this.#constraintsOf(demand, 'DoNotSchedule');
    if (constraints.length === 0) return undefined;
    const { columns } = this.#hardTally(demand, snapshot, constraints);
    const limits = constraints.map((constraint, i) => {
      const self = matchesLabels(constraint.selector, demand.pod.metadata.labels) ? 1 : 0;
      // The most pods that a domain may have already: of the one that has the fewest, none while there are too few.
      const { minDomains } = constraint;
      const fewest = columns[i]!.present < minDomains ? 0 : leastOf(columns[i]!);
      return constraint.maxSkew + fewest - self;
    });
    if (columns.length === 1) return testOf(columns[0]!, limits[0]!);
    return (slot) => {
      for (let i = 0; i < columns.length; i++) {
        const { topology, sums } = columns[i]!;
        const domain = topology.domainOf[slot]!;
        if (domain === -1) return NO_LABEL;
        if (sums[domain]! > limits[i]!) return SKEWED;
      }
      return undefined;
    };
  }

  score(demand: PodDemand, snapshot: Snapshot, candidates: Candidates): NodeScore | undefined {
    const constraints = this.#constraintsOf(demand, 'ScheduleAnyway');
    if (constraints.length === 0) return undefined;
    const needsAllKeys = this.#needsAllKeys(demand);
    const { columns } = this.#softTally(demand, snapshot, constraints);
    const keys = constraints.map((c) => snapshot.nodes.topology(c.topologyKey));
    const nodeCount = snapshot.nodes.size;
    const weights = weighDomains({ keys, constraints, candidates, needsAllKeys, nodeCount });
    const parts = columns.map(({ topology, sums }, i): ScorePart => {
      const [keyOf, weight, offset] = [keys[i]!.domainOf, weights[i]!, constraints[i]!.maxSkew - 1];
      return { keyOf, domainOf: topology.domainOf, sums, weight, offset };
    });
    if (needsAllKeys && parts.length === 1) return scoreOf(parts[0]!);
    return (slot) => {
      let score = 0;
      for (let i = 0; i < parts.length; i++) {
        const { keyOf, domainOf, sums, weight, offset } = parts[i]!;
        if (keyOf[slot]! !== -1) score += sums[domainOf[slot]!]! * weight + offset;
        else if (needsAllKeys) return Number.NaN;
      }
      return Math.round(score);
    };
  }

  /** Fewer pods around are better; nodes that were left out get nothing. */
  normalizeScore(scores: Float64Array, length: number): void {
    let lowest = Infinity;
    let highest = 0;
    for (let i = 0; i < length; i++) {
      const score = scores[i]!;
      if (Number.isNaN(score)) continue;
      if (score < lowest) lowest = score;
      if (score > highest) highest = score;
    }
    for (let i = 0; i < length; i++) {
      const score = scores[i]!;
      if (Number.isNaN(score)) scores[i] = 0;
      else if (highest === 0) scores[i] = MAX_NODE_SCORE;
      else scores[i] = Math.floor((MAX_NODE_SCORE * (highest + lowest - score)) / highest);
    }
  }

  #constraintsOf({ pod }: PodDemand, action: 'DoNotSchedule' | 'ScheduleAnyway'): SpreadConstraint[] {
    const own = pod.spec.topologySpreadConstraints ?? [];
    if (own.length > 0) {
      return own.filter((c) => c.whenUnsatisfiable === action).map((c) => readConstraint(pod, c));
    }
    const defaults = this.#defaults.filter((c) => c.whenUnsatisfiable === action);
    if (defaults.length === 0) return [];
    const selector = this.#owners?.selectorFor(pod);
    return selector === undefined ? [] : defaults.map((c) => readConstraint(pod, c, selector));
  }
}

/** What one constraint adds to the score of a node. */
interface ScorePart {
  /** By slot: -1 where the node lacks the key of the constraint. */
  readonly keyOf: Int32Array;
  readonly domainOf: Int32Array;
  /** By domain. */
  readonly sums: Float64Array;
  readonly weight: number;
  readonly offset: number;
}

/** The score by one constraint alone; nodes without its key are left out. */
function scoreOf({ keyOf, domainOf, sums, weight, offset }: ScorePart): NodeScore {
  return (slot) => (keyOf[slot] === -1 ? Number.NaN : Math.round(sums[domainOf[slot]!]! * weight + offset));
}

/** The test by one constraint alone: without a loop. */
function testOf({ topology: { domainOf }, sums }: TallyColumn, limit: number): NodeTest {
  return (slot) => {
    const domain = domainOf[slot]!;
    if (domain === -1) return NO_LABEL;
    return sums[domain]! > limit ? SKEWED : undefined;
  };
}

/** The more domains a key has among the candidates, the more a pod in one of them weighs. */
function weighDomains(input: {
  readonly keys: readonly TopologyColumn[];
  readonly constraints: readonly SpreadConstraint[];
  readonly candidates: Candidates;
  readonly needsAllKeys: boolean;
  readonly nodeCount: number;
}): number[] {
  const { keys, constraints, candidates, needsAllKeys, nodeCount } = input;
  const { slots, count } = candidates.kinds ?? candidates;
  const counts = candidates.kinds?.counts;
  // Nodes without the label are one more domain, that of the empty value; where all keys are needed there are none such.
  const lacking = keys.map((key) =>
    needsAllKeys || key.size === nodeCount ? -1 : (key.domainWith('') ?? key.domains),
  );
  const marks = keys.map((key, i) =>
    constraints[i]!.topologyKey === wellknown.LABEL_HOSTNAME
      ? undefined
      : new Uint8Array(key.domains + (lacking[i] === key.domains ? 1 : 0)),
  );
  // Every node is a domain of the host's key: all candidates have to be counted for it.
  const countsNodes = marks.includes(undefined);
  let unseen = marks.reduce((sum, mark) => sum + (mark?.length ?? 0), 0);
  const sizes = constraints.map(() => 0);
  let kept = 0;
  for (let place = 0; place < count && (countsNodes || unseen > 0); place++) {
    const slot = slots[place]!;
    if (needsAllKeys && lacksAny(keys, slot)) continue;
    kept += counts === undefined ? 1 : counts[place]!;
    for (let i = 0; unseen > 0 && i < marks.length; i++) {
      const mark = marks[i];
      const own = keys[i]!.domainOf[slot]!;
      const domain = own === -1 ? lacking[i]! : own;
      if (mark === undefined || domain === -1 || mark[domain] === 1) continue;
      mark[domain] = 1;
      sizes[i]!++;
      unseen--;
    }
  }
  return marks.map((mark, i) => Math.log((mark === undefined ? kept : sizes[i]!) + 2));
}

function lacksAny(keys: readonly TopologyColumn[], slot: number): boolean {
  for (let i = 0; i < keys.length; i++) if (keys[i]!.domainOf[slot] === -1) return true;
  return false;
}

function isCounted({ selector }: SpreadConstraint, incoming: Pod, pod: Pod | undefined): boolean {
  return (
    pod !== undefined &&
    pod.metadata.namespace === incoming.metadata.namespace &&
    matchesLabels(selector, pod.metadata.labels)
  );
}

/** See PodTopologySpread. */
export const podTopologySpread: PluginFactory = {
  name: 'PodTopologySpread',
  create: (handle, args) => new PodTopologySpread(handle, argumentsOf<PodTopologySpreadArgs>(args, {})),
};
