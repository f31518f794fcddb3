import type { IpRange } from '@binnacle/base';
import { addressText, doOverlap, formatRange, ipRange, isInRange, networkBytes } from '@binnacle/base';

/** How packets go from node to node: straight, where nodes are each other's neighbours, or wrapped in UDP. */
export type PodNetworkMode = 'host-gw' | 'vxlan';

/** A node as others reach it. */
export interface NodePlace {
  readonly name: string;
  /** Its InternalIPs, at most one of each family is of use. None: not reached yet. */
  readonly addresses: readonly string[];
  /** CIDRs of its pods; at most one of each family is of use. The cluster gives all nodes theirs in one order of families. */
  readonly podRanges: readonly string[];
}

/** The way to the pods of another node. */
export interface PodRoute {
  /** In its usual form: `10.244.1.0/24`. */
  readonly range: string;
  /** The address of the node that has them: of the range's family, or the tunnel's. */
  readonly node: string;
  /** The end of the tunnel there: the first address of the range, that no pod has. */
  readonly tunnelEnd: string;
}

/** Whose ranges were left out, and why. */
export interface RefusedRange {
  readonly node: string;
  readonly range: string;
  readonly reason: string;
}

/**
 * The ways from one node to the pods of all others. A range that would take more than pods is refused: one that has the
 * address of a node in it, or meets another node's; the node that is first by name keeps its.
 */
export function decidePodRoutes(
  self: NodePlace,
  nodes: readonly NodePlace[],
  mode: PodNetworkMode,
): { readonly routes: readonly PodRoute[]; readonly refused: readonly RefusedRange[] } {
  const addresses = [self, ...nodes].flatMap((node) => node.addresses);
  const taken = self.podRanges.flatMap((text) => ipRange(text) ?? []);
  const routes: PodRoute[] = [];
  const refused: RefusedRange[] = [];
  for (const node of nodes.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (node.name === self.name || node.addresses.length === 0) continue;
    for (const text of node.podRanges) {
      const range = ipRange(text);
      const reason = faultOf(range, { addresses, taken });
      const way = mode === 'vxlan' ? tunnelWay(self, node) : addressLike(node, text);
      if (range === undefined || reason !== undefined || way === undefined) {
        refused.push({ node: node.name, range: text, reason: reason ?? 'the node has no address of that family' });
        continue;
      }
      taken.push(range);
      routes.push({ range: formatRange(range), node: way, tunnelEnd: addressText(networkBytes(range)) });
    }
  }
  return { routes, refused };
}

/**
 * The address that a node's tunnel goes by: that of the family of its first pods, or what it has. Both ends of a tunnel
 * find the same for each, in whatever order a node names its addresses.
 */
export function tunnelAddress(node: NodePlace): string | undefined {
  return addressLike(node, node.podRanges[0]) ?? node.addresses[0];
}

/** What wrapping takes of a packet, over IPv4 and IPv6. */
export const WRAPPING = { four: 50, six: 70 } as const;

/** Bytes that a node's tunnel takes of each packet of its pods, by the family that `tunnelAddress` goes by. */
export function wrappingFor(podRanges: readonly string[]): number {
  return podRanges[0]?.includes(':') === true ? WRAPPING.six : WRAPPING.four;
}

/** A tunnel is of one family: the other's end, where both are of the same. */
function tunnelWay(self: NodePlace, node: NodePlace): string | undefined {
  const end = tunnelAddress(node);
  return end?.includes(':') === tunnelAddress(self)?.includes(':') ? end : undefined;
}

/** The node's address of the family that `like` is of. */
function addressLike({ addresses }: NodePlace, like: string | undefined): string | undefined {
  return addresses.find((address) => address.includes(':') === like?.includes(':'));
}

function faultOf(
  range: IpRange | undefined,
  { addresses, taken }: { readonly addresses: readonly string[]; readonly taken: readonly IpRange[] },
): string | undefined {
  if (range === undefined) return 'no range of addresses';
  const node = addresses.find((address) => isInRange(range, address));
  if (node !== undefined) return `it has the node ${node} in it`;
  if (taken.some((other) => doOverlap(other, range))) return 'it meets the range of another node';
  return undefined;
}

/** Makes the ways to other nodes' pods real on a machine. Calls do not overlap. */
export interface PodNetwork {
  /** These ways and no others. */
  keep(self: NodePlace, routes: readonly PodRoute[]): Promise<void>;
  /** Takes everything of ours away. */
  remove(): Promise<void>;
}
