import { heldRequests } from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import { Cohorts, count } from './cohort.ts';
import type { Cohort, TermKeys } from './cohort.ts';
import { demandOf, relabelled } from './demand.ts';
import type { PodDemand } from './demand.ts';
import { NodeColumns } from './node-columns.ts';
import type { Simulation, SimulationObserver, Snapshot } from './snapshot.ts';
import { Tally } from './tally.ts';
import type { TallySpec } from './tally.ts';

interface Booking {
  readonly node: string;
  readonly demand: PodDemand;
  /** Decided here, not yet seen in the API. */
  assumed: boolean;
}

interface CohortTallies {
  /** Of all tallies there were. */
  readonly version: number;
  readonly tallies: readonly Tally[];
}

/** Tallies that are kept; the one unused for longest goes first. */
const TALLIES_KEPT = 64;
const NO_PODS: readonly PodDemand[] = [];

/** A pod that waits for room on a node: no pod of less priority takes it. */
export interface Nomination {
  readonly demand: PodDemand;
  readonly node: string;
}

/**
 * Which pod is on which node, as the API says and as was just decided. A pod may be seen before its node:
 * its booking waits for the node.
 */
export class ClusterState implements Snapshot {
  readonly nodes = new NodeColumns();
  readonly #cohorts = new Cohorts();
  readonly #bookings = new Map<string, Booking>();
  readonly #byNode = new Map<string, Map<string, PodDemand>>();
  readonly #tallies = new Map<string, Tally>();
  /** Another number whenever a tally came or went. */
  #talliesVersion = 0;
  /** Those that a cohort's pods are counted in: of each kind of pods' own there is one, and most are about others. */
  readonly #talliesOf = new WeakMap<Cohort, CohortTallies>();
  /** As they were when they were asked for last. */
  #termKeys: { readonly at: string; readonly keys: TermKeys } | undefined;
  /** How many placed pods have a priority. */
  readonly #priorities = new Map<number, number>();
  readonly #claimUsers = new Map<string, number>();
  readonly #nominated = new Map<string, Nomination>();
  readonly #nominatedTo = new Map<string, Set<PodDemand>>();
  readonly #nominationEnded: (nomination: Nomination) => void;

  /** `nominationEnded` hears of nominations whose node is kept for the pod no longer, as it goes elsewhere or nowhere. */
  constructor({ nominationEnded = () => undefined }: { nominationEnded?: (nomination: Nomination) => void } = {}) {
    this.#nominationEnded = nominationEnded;
  }

  // What plugins read.

  podsOn(slot: number): readonly PodDemand[] {
    const pods = this.#byNode.get(this.nodes.nameOf(slot));
    return pods === undefined ? NO_PODS : [...pods.values()];
  }

  cohorts(): Iterable<Cohort> {
    return this.#cohorts.values();
  }

  get cohortsWithTerms(): ReadonlySet<Cohort> {
    return this.#cohorts.withTerms;
  }

  /** Pods may name thousands of keys; nodes have a few. */
  get termKeys(): TermKeys {
    const at = `${this.#cohorts.keysVersion} ${this.nodes.topologyVersion}`;
    if (this.#termKeys?.at !== at) this.#termKeys = { at, keys: this.#cohorts.keys((key) => this.nodes.hasLabel(key)) };
    return this.#termKeys.keys;
  }

  tally(key: string, epoch: number, make: () => TallySpec): Tally {
    let tally = this.#tallies.get(key);
    if (tally === undefined || tally.epoch !== epoch || !this.#isKept(tally)) {
      const spec = make();
      tally = new Tally(
        spec,
        spec.keys.map((k) => this.nodes.topology(k)),
        epoch,
      );
      this.#talliesVersion++;
    }
    this.#tallies.delete(key);
    this.#tallies.set(key, tally);
    if (this.#tallies.size > TALLIES_KEPT) {
      this.#talliesVersion++;
      const oldest = this.#tallies.keys().next().value;
      if (oldest !== undefined) this.#tallies.delete(oldest);
    }
    const { spec } = tally;
    tally.refresh({
      end: this.nodes.end,
      version: this.nodes.topologyVersion,
      cohorts: () => this.#cohortsFor(spec),
      has: (slot) => this.nodes.nodes[slot] !== undefined,
    });
    return tally;
  }

  /** Whether its topologies are those that follow the nodes. */
  #isKept({ columns }: Tally): boolean {
    return columns.every(({ topology }) => this.nodes.topology(topology.key) === topology);
  }

