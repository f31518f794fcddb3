import { KubeletConfigError } from '../errors.ts';
import type { Machine, NumaNode } from '../ports.ts';

/** The memory nodes of a machine, once it was looked at. */
export class MachineNodes {
  readonly #machine: Pick<Machine, 'numaNodes' | 'memoryBytes'>;
  #all: readonly NumaNode[];

  constructor(machine: Pick<Machine, 'numaNodes' | 'memoryBytes'>) {
    this.#machine = machine;
    this.#all = [{ id: 0, memoryBytes: machine.memoryBytes, distances: [10], hugePages: [] }];
  }

  /** By rising number; one where the machine knows of none. */
  get all(): readonly NumaNode[] {
    return this.#all;
  }

  /** Their numbers, rising. */
  get ids(): readonly number[] {
    return this.#all.map(({ id }) => id);
  }

  /** Looks at the machine. Throws KubeletConfigError where it has more nodes than `atMost`. */
  async look(atMost: number): Promise<void> {
    const found = (await this.#machine.numaNodes?.()) ?? [];
    if (found.length > 0) this.#all = found;
    if (this.#all.length <= atMost) return;
    const what = `unsupported on machines with more than ${atMost} NUMA Nodes`;
    throw new KubeletConfigError('topologyManagerPolicy', what);
  }
}
