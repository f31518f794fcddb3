import { resourceAmount } from '@binnacle/api';
import type { Node, Taint } from '@binnacle/api/core/v1';
import { count } from './cohort.ts';
import { CPU, EPHEMERAL_STORAGE, MEMORY, POD_COUNT } from './demand.ts';
import type { HostPort, PodDemand } from './demand.ts';
import { ImageIndex } from './image-index.ts';
import type { ImageNodes } from './image-index.ts';
import { TopologyColumn } from './topology.ts';

const NO_TAINTS: readonly Taint[] = [];
function taintText(taints: readonly Taint[]): string {
  return JSON.stringify(taints.map((t) => [t.key, t.value ?? '', t.effect]));
}

/** How many changes can be caught up with one by one. */
const JOURNAL = 4096;
/** The column of whatever resource no node has and no pod takes: all zeros. */
const NOBODYS = 4;
/** From so many topology keys on, those that nobody asked about lately are forgotten. */
const TOPOLOGIES_SWEPT_FROM = 256;

/**
 * The state of all nodes in columns: one array per resource, indexed by a node's slot. A scan over 5,000
 * nodes reads a few contiguous arrays and touches no object.
 *
 *     slot            0      1      2
 *     nodes           n1     –      n7        a removed node leaves a hole, the next one fills it
 *     allocatable[0]  4000   0      8000      CPU in thousandths
 *     requested[0]    250    0      100
 */
export class NodeColumns {
  /** By slot; undefined where the slot is free. */
  readonly nodes: (Node | undefined)[] = [];
  /** By resource column, then by slot. */
  readonly allocatable: Float64Array[] = [];
  readonly requested: Float64Array[] = [];
  /** Requests with stand-ins for what containers left open, by slot. */
  scoringCpu = new Float64Array(64);
  scoringMemory = new Float64Array(64);
  /** 1 where `spec.unschedulable` is set. */
  unschedulable = new Uint8Array(64);
  /** Index into `taintSets`; 0: no taints. */
  taintSet = new Int32Array(64);
  readonly taintSets: (readonly Taint[])[] = [NO_TAINTS];

  /** Slots in the order in which they changed; the last `JOURNAL` of `version` changes are kept. */
  readonly #journal = new Int32Array(JOURNAL);
  #version = 0;
  /** The highest version ever written down: what was taken back has written over the slots of old versions all the same. */
  #written = 0;
  readonly #touched = new Int32Array(JOURNAL);
  #touches = 0;
  #topologyVersion = 0;
  readonly #topologies = new Map<string, TopologyColumn>();
  #sweeps = 0;
  #sweepAt = TOPOLOGIES_SWEPT_FROM;
  /** How many nodes have a label, by its key; and the keys of each node, by slot. */
  readonly #labelKeys = new Map<string, number>();
  readonly #labelled: (readonly string[])[] = [];
  readonly #images = new ImageIndex();
  #names: readonly string[] | undefined;
  readonly #slots = new Map<string, number>();
  readonly #free: number[] = [];
  readonly #resources = new Map<string, number>();
  /** By column: how many nodes have the resource, and booked pods take it. One that nobody has gives its number to another. */
  readonly #resourceUsers: number[] = [];
  readonly #resourceNames: string[] = [];
  readonly #freeColumns: number[] = [];
  readonly #taintIds = new Map<string, number>();
  /** How many nodes have a set of taints; a set that none has gives its number to another. */
  readonly #taintUsers: number[] = [];
  readonly #freeTaintIds: number[] = [];
  readonly #ports = new Map<number, HostPort[]>();
  #capacity = 64;

  constructor() {
    for (const name of ['cpu', 'memory', 'ephemeral-storage', 'pods', '']) this.#columnFor(name);
  }

  /** How many nodes there are. */
  get size(): number {
    return this.#slots.size;
  }

  /** One past the highest slot in use. */
  get end(): number {
    return this.nodes.length;
  }

  /** Counts changes: two equal versions mean equal columns. */
  get version(): number {
    return this.#version;
  }

