import type { PodDemand } from './demand.ts';

/**
 * Placed pods that no constraint of another pod can tell apart: same namespace, labels, affinity terms, and whether
 * they are on their way out. Counting goes cohort by cohort instead of pod by pod.
 */
export interface Cohort {
  /** One of them: the others answer the same. */
  readonly sample: PodDemand;
  /** How many are on the node, by slot; no zeros. */
  readonly bySlot: Map<number, number>;
}

/** The pods of a namespace that have certain labels, one at least. */
export interface LabelledPods {
  readonly namespace: string;
  readonly labels: readonly (readonly [key: string, value: string])[];
}

/** Whether the pods of a cohort are among those. */
export function areLabelled({ sample: { pod } }: Cohort, { namespace, labels: wanted }: LabelledPods): boolean {
  const { labels } = pod.metadata;
  if (labels === undefined || pod.metadata.namespace !== namespace) return false;
  for (const [key, value] of wanted) if (labels[key] !== value) return false;
  return true;
}

/** Topology keys of the terms of placed pods. */
export interface TermKeys {
  /** Of required anti-affinity. */
  readonly repelling: readonly string[];
  /** Of required affinity and of preferred terms. */
  readonly scoring: readonly string[];
}

/** Adds to a count; none is left where it comes to nothing. */
export function count<K>(counts: Map<K, number>, key: K, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
}

/** All placed pods by cohort. */
export class Cohorts {
  readonly #byKey = new Map<string, Cohort>();
  /** Under each label of their pods: a kind of pod that is new is counted among its like, not among thousands of others. */
  readonly #byLabel = new Map<string, Set<Cohort>>();
  /** Those whose pods have affinity or anti-affinity: they speak about newcomers. */
  readonly withTerms = new Set<Cohort>();
  /** How many cohorts use a topology key in required anti-affinity, and in the terms that make scores. */
  readonly #repellingKeys = new Map<string, number>();
  readonly #scoringKeys = new Map<string, number>();
  #termKeys: TermKeys | undefined;

  values(): IterableIterator<Cohort> {
    return this.#byKey.values();
  }

  /** Those of `values` whose pods may be among these: all that have the rarest of the labels. */
  labelled({ namespace, labels }: LabelledPods): Iterable<Cohort> {
    let fewest: ReadonlySet<Cohort> | undefined;
    for (const [key, value] of labels) {
      const under = this.#byLabel.get(labelKey(namespace, key, value));
      if (under === undefined) return [];
      if (fewest === undefined || under.size < fewest.size) fewest = under;
    }
    return fewest ?? [];
  }

  /** Notes that a pod is on a node now (`sign` 1) or no longer (`sign` -1). */
  book(demand: PodDemand, slot: number, sign: 1 | -1): Cohort {
    let cohort = this.#byKey.get(demand.cohort);
    if (cohort === undefined) {
      cohort = { sample: demand, bySlot: new Map() };
      this.#byKey.set(demand.cohort, cohort);
      for (const key of labelKeysOf(cohort)) {
        let under = this.#byLabel.get(key);
        if (under === undefined) this.#byLabel.set(key, (under = new Set()));
        under.add(cohort);
      }
      if (demand.hasPodAffinity) this.#speaks(cohort, 1);
    }
    const there = (cohort.bySlot.get(slot) ?? 0) + sign;
    if (there === 0) cohort.bySlot.delete(slot);
    else cohort.bySlot.set(slot, there);
    if (cohort.bySlot.size === 0) {
      this.#byKey.delete(demand.cohort);
      for (const key of labelKeysOf(cohort)) {
        const under = this.#byLabel.get(key);
        under?.delete(cohort);
        if (under?.size === 0) this.#byLabel.delete(key);
      }
      if (demand.hasPodAffinity) this.#speaks(cohort, -1);
    }
    return cohort;
  }

  /** The topology keys of the terms of placed pods, sorted: of those that refuse, and of those that score. */
  get keys(): TermKeys {
    // Asked for several times with each decision.
    return (this.#termKeys ??= {
      repelling: [...this.#repellingKeys.keys()].sort(),
      scoring: [...this.#scoringKeys.keys()].sort(),
    });
  }

  #speaks(cohort: Cohort, sign: 1 | -1): void {
    this.#termKeys = undefined;
    if (sign === 1) this.withTerms.add(cohort);
    else this.withTerms.delete(cohort);
    const { podAffinity, podAntiAffinity } = cohort.sample.pod.spec.affinity ?? {};
    const repelling = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const others = [
      ...(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((t) => t.podAffinityTerm),
      ...(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((t) => t.podAffinityTerm),
    ];
    for (const { topologyKey } of repelling) count(this.#repellingKeys, topologyKey, sign);
    for (const { topologyKey } of others) count(this.#scoringKeys, topologyKey, sign);
  }
}

function labelKeysOf({ sample: { pod } }: Cohort): readonly string[] {
  const { namespace = '', labels = {} } = pod.metadata;
  return Object.entries(labels).map(([key, value]) => labelKey(namespace, key, value));
}

/** None of the three has a comma in it. */
function labelKey(namespace: string, key: string, value: string): string {
  return `${namespace},${key},${value}`;
}
