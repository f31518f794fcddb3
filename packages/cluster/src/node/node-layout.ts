import { addressAt, addressText, formatRange, ipRange, isInRange, networkBytes } from '@binnacle/base';
import { ClusterError } from '../errors.ts';

/** A node in a network namespace of this machine. */
export interface WorkerPlace {
  readonly nodeName: string;
  readonly namespace: string;
  /** The machine's end of the link to it. */
  readonly link: string;
  readonly address: string;
  readonly podCidr: string;
  readonly cgroupRoot: string;
}

/** How the nodes of one machine lie beside each other: the first is the machine itself. */
export interface NodeLayout {
  /** The link that joins all of them, on the machine. */
  readonly bridge: string;
  /** Its address: where the others' way out begins. */
  readonly gateway: string;
  readonly nodeRange: string;
  /** Of the machine's own pods. */
  readonly podCidr: string;
  readonly workers: readonly WorkerPlace[];
}

/** Names of links have 15 letters at the most. */
const WORKERS_MAX = 64;

/**
 * Lays out so many nodes: pods' ranges follow the first one's, nodes' addresses the range's gateway. `prefix` tells
 * clusters of one machine apart. Throws ClusterError where there is no room.
 */
export function layOutNodes(wish: {
  readonly count: number;
  readonly podCidr: string;
  readonly nodeRange: string;
  readonly prefix: string;
}): NodeLayout {
  const { count, podCidr, nodeRange, prefix } = wish;
  const [pods, nodes] = [ipRange(podCidr), ipRange(nodeRange)];
  if (pods === undefined) throw new ClusterError('bad-range', `${podCidr} is no range of addresses`);
  if (nodes === undefined) throw new ClusterError('bad-range', `${nodeRange} is no range of addresses`);
  if (count > WORKERS_MAX)
    throw new ClusterError('bad-range', `this machine takes ${WORKERS_MAX} further nodes at the most`);
  const size = 1n << BigInt(pods.bytes.length * 8 - pods.bits);
  const workers = Array.from({ length: count }, (_, at): WorkerPlace => {
    const number = at + 1;
    return {
      nodeName: `worker-${number}`,
      namespace: `${prefix}-${number}`,
      link: `${prefix}${number}`,
      address: addressText(addressAt(nodes, BigInt(number + 1))),
      podCidr: formatRange({ bytes: addressAt(pods, size * BigInt(number)), bits: pods.bits }),
      cgroupRoot: `/kubepods-${prefix}-${number}`,
    };
  });
  const last = addressText(addressAt(nodes, BigInt(count + 1)));
  if (!isInRange(nodes, last)) throw new ClusterError('bad-range', `${nodeRange} has no room for ${count + 1} nodes`);
  for (const range of [podCidr, ...workers.map((worker) => worker.podCidr)]) {
    const parsed = ipRange(range);
    if (parsed === undefined || isInRange(nodes, addressText(networkBytes(parsed))) || isInRange(parsed, last))
      throw new ClusterError('bad-range', `the range of nodes, ${nodeRange}, overlaps the range of pods ${range}`);
  }
  const gateway = addressText(addressAt(nodes, 1n));
  return { bridge: `${prefix}n`, gateway, nodeRange, podCidr, workers };
}

/** The pods' ranges of all nodes but this one (the machine's own: empty name). */
export function otherPodRanges({ podCidr, workers }: NodeLayout, nodeName: string): string[] {
  const own = nodeName === '' ? [] : [podCidr];
  return [...own, ...workers.filter((worker) => worker.nodeName !== nodeName).map((worker) => worker.podCidr)];
}