  #cohortsFor({ onlyWithTerms, onlyWithLabels }: TallySpec): Iterable<Cohort> {
    if (onlyWithTerms === true) return this.#cohorts.withTerms;
    return onlyWithLabels === undefined ? this.#cohorts.values() : this.#cohorts.labelled(onlyWithLabels);
  }

  simulate<T>(trial: (simulation: Simulation) => T, observer?: SimulationObserver): T {
    const version = this.nodes.version;
    const added: { readonly demand: PodDemand; readonly slot: number }[] = [];
    const removed = new Map<string, { readonly demand: PodDemand; readonly slot: number }>();
    const before = new Map<string, Map<string, PodDemand> | undefined>();
    /** Who is on the node, for the time of the trial. */
    const onTrial = (slot: number): Map<string, PodDemand> => {
      const node = this.nodes.nameOf(slot);
      const known = this.#byNode.get(node);
      if (known !== undefined && before.has(node)) return known;
      const copy = new Map(known);
      before.set(node, known);
      this.#byNode.set(node, copy);
      return copy;
    };
    const put = (demand: PodDemand, slot: number): void => {
      this.#place(demand, slot, 1);
      onTrial(slot).set(demand.uid, demand);
      observer?.added(demand, slot);
    };
    const take = (demand: PodDemand, slot: number): void => {
      this.#place(demand, slot, -1);
      onTrial(slot).delete(demand.uid);
      observer?.removed(demand, slot);
    };
    const putBack = (uid: string): boolean => {
      const gone = removed.get(uid);
      if (gone === undefined) return false;
      removed.delete(uid);
      put(gone.demand, gone.slot);
      return true;
    };
    try {
      return trial({
        add: (demand, slot) => {
          put(demand, slot);
          added.push({ demand, slot });
        },
        remove: (uid) => {
          const booking = this.#bookings.get(uid);
          const slot = booking === undefined ? undefined : this.nodes.slotOf(booking.node);
          if (booking === undefined || slot === undefined || removed.has(uid)) return false;
          take(booking.demand, slot);
          removed.set(uid, { demand: booking.demand, slot });
          return true;
        },
        putBack,
      });
    } finally {
      for (const { demand, slot } of added) take(demand, slot);
      for (const uid of [...removed.keys()]) putBack(uid);
      for (const [node, pods] of before) {
        if (pods === undefined) this.#byNode.delete(node);
        else this.#byNode.set(node, pods);
      }
      // All is as it was: kept results of the time before are right again.
      this.nodes.rewind(version);
    }
  }

  claimUsers(claim: string): number {
    return this.#claimUsers.get(claim) ?? 0;
  }

  get lowestPriority(): number {
    let lowest = Infinity;
    for (const priority of this.#priorities.keys()) lowest = Math.min(lowest, priority);
    return lowest;
  }

  nominatedOn(slot: number): readonly PodDemand[] {
    const waiting = this.#nominated.size === 0 ? undefined : this.#nominatedTo.get(this.nodes.nameOf(slot));
    return waiting === undefined ? NO_PODS : [...waiting];
  }

  get hasNominated(): boolean {
    return this.#nominated.size > 0;
  }

  /** The slots that pods wait for, each once. */
  nominatedSlots(): readonly number[] {
    const slots = new Set<number>();
    for (const node of this.#nominatedTo.keys()) {
      const slot = this.nodes.slotOf(node);
      if (slot !== undefined) slots.add(slot);
    }
    return [...slots];
  }

  // What the scheduler says.

  /** Takes over a node's state. Says whether it changed in anything that a filter or score looks at. */
  setNode(node: Node): boolean {
    const name = node.metadata.name ?? '';
    const before = this.nodes.slotOf(name);
    const old = before === undefined ? undefined : this.nodes.nodes[before];
    if (old !== undefined) return this.#updateNode(old, node);
    const slot = this.nodes.setNode(node);
    for (const demand of this.#byNode.get(name)?.values() ?? []) this.#place(demand, slot, 1);
    return true;
  }

  #updateNode(old: Node, node: Node): boolean {
    const isSamePlace = !placeDiffers(old, node);
    if (isSamePlace && !roomDiffers(old, node)) {
      this.nodes.renew(node);
      return false;
    }
    this.nodes.setNode(node, isSamePlace);
    return true;
  }

  removeNode(name: string): void {
    const slot = this.nodes.slotOf(name);
    if (slot === undefined) return;
    for (const demand of this.#byNode.get(name)?.values() ?? []) this.#place(demand, slot, -1);
    this.nodes.removeNode(name);
  }

  /** Books a pod that was just given to a node, before the API knows. */
  assume(demand: PodDemand, node: string): void {
    this.#book({ node, demand, assumed: true });
    this.#endNomination(demand.uid, node);
  }

  /** Takes an assumption back. */
  forget(uid: string): void {
    if (this.#bookings.get(uid)?.assumed === true) this.#unbook(uid);
  }

  /** The API says that the pod is on its node. Returns whether anything is counted differently now. */
  confirm(pod: Pod): boolean {
    const uid = pod.metadata.uid ?? '';
    const booking = this.#bookings.get(uid);
    const node = pod.spec.nodeName ?? '';
    if (booking !== undefined && booking.node === node && asksTheSame(booking.demand.pod, pod)) {
      booking.assumed = false;
      if (same(booking.demand.pod.metadata.labels, pod.metadata.labels)) return false;
      this.#relabel(booking, pod);
      return true;
    }
    this.#unbook(uid);
    this.#book({ node, demand: demandOf(pod), assumed: false });
    this.#endNomination(uid, node);
    return true;
  }

  /** The pod is gone or over. Returns whether it held anything. */
  release(uid: string): boolean {
    const wasBooked = this.#unbook(uid);
    this.#endNomination(uid, '');
    return wasBooked;
  }

  /** How many pods have their node, and of how many of them the API does not say so yet. */
  get placed(): { readonly pods: number; readonly assumed: number } {
    let assumed = 0;
    for (const booking of this.#bookings.values()) if (booking.assumed) assumed++;
    return { pods: this.#bookings.size, assumed };
  }

  isBooked(uid: string): boolean {
    return this.#bookings.has(uid);
  }

  /** The pod waits for room on a node; the empty name: for none. */
  nominate(demand: PodDemand, node: string): void {
    this.#endNomination(demand.uid, node);
    if (node === '') return;
    this.#dropNomination(demand.uid);
    this.#nominated.set(demand.uid, { demand, node });
    const waiting = this.#nominatedTo.get(node);
    if (waiting === undefined) this.#nominatedTo.set(node, new Set([demand]));
    else waiting.add(demand);
    this.#touch(node);
  }

  #dropNomination(uid: string): Nomination | undefined {
    const nomination = this.#nominated.get(uid);
    if (nomination === undefined) return undefined;
    const { demand, node } = nomination;
    this.#nominated.delete(uid);
    const waiting = this.#nominatedTo.get(node);
    waiting?.delete(demand);
    if (waiting?.size === 0) this.#nominatedTo.delete(node);
    this.#touch(node);
    return nomination;
  }

  /** Another room is left on the node by those who wait. */
  #touch(node: string): void {
    const slot = this.nodes.slotOf(node);
    if (slot !== undefined) this.nodes.touch(slot);
  }

  #endNomination(uid: string, next: string): void {
    const nomination = this.#dropNomination(uid);
    if (nomination !== undefined && nomination.node !== next) this.#nominationEnded(nomination);
  }

  /** Takes back the nominations of less important pods for a node, which one more important is to have; returns those pods. */
  withdrawNominations(node: string, below: number): readonly PodDemand[] {
    const withdrawn = [...(this.#nominatedTo.get(node) ?? [])].filter(({ priority }) => priority < below);
    for (const { uid } of withdrawn) this.#dropNomination(uid);
    return withdrawn;
  }

  nominationOf(uid: string): string | undefined {
    return this.#nominated.get(uid)?.node;
  }

  #book(booking: Booking): void {
    const uid = booking.demand.uid;
    this.#bookings.set(uid, booking);
    count(this.#priorities, booking.demand.priority, 1);
    let pods = this.#byNode.get(booking.node);
    if (pods === undefined) this.#byNode.set(booking.node, (pods = new Map()));
    pods.set(uid, booking.demand);
    const slot = this.nodes.slotOf(booking.node);
    if (slot !== undefined) this.#place(booking.demand, slot, 1);
  }

  #unbook(uid: string): boolean {
    const booking = this.#bookings.get(uid);
    if (booking === undefined) return false;
    this.#bookings.delete(uid);
    count(this.#priorities, booking.demand.priority, -1);
    const pods = this.#byNode.get(booking.node);
    pods?.delete(uid);
    if (pods?.size === 0) this.#byNode.delete(booking.node);
    const slot = this.nodes.slotOf(booking.node);
    if (slot !== undefined) this.#place(booking.demand, slot, -1);
    return true;
  }

  /** A binding gives a pod the labels of its node's zone: it is among others from now on, and takes what it took. */
  #relabel(booking: Booking, pod: Pod): void {
    const { demand: before, node } = booking;
    const demand = relabelled(before, pod);
    this.#bookings.set(demand.uid, { ...booking, demand });
    this.#byNode.get(node)?.set(demand.uid, demand);
    const slot = this.nodes.slotOf(node);
    if (slot === undefined) return;
    this.#count(before, slot, -1);
    this.#count(demand, slot, 1);
    this.nodes.touch(slot);
  }

  /** A pod comes to a node or leaves it: in the columns, among its like, in every tally. */
  #place(demand: PodDemand, slot: number, sign: 1 | -1): void {
    this.nodes.book(slot, demand, sign);
    for (const claim of demand.claims) count(this.#claimUsers, claim, sign);
    this.#count(demand, slot, sign);
  }

  #count(demand: PodDemand, slot: number, sign: 1 | -1): void {
    const cohort = this.#cohorts.book(demand, slot, sign);
    if (this.#tallies.size === 0) return;
    const change = { sign, version: this.nodes.topologyVersion };
    for (const tally of this.#concerned(cohort)) tally.book(cohort, slot, change);
  }

  #concerned(cohort: Cohort): readonly Tally[] {
    const known = this.#talliesOf.get(cohort);
    if (known?.version === this.#talliesVersion) return known.tallies;
    const tallies = [...this.#tallies.values()].filter((tally) => tally.counts(cohort));
    this.#talliesOf.set(cohort, { version: this.#talliesVersion, tallies });
    return tallies;
  }
}

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** Whether a node changed in whom it takes and where it is. */
function placeDiffers(before: Node, after: Node): boolean {
  return !(
    before.spec.unschedulable === after.spec.unschedulable &&
    same(before.spec.taints, after.spec.taints) &&
    same(before.metadata.labels, after.metadata.labels)
  );
}

/** Whether a node changed in what it has to give. Heartbeats do not count. */
function roomDiffers(before: Node, after: Node): boolean {
  const [was, is] = [before.status ?? {}, after.status ?? {}];
  return !(
    same(was.allocatable, is.allocatable) &&
    same(was.images, is.images) &&
    same(was.declaredFeatures, is.declaredFeatures)
  );
}

/** Whether a placed pod is as it was in what it takes, and in being on its way out. */
function asksTheSame(before: Pod, after: Pod): boolean {
  const isEnding = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined;
  return isEnding(before) === isEnding(after) && sameRequests(before, after);
}

/** Of a placed pod nothing can change that matters here but its resources (in-place resize): asked for, and given. */
function sameRequests(before: Pod, after: Pod): boolean {
  if (!same(heldRequests(before), heldRequests(after))) return false;
  const [was, is] = [before.spec, after.spec];
  // A binding leaves the containers as they are, the very same.
  return (
    same(was.resources, is.resources) &&
    (was.containers === is.containers || same(resourcesOf(was.containers), resourcesOf(is.containers))) &&
    (was.initContainers === is.initContainers || same(resourcesOf(was.initContainers), resourcesOf(is.initContainers)))
  );
}

function resourcesOf(containers: Pod['spec']['initContainers']): unknown {
  return containers?.map((container) => container.resources);
}