  /** Calls `visit` with every slot that changed since a version, repeats included; false when that is too long ago. */
  changedSince(version: number, visit: (slot: number) => void): boolean {
    if (this.#written - version > JOURNAL) return false;
    for (let v = version; v < this.#version; v++) visit(this.#journal[v % JOURNAL] ?? 0);
    return true;
  }

  /** Says that all is again as it was at a version: what changed since was taken back. */
  rewind(version: number): void {
    this.#version = version;
  }

  /** Counts changes on trial and their taking back, too: it never goes back. For who keeps results whose trials are not told apart. */
  get touches(): number {
    return this.#touches;
  }

  /** As `changedSince`, of touches. */
  touchedSince(touches: number, visit: (slot: number) => void): boolean {
    if (this.#touches - touches > JOURNAL) return false;
    for (let t = touches; t < this.#touches; t++) visit(this.#touched[t % JOURNAL]!);
    return true;
  }

  /** Counts changes of nodes themselves, as opposed to what is booked on them: comings, goings, labels, taints. */
  get topologyVersion(): number {
    return this.#topologyVersion;
  }

  /**
   * The column of a topology key, made on first use and kept up to date for as long as it is asked for now and then: pods name
   * what keys they like. Whoever keeps one has to ask whether it is still the same.
   */
  topology(key: string): TopologyColumn {
    let column = this.#topologies.get(key);
    if (column === undefined) {
      if (this.#topologies.size >= this.#sweepAt) this.#sweepTopologies();
      column = new TopologyColumn(key, this.#capacity);
      for (let slot = 0; slot < this.nodes.length; slot++) column.set(slot, this.nodes[slot]);
      this.#topologies.set(key, column);
    }
    column.askedIn = this.#sweeps;
    return column;
  }

  /** Whether any node has a label of this key: of another one there is no domain, however many pods name it. */
  hasLabel(key: string): boolean {
    return this.#labelKeys.has(key);
  }

  #sweepTopologies(): void {
    for (const [key, { askedIn }] of this.#topologies) if (askedIn < this.#sweeps) this.#topologies.delete(key);
    this.#sweeps++;
    this.#sweepAt = Math.max(TOPOLOGIES_SWEPT_FROM, this.#topologies.size) * 2;
  }

  /** Which nodes have an image, by a name with its tag or digest. */
  nodesWithImage(name: string): ImageNodes | undefined {
    return this.#images.find(name);
  }

  /** The names by slot as they are now; the array is never changed, so that it can be kept. */
  get names(): readonly string[] {
    this.#names ??= this.nodes.map((node) => node?.metadata.name ?? '');
    return this.#names;
  }

  slotOf(name: string): number | undefined {
    return this.#slots.get(name);
  }

  nameOf(slot: number): string {
    return this.nodes[slot]?.metadata.name ?? '';
  }

  /** The column of a resource; one of zeros where no node has it. Valid until the next change. */
  resourceColumn(resource: string): number {
    return this.#resources.get(resource) ?? NOBODYS;
  }

  #columnFor(resource: string): number {
    const known = this.#resources.get(resource);
    if (known !== undefined) return known;
    let column = this.#freeColumns.pop();
    if (column === undefined) {
      column = this.allocatable.push(new Float64Array(this.#capacity)) - 1;
      this.requested.push(new Float64Array(this.#capacity));
    }
    this.#resourceUsers[column] = 0;
    this.#resourceNames[column] = resource;
    this.#resources.set(resource, column);
    return column;
  }

  /** Any pod may ask for a resource of any name: what nobody has any more costs nothing. */
  #dropUnused(column: number): void {
    if (column <= NOBODYS || (this.#resourceUsers[column] ?? 0) > 0) return;
    const resource = this.#resourceNames[column] ?? '';
    if (this.#resources.get(resource) !== column) return;
    this.#resources.delete(resource);
    this.requested[column]?.fill(0);
    this.#freeColumns.push(column);
  }

  #setAllocatable(slot: number, allocatable: { readonly [resource: string]: string }): void {
    for (const [column, amounts] of this.allocatable.entries()) {
      if (amounts[slot] !== 0) this.#resourceUsers[column] = (this.#resourceUsers[column] ?? 1) - 1;
      amounts[slot] = 0;
    }
    for (const [resource, quantity] of Object.entries(allocatable)) {
      const amount = resourceAmount(resource, quantity);
      if (amount === 0) continue;
      const column = this.#columnFor(resource);
      (this.allocatable[column] as Float64Array)[slot] = amount;
      this.#resourceUsers[column] = (this.#resourceUsers[column] ?? 0) + 1;
    }
    for (let column = 0; column < this.allocatable.length; column++) this.#dropUnused(column);
  }

  /** Adds a node or takes over its new state; what its pods requested stays. `isSamePlace`: labels and taints did not change. Returns its slot. */
  setNode(node: Node, isSamePlace = false): number {
    const name = node.metadata.name ?? '';
    const slot = this.#slots.get(name) ?? this.#takeSlot(name);
    if (this.nodes[slot] === undefined) this.#names = undefined;
    this.nodes[slot] = node;
    this.#setAllocatable(slot, node.status?.allocatable ?? {});
    this.unschedulable[slot] = node.spec.unschedulable === true ? 1 : 0;
    this.#setTaints(slot, node.spec.taints ?? NO_TAINTS);
    if (!isSamePlace) this.#placeChanged(slot);
    this.#images.set(slot, node);
    this.#note(slot);
    return slot;
  }

  /** Takes over a node that differs in nothing that is looked at. */
  renew(node: Node): void {
    const slot = this.#slots.get(node.metadata.name ?? '');
    if (slot !== undefined) this.nodes[slot] = node;
  }

  removeNode(name: string): void {
    const slot = this.#slots.get(name);
    if (slot === undefined) return;
    this.#slots.delete(name);
    this.#names = undefined;
    this.nodes[slot] = undefined;
    for (const column of this.requested) column[slot] = 0;
    this.#setAllocatable(slot, {});
    this.scoringCpu[slot] = 0;
    this.scoringMemory[slot] = 0;
    this.unschedulable[slot] = 0;
    this.#setTaints(slot, NO_TAINTS);
    this.#ports.delete(slot);
    this.#free.push(slot);
    this.#placeChanged(slot);
    this.#images.set(slot, undefined);
    this.#note(slot);
  }

  /** Books a pod on a node (`sign` 1) or takes it off (`sign` -1). */
  book(slot: number, demand: PodDemand, sign: 1 | -1): void {
    this.#add(CPU, slot, sign * demand.milliCpu);
    this.#add(MEMORY, slot, sign * demand.memory);
    this.#add(EPHEMERAL_STORAGE, slot, sign * demand.ephemeralStorage);
    this.#add(POD_COUNT, slot, sign);
    for (const { resource, amount } of demand.others) {
      const column = this.#columnFor(resource);
      this.#add(column, slot, sign * amount);
      this.#resourceUsers[column] = (this.#resourceUsers[column] ?? 0) + sign;
      this.#dropUnused(column);
    }
    this.scoringCpu[slot] = (this.scoringCpu[slot] ?? 0) + sign * demand.scoringMilliCpu;
    this.scoringMemory[slot] = (this.scoringMemory[slot] ?? 0) + sign * demand.scoringMemory;
    if (demand.hostPorts.length > 0) this.#bookPorts(slot, demand.hostPorts, sign);
    this.#note(slot);
  }

  /** The host ports in use on a node. */
  portsOf(slot: number): readonly HostPort[] {
    return this.#ports.get(slot) ?? [];
  }

  #placeChanged(slot: number): void {
    this.#topologyVersion++;
    for (const key of this.#labelled[slot] ?? []) count(this.#labelKeys, key, -1);
    const keys = Object.keys(this.nodes[slot]?.metadata.labels ?? {});
    for (const key of keys) count(this.#labelKeys, key, 1);
    this.#labelled[slot] = keys;
    for (const column of this.#topologies.values()) column.set(slot, this.nodes[slot]);
  }

  /** Something else about the node changed, which those who keep results about it look at. */
  touch(slot: number): void {
    this.#note(slot);
  }

  #note(slot: number): void {
    this.#journal[this.#version % JOURNAL] = slot;
    this.#version++;
    this.#touched[this.#touches++ % JOURNAL] = slot;
    if (this.#version > this.#written) this.#written = this.#version;
  }

  #add(column: number, slot: number, amount: number): void {
    const values = this.requested[column] as Float64Array;
    values[slot] = (values[slot] ?? 0) + amount;
  }

  #bookPorts(slot: number, ports: readonly HostPort[], sign: 1 | -1): void {
    const used = this.#ports.get(slot) ?? [];
    if (sign === 1) used.push(...ports);
    else {
      for (const port of ports) {
        const at = used.findIndex((u) => u.port === port.port && u.protocol === port.protocol && u.ip === port.ip);
        if (at !== -1) used.splice(at, 1);
      }
    }
    this.#ports.set(slot, used);
  }

  #setTaints(slot: number, taints: readonly Taint[]): void {
    const before = this.taintSet[slot] ?? 0;
    this.taintSet[slot] = this.#internTaints(taints);
    if (before === 0) return;
    const left = (this.#taintUsers[before] ?? 1) - 1;
    this.#taintUsers[before] = left;
    if (left > 0) return;
    this.#taintIds.delete(taintText(this.taintSets[before] ?? NO_TAINTS));
    this.taintSets[before] = NO_TAINTS;
    this.#freeTaintIds.push(before);
  }

  #internTaints(taints: readonly Taint[]): number {
    if (taints.length === 0) return 0;
    const text = taintText(taints);
    let id = this.#taintIds.get(text);
    if (id === undefined) {
      id = this.#freeTaintIds.pop() ?? this.taintSets.length;
      this.taintSets[id] = taints;
      this.#taintIds.set(text, id);
      this.#taintUsers[id] = 0;
    }
    this.#taintUsers[id] = (this.#taintUsers[id] ?? 0) + 1;
    return id;
  }

  #takeSlot(name: string): number {
    const slot = this.#free.pop() ?? this.nodes.push(undefined) - 1;
    if (slot >= this.#capacity) this.#grow();
    this.#slots.set(name, slot);
    return slot;
  }

  #grow(): void {
    this.#capacity *= 2;
    const longer = (old: Float64Array): Float64Array<ArrayBuffer> => {
      const bigger = new Float64Array(this.#capacity);
      bigger.set(old);
      return bigger;
    };
    this.allocatable.forEach((column, i) => (this.allocatable[i] = longer(column)));
    this.requested.forEach((column, i) => (this.requested[i] = longer(column)));
    this.scoringCpu = longer(this.scoringCpu);
    this.scoringMemory = longer(this.scoringMemory);
    const unschedulable = new Uint8Array(this.#capacity);
    unschedulable.set(this.unschedulable);
    this.unschedulable = unschedulable;
    const taintSet = new Int32Array(this.#capacity);
    taintSet.set(this.taintSet);
    this.taintSet = taintSet;
    for (const column of this.#topologies.values()) column.grow(this.#capacity);
  }
}
