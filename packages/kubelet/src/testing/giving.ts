import type { Pod } from '@binnacle/api/core/v1';
import { kubeletConfig } from '../config.ts';
import type { KubeletConfig } from '../config.ts';
import type { NumaNode } from '../ports.ts';
import { Alignment, type AlignmentRefusal, type Giver } from '../topology/alignment.ts';

/** Gives a pod all that its containers ask for of one sort, as where nothing has to lie together. */
export function given(giver: Giver, pod: Pod): Promise<AlignmentRefusal | undefined> {
  return aligned([giver], { nodes: [] }).give(pod);
}

/** Gives of several sorts, by a policy. */
export function aligned(
  givers: readonly Giver[],
  { nodes, ...config }: Partial<KubeletConfig> & { readonly nodes: readonly NumaNode[] },
): Alignment {
  return new Alignment({ config: kubeletConfig({ nodeName: 'n1', ...config }), givers, nodes: () => nodes });
}

/** Memory nodes of a gigabyte (or so much), each ten from itself and farther from those that are farther. */
export function numaNodes(count: number, memoryBytes = 2 ** 30): readonly NumaNode[] {
  const ids = Array.from({ length: count }, (_, id) => id);
  return ids.map((id) => ({
    id,
    memoryBytes,
    distances: ids.map((other) => 10 + 10 * Math.abs(id - other)),
    hugePages: [],
  }));
}
