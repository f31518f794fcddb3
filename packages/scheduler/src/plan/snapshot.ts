import type { Cohort, TermKeys } from './cohort.ts';
import type { PodDemand } from './demand.ts';
import type { NodeColumns } from './node-columns.ts';
import type { Tally, TallySpec } from './tally.ts';

/** What may be changed on trial; all of it is taken back at the end. */
export interface Simulation {
  add(demand: PodDemand, slot: number): void;
  /** False: no such pod is placed. */
  remove(uid: string): boolean;
  /** A pod that was removed comes back; false: it was not removed. */
  putBack(uid: string): boolean;
}

/** Hears of a simulated pod, so that state kept beside the snapshot follows. */
export interface SimulationObserver {
  added(demand: PodDemand, slot: number): void;
  removed(demand: PodDemand, slot: number): void;
}

/** Nodes and pods as seen and as just decided. Plugins read it; it always says what is true now. */
export interface Snapshot {
  readonly nodes: NodeColumns;
  /** The pods placed on a node. */
  podsOn(slot: number): readonly PodDemand[];
  /** All placed pods by cohort. */
  cohorts(): Iterable<Cohort>;
  /** The cohorts whose pods have terms about other pods. */
  readonly cohortsWithTerms: ReadonlySet<Cohort>;
  readonly termKeys: TermKeys;
  /**
   * Counts per topology domain under a key, kept from one pod to the next; the 64 used last are. A new `epoch` makes it
   * anew: for what `make` looks at besides nodes and pods.
   */
  tally(key: string, epoch: number, make: () => TallySpec): Tally;
  /** Lets `trial` change what is placed where, and takes all changes back. Filters read the changed state meanwhile. */
  simulate<T>(trial: (simulation: Simulation) => T, observer?: SimulationObserver): T;
  /** How many placed pods name a claim (`namespace/name`). */
  claimUsers(claim: string): number;
  /** Of all placed pods; Infinity where there are none. */
  readonly lowestPriority: number;
  /** Pods that wait for room that is being made on a node. */
  nominatedOn(slot: number): readonly PodDemand[];
  /** Whether any pod is nominated at all. */
  readonly hasNominated: boolean;
}
