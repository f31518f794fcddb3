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
  /** Those whose pods have affinity or anti-affinity: they speak about newcomers. */
  readonly withTerms = new Set<Cohort>();
  /** How many cohorts use a topology key in required anti-affinity, and in the terms that make scores. */
  readonly #repellingKeys = new Map<string, number>();
  readonly #scoringKeys = new Map<string, number>();

  values(): IterableIterator<Cohort> {
    return this.#byKey.values();
  }

  /** Notes that a pod is on a node now (`sign` 1) or no longer (`sign` -1). */
  book(demand: PodDemand, slot: number, sign: 1 | -1): Cohort {
    let cohort = this.#byKey.get(demand.cohort);
    if (cohort === undefined) {
      cohort = { sample: demand, bySlot: new Map() };
      this.#byKey.set(demand.cohort, cohort);
      if (demand.hasPodAffinity) this.#speaks(cohort, 1);
    }
    const there = (cohort.bySlot.get(slot) ?? 0) + sign;
    if (there === 0) cohort.bySlot.delete(slot);
    else cohort.bySlot.set(slot, there);
    if (cohort.bySlot.size === 0) {
      this.#byKey.delete(demand.cohort);
      if (demand.hasPodAffinity) this.#speaks(cohort, -1);
    }
    return cohort;
  }

  /** The topology keys of the terms of placed pods, sorted: of those that refuse, and of those that score. */
  get keys(): TermKeys {
    return { repelling: [...this.#repellingKeys.keys()].sort(), scoring: [...this.#scoringKeys.keys()].sort() };
  }

  #speaks(cohort: Cohort, sign: 1 | -1): void {
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
