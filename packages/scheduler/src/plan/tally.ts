import { areLabelled } from './cohort.ts';
import type { Cohort, LabelledPods } from './cohort.ts';
import type { TopologyColumn } from './topology.ts';

/** What is counted. */
export interface TallySpec {
  /** The topology key of each column. */
  readonly keys: readonly string[];
  /** What one pod of the cohort adds to each column; undefined: nothing at all. */
  weigh(cohort: Cohort): readonly number[] | undefined;
  /** Only pods with terms about other pods add anything. */
  readonly onlyWithTerms?: boolean;
  /** Only pods with all of these labels add anything. */
  readonly onlyWithLabels?: LabelledPods;
  /** Whether a node and the pods on it take part in a column. Absent: all do. */
  takesPart?(column: number, slot: number): boolean;
}

/** One column of a tally: sums by domain of its topology key. */
export interface TallyColumn {
  readonly topology: TopologyColumn;
  sums: Float64Array;
  /** How many nodes that take part each domain has. */
  members: Int32Array;
  /** By slot: 1 where the node takes part and has the label. */
  part: Uint8Array;
  /** Of all sums. */
  total: number;
  /** How many domains have a sum that is not 0. */
  counted: number;
  /** How many domains have a node that takes part. */
  present: number;
  /** The smallest sum of those, and how many have it; 0 of them: to be found again. */
  least: number;
  atLeast: number;
}

/** The smallest sum of the domains that have a node which takes part; Infinity where none has. */
export function leastOf(column: TallyColumn): number {
  if (column.atLeast > 0 || column.present === 0) return column.least;
  const { sums, members } = column;
  let least = Infinity;
  let atLeast = 0;
  for (let domain = 0; domain < sums.length; domain++) {
    if (members[domain] === 0) continue;
    const sum = sums[domain]!;
    if (sum < least) {
      least = sum;
      atLeast = 1;
    } else if (sum === least) atLeast++;
  }
  column.least = least;
  column.atLeast = atLeast;
  return least;
}

/** The nodes and pods to count. */
export interface TallyGround {
  readonly end: number;
  readonly version: number;
  /** Asked for only where something is counted anew. */
  cohorts(): Iterable<Cohort>;
  has(slot: number): boolean;
}

/**
 * Counts per topology domain, kept while pods come and go: a pod that is placed changes one sum per column, and
 * nothing is counted again for the next pod of the same kind. When nodes change their labels it is made anew.
 */
export class Tally {
  readonly spec: TallySpec;
  readonly columns: readonly TallyColumn[];
  readonly epoch: number;
  #version = -1;
  #weights = new WeakMap<Cohort, readonly number[] | null>();

  constructor(spec: TallySpec, topologies: readonly TopologyColumn[], epoch: number) {
    this.spec = spec;
    this.epoch = epoch;
    this.columns = topologies.map((topology) => ({
      topology,
      sums: new Float64Array(0),
      members: new Int32Array(0),
      part: new Uint8Array(0),
      total: 0,
      counted: 0,
      present: 0,
      least: Infinity,
      atLeast: 0,
    }));
  }

  /** Brings it up to the nodes as they are. */
  refresh(ground: TallyGround): void {
    if (this.#version === ground.version) return;
    this.#version = ground.version;
    this.columns.forEach((column, index) => this.#clear(column, index, ground));
    for (const cohort of ground.cohorts()) {
      if (this.#weightsOf(cohort) === undefined) continue;
      for (const [slot, count] of cohort.bySlot) this.#add(cohort, slot, count);
    }
  }

  /** Whether it counts pods of the cohort; the same for as long as both are there. */
  counts(cohort: Cohort): boolean {
    return this.#weightsOf(cohort) !== undefined;
  }

  /** A pod of the cohort came to a node or left it. `version` as in the ground: a stale tally waits for its refresh. */
  book(cohort: Cohort, slot: number, { sign, version }: { sign: 1 | -1; version: number }): void {
    if (this.#version === version) this.#add(cohort, slot, sign);
  }

  #clear(column: TallyColumn, index: number, ground: TallyGround): void {
    const { topology } = column;
    column.sums = new Float64Array(topology.domains);
    column.members = new Int32Array(topology.domains);
    column.part = new Uint8Array(ground.end);
    column.total = 0;
    column.counted = 0;
    column.present = 0;
    column.least = Infinity;
    column.atLeast = 0;
    for (let slot = 0; slot < ground.end; slot++) {
      const domain = topology.domainOf[slot]!;
      if (domain === -1 || !ground.has(slot)) continue;
      if (this.spec.takesPart?.(index, slot) === false) continue;
      column.part[slot] = 1;
      if (column.members[domain]!++ === 0) column.present++;
    }
  }

  #add(cohort: Cohort, slot: number, times: number): void {
    const weights = this.#weightsOf(cohort);
    if (weights === undefined) return;
    for (let i = 0; i < this.columns.length; i++) {
      const column = this.columns[i]!;
      const weight = weights[i]!;
      if (weight === 0 || column.part[slot] !== 1) continue;
      const domain = column.topology.domainOf[slot]!;
      const before = column.sums[domain]!;
      const after = before + weight * times;
      column.sums[domain] = after;
      column.total += weight * times;
      if ((before === 0) !== (after === 0)) column.counted += before === 0 ? 1 : -1;
      // All that takes part is a member. Where the smallest is not known, it is found when it is asked for.
      if (column.atLeast === 0) continue;
      if (after < column.least) {
        column.least = after;
        column.atLeast = 1;
      } else if (before === column.least) column.atLeast--;
      else if (after === column.least) column.atLeast++;
    }
  }

  #weightsOf(cohort: Cohort): readonly number[] | undefined {
    const { onlyWithLabels } = this.spec;
    if (onlyWithLabels !== undefined && !areLabelled(cohort, onlyWithLabels)) return undefined;
    let weights = this.#weights.get(cohort);
    if (weights === undefined) {
      weights = this.spec.weigh(cohort) ?? null;
      this.#weights.set(cohort, weights);
    }
    return weights ?? undefined;
  }
}
