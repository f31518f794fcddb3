import { resourceAmount } from '@binnacle/api';
import type { Node, Taint } from '@binnacle/api/core/v1';
import { CPU, EPHEMERAL_STORAGE, MEMORY, POD_COUNT } from './demand.ts';
import type { HostPort, PodDemand } from './demand.ts';

const NO_TAINTS: readonly Taint[] = [];
/** How many changes can be caught up with one by one. */
const JOURNAL = 4096;

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
  readonly #slots = new Map<string, number>();
  readonly #free: number[] = [];
  readonly #resources = new Map<string, number>();
  readonly #taintIds = new Map<string, number>([['[]', 0]]);
  readonly #ports = new Map<number, HostPort[]>();
  #capacity = 64;

  constructor() {
    for (const name of ['cpu', 'memory', 'ephemeral-storage', 'pods']) this.resourceColumn(name);
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
    if (this.#version - version > JOURNAL) return false;
    for (let v = version; v < this.#version; v++) visit(this.#journal[v % JOURNAL] ?? 0);
    return true;
  }

  slotOf(name: string): number | undefined {
    return this.#slots.get(name);
  }

  nameOf(slot: number): string {
    return this.nodes[slot]?.metadata.name ?? '';
  }

  /** The column of a resource, made on first use. */
  resourceColumn(resource: string): number {
    const known = this.#resources.get(resource);
    if (known !== undefined) return known;
    const column = this.allocatable.push(new Float64Array(this.#capacity)) - 1;
    this.requested.push(new Float64Array(this.#capacity));
    this.#resources.set(resource, column);
    return column;
  }

  /** Adds a node or takes over its new state; what its pods requested stays. Returns its slot. */
  setNode(node: Node): number {
    const name = node.metadata.name ?? '';
    const slot = this.#slots.get(name) ?? this.#takeSlot(name);
    this.nodes[slot] = node;
    for (const column of this.allocatable) column[slot] = 0;
    for (const [resource, quantity] of Object.entries(node.status?.allocatable ?? {})) {
      (this.allocatable[this.resourceColumn(resource)] as Float64Array)[slot] = resourceAmount(resource, quantity);
    }
    this.unschedulable[slot] = node.spec.unschedulable === true ? 1 : 0;
    this.taintSet[slot] = this.#internTaints(node.spec.taints ?? NO_TAINTS);
    this.#note(slot);
    return slot;
  }

  removeNode(name: string): void {
    const slot = this.#slots.get(name);
    if (slot === undefined) return;
    this.#slots.delete(name);
    this.nodes[slot] = undefined;
    for (const column of [...this.allocatable, ...this.requested]) column[slot] = 0;
    this.scoringCpu[slot] = 0;
    this.scoringMemory[slot] = 0;
    this.unschedulable[slot] = 0;
    this.taintSet[slot] = 0;
    this.#ports.delete(slot);
    this.#free.push(slot);
    this.#note(slot);
  }

  /** Books a pod on a node (`sign` 1) or takes it off (`sign` -1). */
  book(slot: number, demand: PodDemand, sign: 1 | -1): void {
    this.#add(CPU, slot, sign * demand.milliCpu);
    this.#add(MEMORY, slot, sign * demand.memory);
    this.#add(EPHEMERAL_STORAGE, slot, sign * demand.ephemeralStorage);
    this.#add(POD_COUNT, slot, sign);
    for (const { resource, amount } of demand.others) this.#add(this.resourceColumn(resource), slot, sign * amount);
    this.scoringCpu[slot] = (this.scoringCpu[slot] ?? 0) + sign * demand.scoringMilliCpu;
    this.scoringMemory[slot] = (this.scoringMemory[slot] ?? 0) + sign * demand.scoringMemory;
    if (demand.hostPorts.length > 0) this.#bookPorts(slot, demand.hostPorts, sign);
    this.#note(slot);
  }

  /** The host ports in use on a node. */
  portsOf(slot: number): readonly HostPort[] {
    return this.#ports.get(slot) ?? [];
  }

  #note(slot: number): void {
    this.#journal[this.#version % JOURNAL] = slot;
    this.#version++;
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

  #internTaints(taints: readonly Taint[]): number {
    const text = JSON.stringify(taints.map((t) => [t.key, t.value ?? '', t.effect]));
    const known = this.#taintIds.get(text);
    if (known !== undefined) return known;
    const id = this.taintSets.push(taints) - 1;
    this.#taintIds.set(text, id);
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
  }
}
