import { NAMESPACES } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { MAX_NODE_SCORE } from '../plan/framework.ts';
import type { Handle, PluginFactory } from '../handle.ts';
import type { DomainView, NodeScore, NodeTest, Plugin, QueueingHint, Refusal } from '../plan/framework.ts';
import type { Cohort } from '../plan/cohort.ts';
import type { PodDemand } from '../plan/demand.ts';
import type { Snapshot } from '../plan/snapshot.ts';
import type { Tally, TallyColumn, TallySpec } from '../plan/tally.ts';
import { argumentsOf } from './arguments.ts';
import { affinityTermsOf, termMatches } from './pod-affinity-terms.ts';
import type { AffinityTerm, AffinityTerms, NamespaceLabels } from './pod-affinity-terms.ts';
import { NODE_GONE, NODE_LABELS, OWN_UPDATE, podsOf } from './queueing-hints.ts';

/** Arguments of InterPodAffinity (kubescheduler.config.k8s.io/v1 InterPodAffinityArgs). */
export interface InterPodAffinityArgs {
  /** What a required affinity of a placed pod counts for in the score of a pod that it speaks of; 0–100. */
  readonly hardPodAffinityWeight?: number;
  /** Placed pods' preferences do not count for pods that have no affinity to other pods. */
  readonly ignorePreferredTermsOfExistingPods?: boolean;
}

function refusal(reason: string, unresolvable: boolean): Refusal {
  return { plugin: 'InterPodAffinity', reasons: [reason], unresolvable };
}

const NOT_NEAR = refusal("node(s) didn't match pod affinity rules", true);
const TOO_NEAR = refusal("node(s) didn't match pod anti-affinity rules", false);
const UNWELCOME = refusal("node(s) didn't satisfy existing pods anti-affinity rules", false);

/**
 * Near some pods and far from others, by topology domain; and what placed pods ask of newcomers. Counts are kept per
 * cohort of pods and per domain, so that the next pod of the same kind finds them as they are.
 */
class InterPodAffinity implements Plugin {
  readonly name = 'InterPodAffinity';
  readonly wakesOn: readonly QueueingHint[];
  readonly #hardWeight: number;
  readonly #ignoresPreferences: boolean;
  readonly #namespaceLabels: NamespaceLabels;
  readonly #terms = new WeakMap<Pod, AffinityTerms>();
  /** Changes when a namespace comes, goes or changes its labels. */
  #epoch = 0;

  constructor(handle: Handle, args: InterPodAffinityArgs) {
    this.#hardWeight = args.hardPodAffinityWeight ?? 1;
    this.#ignoresPreferences = args.ignorePreferredTermsOfExistingPods ?? false;
    const namespaces = handle.lister(NAMESPACES);
    namespaces.follow((before, after) => {
      if (JSON.stringify(before?.metadata.labels) !== JSON.stringify(after?.metadata.labels)) this.#epoch++;
    });
    this.#namespaceLabels = (name) => namespaces.get(name)?.metadata.labels;
    this.wakesOn = [
      OWN_UPDATE,
      NODE_LABELS,
      NODE_GONE,
      { resource: 'namespaces', actions: ['add', 'update'] },
      {
        resource: 'pods',
        actions: ['add', 'update', 'delete'],
        mayHelp: (demand, event) => {
          const { before, after } = podsOf(event);
          return this.#mayHelp(demand, before, after);
        },
      },
    ];
  }

  looksAt(demand: PodDemand, snapshot: Snapshot): readonly DomainView[] {
    const own = this.#termsOf(demand.pod);
    if (own.unreadable !== undefined) return [];
    return [
      own.affinity.length === 0 || !areThere(snapshot, own.affinity)
        ? undefined
        : this.#nearTally(demand, snapshot, own.affinity),
      own.antiAffinity.length === 0 ? undefined : this.#farTally(demand, snapshot, own.antiAffinity),
      this.#unwelcomeTally(demand, snapshot),
      this.#wishTally(demand, snapshot, [...own.preferred, ...own.disliked]),
    ].flatMap((tally) => tally?.columns ?? []);
  }

  filter(demand: PodDemand, snapshot: Snapshot): NodeTest | undefined {
    const own = this.#termsOf(demand.pod);
    if (own.unreadable !== undefined) {
      const reasons = [`parsing pod: ${own.unreadable}`];
      return () => ({ plugin: 'InterPodAffinity', reasons, unresolvable: true });
    }
    const near = own.affinity.length === 0 ? undefined : this.#nearTest(demand, snapshot, own.affinity);
    const far = own.antiAffinity.length === 0 ? undefined : this.#farTally(demand, snapshot, own.antiAffinity);
    const unwelcome = this.#unwelcomeTally(demand, snapshot);
    if (near === undefined && far === undefined && unwelcome === undefined) return undefined;
    return (slot) => {
      if (near !== undefined && !near(slot)) return NOT_NEAR;
      if (far !== undefined && holdsAny(far.columns, slot)) return TOO_NEAR;
      if (unwelcome !== undefined && holdsAny(unwelcome.columns, slot)) return UNWELCOME;
      return undefined;
    };
  }

