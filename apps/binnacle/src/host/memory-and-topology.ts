/** What a kubelet's configuration says of its memory and topology managers. */
import { quantityValue } from '@binnacle/machinery';
import type { KubeletConfig } from '@binnacle/kubelet';
import { UsageError } from '../errors.ts';
import { table, textTable, whole } from './config-values.ts';

export const TOPOLOGY_POLICIES = ['none', 'best-effort', 'restricted', 'single-numa-node'] as const;

/** Every set of memory nodes is looked at for each pod: above this number that takes too long. */
const NODES_MAX = 12;
const NODES_DEFAULT = 8;

/** Options of the topology manager's policy. Throws UsageError, in upstream's words. */
export function topologyOptions(options: { readonly [name: string]: string }): Partial<KubeletConfig> {
  const { 'prefer-closest-numa-nodes': closest, 'max-allowable-numa-nodes': most, ...others } = options;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new UsageError(`unknown Topology Manager Policy option: "${unknown}"`);
  if (closest !== undefined && closest !== 'true' && closest !== 'false')
    throw new UsageError(`bad value for option "prefer-closest-numa-nodes": ${closest} is neither true nor false`);
  return {
    ...(closest === undefined ? {} : { topologyPrefersClosest: closest === 'true' }),
    ...(most === undefined ? {} : { topologyNodesMax: nodesMax(most) }),
  };
}

function nodesMax(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < NODES_DEFAULT)
    throw new UsageError(`the minimum value of "max-allowable-numa-nodes" should not be less than ${NODES_DEFAULT}`);
  if (number > NODES_MAX) throw new UsageError(`"max-allowable-numa-nodes" above ${NODES_MAX} is not supported`);
  return number;
}

/** What of each memory node is for nobody, in bytes. Throws UsageError, in upstream's words. */
export function reservedMemory(value: unknown): KubeletConfig['reservedMemory'] {
  if (!Array.isArray(value)) throw new UsageError(`${JSON.stringify(value)} is no list`);
  const all = new Map<number, Map<string, number>>();
  for (const one of value) {
    const { numaNode, limits, ...others } = table(one);
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw new UsageError(`${unknown} is not supported`);
    const node = whole(numaNode ?? 0, 0);
    const amounts = all.get(node) ?? new Map<string, number>();
    all.set(node, amounts);
    for (const [name, amount] of Object.entries(textTable(limits ?? {}))) {
      if (amounts.has(name))
        throw new UsageError(`the reserved memory has a duplicate value for NUMA node ${node} and resource "${name}"`);
      amounts.set(name, reservedBytes(name, amount, node));
    }
  }
  return all;
}

function reservedBytes(name: string, amount: string, node: number): number {
  if (name !== 'memory' && !name.startsWith('hugepages-'))
    throw new UsageError(
      `the limit type "${name}" for NUMA node ${node} is not supported, only [memory hugepages-<HugePageSize>] is accepted`,
    );
  const bytes = quantityValue(amount);
  if (bytes <= 0) throw new UsageError(`reserved memory may not be zero for NUMA node ${node} and resource "${name}"`);
  return bytes;
}
