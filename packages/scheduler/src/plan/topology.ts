import type { Node } from '@binnacle/api/core/v1';

/** The key of the column in which every node is a domain of its own. */
export const NODE_ITSELF = '';

/**
 * One topology key as a column: nodes with an equal value of the label are one domain.
 *
 *     slot       0       1       2        domains   eu-1 → 0 (2 nodes), eu-2 → 1 (1 node)
 *     zone       eu-1    eu-2    eu-1
 *     domainOf   0       1       0        -1: the node has no such label
 */
export class TopologyColumn {
  readonly key: string;
  domainOf: Int32Array;
  /** When it was asked for last, in sweeps of its keeper. */
  askedIn = 0;
  readonly #ids = new Map<string, number>();
  readonly #values: (string | undefined)[] = [];
  readonly #members: number[] = [];
  readonly #free: number[] = [];
  #size = 0;

  constructor(key: string, capacity: number) {
    this.key = key;
    this.domainOf = new Int32Array(capacity).fill(-1);
  }

  /** One past the highest domain in use. */
  get domains(): number {
    return this.#members.length;
  }

  /** How many nodes have the label (of NODE_ITSELF not told: 0). */
  get size(): number {
    return this.#size;
  }

  /** Whether no two nodes are in one domain. */
  get isByNode(): boolean {
    return this.key === NODE_ITSELF || this.#size === this.#ids.size;
  }

  /** The domain of a value; undefined: no node has it. */
  domainWith(value: string): number | undefined {
    return this.#ids.get(value);
  }

  grow(capacity: number): void {
    const longer = new Int32Array(capacity).fill(-1);
    longer.set(this.domainOf);
    this.domainOf = longer;
  }

  /** The node at a slot is this one now, or none. */
  set(slot: number, node: Node | undefined): void {
    if (this.key === NODE_ITSELF) {
      this.domainOf[slot] = node === undefined ? -1 : slot;
      while (this.#members.length <= slot) this.#members.push(0);
      return;
    }
    const labels = node?.metadata.labels;
    const value = labels !== undefined && Object.hasOwn(labels, this.key) ? labels[this.key] : undefined;
    const before = this.domainOf[slot] ?? -1;
    if (before !== -1) {
      if (this.#values[before] === value) return;
      this.#leave(before);
    }
    this.domainOf[slot] = value === undefined ? -1 : this.#enter(value);
  }

  #enter(value: string): number {
    this.#size++;
    let id = this.#ids.get(value);
    if (id === undefined) {
      id = this.#free.pop() ?? this.#members.length;
      this.#ids.set(value, id);
      this.#values[id] = value;
      this.#members[id] = 0;
    }
    this.#members[id] = (this.#members[id] ?? 0) + 1;
    return id;
  }

  #leave(id: number): void {
    this.#size--;
    const left = (this.#members[id] ?? 1) - 1;
    this.#members[id] = left;
    if (left > 0) return;
    this.#ids.delete(this.#values[id] ?? '');
    this.#values[id] = undefined;
    this.#free.push(id);
  }
}
