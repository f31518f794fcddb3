import { addressAt, addressText, doOverlap, formatRange, ipRange, isInRange, networkBytes } from '@binnacle/base';
import type { IpRange } from '@binnacle/base';
import { ClusterError } from '../errors.ts';
import { nodesLink } from './range-overlaps.ts';

/** A node in a network namespace of this machine. */
export interface WorkerPlace {
  readonly nodeName: string;
  readonly namespace: string;
  /** The machine's end of the link to it. */
  readonly link: string;
  /** One of each family that nodes have. */
  readonly addresses: readonly string[];
  readonly cgroupRoot: string;
}

/** How the nodes of one machine lie beside each other: the first is the machine itself. */
export interface NodeLayout {
  /** The link that joins all of them, on the machine. */
  readonly bridge: string;
  /** Its addresses: where the others' way out begins. */
  readonly gateways: readonly string[];
  readonly nodeRanges: readonly string[];
  /** All nodes' pods: what ranges of nodes are cut from. */
  readonly clusterRanges: readonly string[];
  readonly workers: readonly WorkerPlace[];
}

/** Names of links have 15 letters at the most. */
const WORKERS_MAX = 64;

/**
 * Lays out so many nodes: their addresses follow the range's gateway. Which pods are whose the cluster decides, out of
 * `clusterRanges` (absent: the smallest ranges around the machine's own that have room for as many). `prefix` tells
 * clusters of one machine apart. Throws ClusterError where there is no room.
 */
export function layOutNodes(wish: {
  readonly count: number;
  /** Of the machine's own pods. */
  readonly podCidrs: readonly string[];
  readonly clusterRanges?: readonly string[];
  readonly nodeRanges: readonly string[];
  readonly prefix: string;
}): NodeLayout {
  const { count, podCidrs, nodeRanges, prefix } = wish;
  if (count > WORKERS_MAX)
    throw new ClusterError('bad-range', `this machine takes ${WORKERS_MAX} further nodes at the most`);
  const nodes = nodeRanges.map(rangeOf);
  const clusterRanges = wish.clusterRanges ?? podCidrs.map((text) => formatRange(roomAround(rangeOf(text), count + 1)));
  refuseClashes({ nodes, podCidrs, clusterRanges, count });
  const workers = Array.from({ length: count }, (_, at): WorkerPlace => {
    const number = at + 1;
    return {
      nodeName: `worker-${number}`,
      namespace: `${prefix}-${number}`,
      link: `${prefix}${number}`,
      addresses: nodes.map((range) => addressText(addressAt(range, BigInt(number + 1)))),
      cgroupRoot: `/kubepods-${prefix}-${number}`,
    };
  });
  const gateways = nodes.map((range) => addressText(addressAt(range, 1n)));
  return { bridge: nodesLink(prefix), gateways, nodeRanges, clusterRanges, workers };
}

function rangeOf(text: string): IpRange {
  const range = ipRange(text);
  if (range === undefined) throw new ClusterError('bad-range', `${text} is no range of addresses`);
  return range;
}

/** The smallest range with this one in it that has room for so many of its size. */
function roomAround(range: IpRange, parts: number): IpRange {
  const bits = range.bits - Math.ceil(Math.log2(parts));
  if (bits < 0) throw new ClusterError('bad-range', `around ${formatRange(range)} is no room for ${parts} nodes' pods`);
  return { bytes: networkBytes({ ...range, bits }), bits };
}

function refuseClashes(of: {
  readonly nodes: readonly IpRange[];
  readonly podCidrs: readonly string[];
  readonly clusterRanges: readonly string[];
  readonly count: number;
}): void {
  const { nodes, podCidrs, clusterRanges, count } = of;
  const cluster = clusterRanges.map(rangeOf);
  const families = (ranges: readonly IpRange[]): string => ranges.map(({ bytes }) => bytes.length).join();
  const pods = podCidrs.map(rangeOf);
  if (families(nodes) !== families(pods) || families(cluster) !== families(pods))
    throw new ClusterError('bad-range', 'ranges of nodes, of their pods and of all pods are not of the same families');
  for (const range of nodes) {
    const last = addressText(addressAt(range, BigInt(count + 1)));
    if (!isInRange(range, last))
      throw new ClusterError('bad-range', `${formatRange(range)} has no room for ${count + 1} nodes`);
    for (const all of cluster)
      if (doOverlap(range, all))
        throw new ClusterError(
          'bad-range',
          `the range of nodes, ${formatRange(range)}, overlaps the range of pods ${formatRange(all)}`,
        );
  }
  for (const [at, own] of pods.entries()) {
    const all = cluster[at];
    if (all === undefined || own.bits < all.bits || !isInRange(all, addressText(networkBytes(own))))
      throw new ClusterError(
        'bad-range',
        `the machine's own pods, ${formatRange(own)}, are not in ${clusterRanges[at]}`,
      );
  }
}