  score(demand: PodDemand, snapshot: Snapshot): NodeScore | undefined {
    const own = this.#termsOf(demand.pod);
    const wishes = [...own.preferred, ...own.disliked];
    const tally = this.#wishTally(demand, snapshot, wishes);
    if (tally === undefined) return undefined;
    const columns = tally.columns.filter((c) => c.counted > 0);
    const [only] = columns;
    if (only === undefined) return undefined;
    if (columns.length === 1) return sumsAt(only);
    return (slot) => {
      let sum = 0;
      for (let i = 0; i < columns.length; i++) {
        const { topology, sums } = columns[i]!;
        const domain = topology.domainOf[slot]!;
        if (domain !== -1) sum += sums[domain]!;
      }
      return sum;
    };
  }

  normalizeScore(scores: Float64Array, length: number): void {
    let lowest = Infinity;
    let highest = -Infinity;
    for (let i = 0; i < length; i++) {
      lowest = Math.min(lowest, scores[i]!);
      highest = Math.max(highest, scores[i]!);
    }
    const range = highest - lowest;
    for (let i = 0; i < length; i++) {
      scores[i] = range > 0 ? Math.floor(MAX_NODE_SCORE * ((scores[i]! - lowest) / range)) : 0;
    }
  }

  /** All terms have to hold at once: only pods that match every one of them count. */
  #nearTest(demand: PodDemand, snapshot: Snapshot, terms: readonly AffinityTerm[]): (slot: number) => boolean {
    // Nobody is near to anybody by a label that no node has.
    if (!areThere(snapshot, terms)) return () => false;
    const { columns } = this.#nearTally(demand, snapshot, terms);
    const isFirst = columns.every((c) => c.total === 0) && this.#matchesAll(terms, demand.pod);
    return (slot) => {
      let holds = true;
      for (let i = 0; i < columns.length; i++) {
        const { topology, sums } = columns[i]!;
        const domain = topology.domainOf[slot]!;
        if (domain === -1) return false;
        if (sums[domain]! <= 0) holds = false;
      }
      return holds || isFirst;
    };
  }

  #matchesAll(terms: readonly AffinityTerm[], pod: Pod): boolean {
    return terms.every((t) => termMatches(t, pod, this.#namespaceLabels));
  }

  #nearTally(demand: PodDemand, snapshot: Snapshot, terms: readonly AffinityTerm[]): Tally {
    return snapshot.tally(`near|${termsName(demand.pod, terms)}`, this.#epoch, () => {
      const keys = [...new Set(terms.map((t) => t.topologyKey))];
      const weights = keys.map((key) => terms.filter((t) => t.topologyKey === key).length);
      return { keys, weigh: ({ sample }) => (this.#matchesAll(terms, sample.pod) ? weights : undefined) };
    });
  }

  #farTally(demand: PodDemand, snapshot: Snapshot, terms: readonly AffinityTerm[]): Tally | undefined {
    const keys = keysThere(snapshot, terms);
    if (keys.length === 0) return undefined;
    return snapshot.tally(`far|${keys.join()}|${termsName(demand.pod, terms)}`, this.#epoch, () => ({
      keys,
      weigh: ({ sample }) => {
        const met = new Set(
          terms.filter((t) => termMatches(t, sample.pod, this.#namespaceLabels)).map((t) => t.topologyKey),
        );
        return someWeight(keys.map((key) => (met.has(key) ? 1 : 0)));
      },
    }));
  }

  /** Where placed pods do not want this one. */
  #unwelcomeTally(demand: PodDemand, snapshot: Snapshot): Tally | undefined {
    const keys = snapshot.termKeys.repelling;
    if (keys.length === 0) return undefined;
    return snapshot.tally(`unwelcome|${keys.join()}|${aboutLabels(demand.pod)}`, this.#epoch, () =>
      this.#spokenOf(demand, keys, (terms) => terms.antiAffinity),
    );
  }

  /** Undefined: nobody has a wish. */
  #wishTally(demand: PodDemand, snapshot: Snapshot, wishes: readonly AffinityTerm[]): Tally | undefined {
    if (wishes.length === 0 && (this.#ignoresPreferences || snapshot.termKeys.scoring.length === 0)) return undefined;
    return this.#preferenceTally(demand, snapshot, wishes);
  }

  #preferenceTally(demand: PodDemand, snapshot: Snapshot, wishes: readonly AffinityTerm[]): Tally {
    const about = (terms: AffinityTerms): readonly AffinityTerm[] => {
      const required = terms.affinity.map((t) => ({ ...t, weight: this.#hardWeight }));
      return [...(this.#hardWeight > 0 ? required : []), ...terms.preferred, ...terms.disliked];
    };
    const keys = [...new Set([...keysThere(snapshot, wishes), ...snapshot.termKeys.scoring])];
    const name = `prefer|${keys.join()}|${wishes.length === 0 ? aboutLabels(demand.pod) : demand.cohort}`;
    return snapshot.tally(name, this.#epoch, () => {
      const spoken = this.#spokenOf(demand, keys, about);
      if (wishes.length === 0) return spoken;
      return {
        keys,
        weigh: (cohort) => {
          const weights = [...(spoken.weigh(cohort) ?? keys.map(() => 0))];
          for (const wish of wishes) {
            const column = keys.indexOf(wish.topologyKey);
            if (column === -1 || !termMatches(wish, cohort.sample.pod, this.#namespaceLabels)) continue;
            weights[column] = (weights[column] ?? 0) + wish.weight;
          }
          return someWeight(weights);
        },
      };
    });
  }

  /** Counts placed pods' terms that speak of this pod, by topology key. */
  #spokenOf(
    { pod }: PodDemand,
    keys: readonly string[],
    about: (terms: AffinityTerms) => readonly AffinityTerm[],
  ): TallySpec {
    return {
      keys,
      onlyWithTerms: true,
      weigh: ({ sample }: Cohort) => {
        if (!sample.hasPodAffinity) return undefined;
        const weights = keys.map(() => 0);
        for (const term of about(this.#termsOf(sample.pod))) {
          const column = keys.indexOf(term.topologyKey);
          if (column === -1 || !termMatches(term, pod, this.#namespaceLabels)) continue;
          weights[column] = (weights[column] ?? 0) + term.weight;
        }
        return someWeight(weights);
      },
    };
  }

  #termsOf(pod: Pod): AffinityTerms {
    let terms = this.#terms.get(pod);
    if (terms === undefined) this.#terms.set(pod, (terms = affinityTermsOf(pod)));
    return terms;
  }

  /** A pod that came may be one to be near to; one that went may be one that was too near, or did not want it. */
  #mayHelp(demand: PodDemand, before: Pod | undefined, after: Pod | undefined): boolean {
    const own = this.#termsOf(demand.pod);
    const speaks = (terms: readonly AffinityTerm[], pod: Pod): boolean =>
      terms.some((t) => termMatches(t, pod, this.#namespaceLabels));
    if (after !== undefined && speaks(own.affinity, after) && !(before !== undefined && speaks(own.affinity, before))) {
      return true;
    }
    if (before === undefined) return false;
    // The last one to be near to is gone: a pod that is one of the kind may be the first again.
    if (speaks(own.affinity, before) && !(after !== undefined && speaks(own.affinity, after))) {
      if (own.affinity.every((t) => termMatches(t, demand.pod, this.#namespaceLabels))) return true;
    }
    if (after !== undefined) return speaks(own.antiAffinity, before) && !speaks(own.antiAffinity, after);
    return speaks(own.antiAffinity, before) || speaks(this.#termsOf(before).antiAffinity, demand.pod);
  }
}

/** The sums of one column, by slot: the usual case, without a loop. */
function sumsAt({ topology: { domainOf }, sums }: TallyColumn): NodeScore {
  return (slot) => {
    const domain = domainOf[slot]!;
    return domain === -1 ? 0 : sums[domain]!;
  };
}

/** Topology keys of terms that some node has, each once: a pod may name thousands, and each is a column. */
function keysThere({ nodes }: Snapshot, terms: readonly AffinityTerm[]): readonly string[] {
  return [...new Set(terms.map((t) => t.topologyKey))].filter((key) => nodes.hasLabel(key));
}

/** Whether nodes have the topology keys of all terms. */
function areThere({ nodes }: Snapshot, terms: readonly AffinityTerm[]): boolean {
  return terms.every((t) => nodes.hasLabel(t.topologyKey));
}

/** Equal for pods of which any term of another pod says the same. */
function aboutLabels({ metadata }: Pod): string {
  return JSON.stringify([metadata.namespace, metadata.labels]);
}

/** Equal for terms that say the same of any other pod. */
function termsName({ metadata }: Pod, terms: readonly AffinityTerm[]): string {
  return JSON.stringify([metadata.namespace, terms.map((t) => ({ ...t, namespaces: [...t.namespaces] }))]);
}

/** Undefined where a cohort adds nothing at all. */
function someWeight(weights: readonly number[]): readonly number[] | undefined {
  return weights.some((w) => w !== 0) ? weights : undefined;
}

/** Whether any count is there in the node's domain. */
function holdsAny(columns: readonly TallyColumn[], slot: number): boolean {
  for (let i = 0; i < columns.length; i++) {
    const { topology, sums } = columns[i]!;
    const domain = topology.domainOf[slot]!;
    if (domain !== -1 && sums[domain]! > 0) return true;
  }
  return false;
}

/** See InterPodAffinity. */
export const interPodAffinity: PluginFactory = {
  name: 'InterPodAffinity',
  create: (handle, args) => new InterPodAffinity(handle, argumentsOf<InterPodAffinityArgs>(args, {})),
};
