import { KubeletConfigError } from '../errors.ts';
import type { NumaNode } from '../ports.ts';
import type { ReservedMemory } from './memory-table.ts';

const FIELD = 'reservedMemory';

/**
 * What is reserved by memory node has to be as much as the node keeps as a whole (for Kubernetes, for the system, so that nobody has to be
 * evicted at once): promises are made of what is left. Throws KubeletConfigError, in upstream's words. Pure.
 */
export function checkReserved(of: {
  readonly nodes: readonly NumaNode[];
  readonly reserved: ReservedMemory;
  readonly reservedBytes: number;
}): void {
  const known = new Set(of.nodes.map(({ id }) => id));
  const sums = new Map<string, number>([['memory', 0]]);
  for (const [id, amounts] of of.reserved) {
    if (!known.has(id)) {
      const what = `the reserved memory configuration references a NUMA node ${id} that does not exist on this machine`;
      throw new KubeletConfigError(FIELD, what);
    }
    for (const [name, bytes] of amounts) sums.set(name, (sums.get(name) ?? 0) + bytes);
  }
  for (const [name, bytes] of sums) {
    const wanted = name === 'memory' ? of.reservedBytes : 0;
    if (bytes === wanted) continue;
    const what = `the total amount "${bytes}" of type "${name}" is not equal to the value "${wanted}" determined by Node Allocatable feature`;
    throw new KubeletConfigError(FIELD, what);
  }
  if ((sums.get('memory') ?? 0) <= 0)
    throw new KubeletConfigError(FIELD, 'you should specify the system reserved memory');
}
