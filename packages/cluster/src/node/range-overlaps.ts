import { doOverlap, ipRange } from '@binnacle/base';
import type { RunTool } from '@binnacle/network/nftables';

/** A route of the machine, as `ip -j route` tells it. */
interface Route {
  readonly dst?: string;
  readonly dev?: string;
}

/**
 * Says which of the cluster's ranges the machine has another way to, one sentence each: a VPN or a network at home with
 * the same addresses would lose what goes there. Routes over `own` links are the cluster's.
 */
export async function sayOverlaps(
  run: RunTool,
  ranges: { readonly [what: string]: readonly string[] },
  own: readonly string[],
): Promise<string[]> {
  const texts = await Promise.all(
    ['-4', '-6'].map((family) => run(['ip', '-j', family, 'route', 'show', 'table', 'main'])),
  );
  const routes = texts.flatMap((text) => (text.trim() === '' ? [] : (JSON.parse(text) as readonly Route[])));
  return overlapsOf(routes, ranges, own);
}

/** What a node asks of its machine. */
export interface AskedRanges {
  readonly podCidrs: readonly string[];
  /** Of all nodes' pods, and of nodes; absent: this machine is the only one. */
  readonly clusterRanges?: readonly string[];
  readonly nodeRanges?: readonly string[];
  /** Pods are behind links that are not the cluster's. */
  readonly isOthersNetwork?: boolean;
  /** The other nodes are behind links of this machine. */
  readonly isGateway?: boolean;
}

/** The ranges that the machine should have no other way to. Nodes that are elsewhere are reached by ways of its own. */
export function takenRanges(
  { podCidrs, clusterRanges, nodeRanges = [], isGateway = false, isOthersNetwork = false }: AskedRanges,
  services: readonly string[],
): { readonly [what: string]: readonly string[] } {
  if (isOthersNetwork) return { Services: services };
  if (!isGateway) return { pods: podCidrs, Services: services };
  return { pods: clusterRanges ?? podCidrs, nodes: nodeRanges, Services: services };
}

/** The links of a cluster on its machine: of its pods, its further nodes, its tunnel. */
export function linksOf(bridge: string): readonly string[] {
  return [bridge, nodesLink(bridge), `${bridge}x`];
}

/** The link of a machine that joins its further nodes, by that of its pods. */
export function nodesLink(bridge: string): string {
  return `${bridge}n`;
}

/** How links of clusters are named (`bridgeName`): these letters first. */
export const CLUSTER_LINKS = 'bn';
const CLUSTER_BRIDGE = /^bn[0-9a-f]{10}$/;

/** Says which other clusters this machine has, a sentence each: Services may have addresses out of the same range. */
export async function sayNeighbours(run: RunTool, services: readonly string[], own: string): Promise<string[]> {
  const text = await run(['ip', '-j', 'link', 'show', 'type', 'bridge']);
  const links = text.trim() === '' ? [] : (JSON.parse(text) as readonly { readonly ifname?: string }[]);
  return links
    .flatMap(({ ifname = '' }) => (CLUSTER_BRIDGE.test(ifname) && ifname !== own ? [ifname] : []))
    .map(
      (link) =>
        `another cluster on this machine (its pods are on the link ${link}) may give its Services addresses out of ${services.join(', ')} as well: pods reach their own cluster's, the machine itself one of both; --service-cluster-ip-range gives others`,
    );
}

/** As `sayOverlaps`, of these routes. */
export function overlapsOf(
  routes: readonly Route[],
  ranges: { readonly [what: string]: readonly string[] },
  own: readonly string[],
): string[] {
  return Object.entries(ranges).flatMap(([what, texts]) =>
    texts.flatMap((text) =>
      routes
        .filter(({ dst = 'default', dev = '' }) => dst !== 'default' && !own.includes(dev) && overlaps(text, dst))
        .map(({ dst, dev }) => `the range of ${what}, ${text}, overlaps the machine's route to ${dst} over ${dev}`),
    ),
  );
}

function overlaps(a: string, b: string): boolean {
  const [first, second] = [ipRange(a), ipRange(b)];
  return first !== undefined && second !== undefined && doOverlap(first, second);
}
