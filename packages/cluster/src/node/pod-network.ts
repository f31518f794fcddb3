import { formatRange, ipRange, messageOf, networkBytes } from '@binnacle/base';
import type { Logger, Scope } from '@binnacle/base';
import { NODES } from '@binnacle/api';
import { timedCause } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { wrappingFor } from '@binnacle/network';
import type { PodNetworkMode } from '@binnacle/network';
import { PodLinks } from '@binnacle/network/pod-links';
import { toolRunner } from '@binnacle/network/nftables';
import type { RunTool } from '@binnacle/network/nftables';
import { runPodRoutes } from '@binnacle/proxy';
import type { RunningPodRoutes } from '@binnacle/proxy';
import { ClusterError } from '../errors.ts';
import type { World } from '../world.ts';

/** How pods of other machines are reached. */
export const POD_NETWORK_MODES = ['host-gw', 'vxlan'] as const;

/** Nodes come together. */
const MIN_SYNC_MS = 500;

/**
 * Bytes of a packet of pods at the most: as on the link of the machine's default route, less what wrapping takes. Undefined
 * where there is no such route, or nothing to be known: links are made as the machine makes them.
 */
export async function findPodMtu(
  run: RunTool,
  pods: { readonly mode: PodNetworkMode | undefined; readonly podCidrs: readonly string[] },
  log: Logger,
): Promise<number | undefined> {
  try {
    const [route] = JSON.parse((await run(['ip', '-j', 'route', 'show', 'default'])) || '[]') as readonly {
      dev?: string;
    }[];
    if (route?.dev === undefined) return undefined;
    const [link] = JSON.parse(await run(['ip', '-j', 'link', 'show', 'dev', route.dev])) as readonly { mtu?: number }[];
    if (link?.mtu === undefined) return undefined;
    return pods.mode === 'vxlan' ? link.mtu - wrappingFor(pods.podCidrs) : link.mtu;
  } catch (error) {
    log.warn('how large packets may be is not known: links of pods are as the machine makes them', {
      reason: messageOf(error),
    });
    return undefined;
  }
}

/**
 * Has the cluster know which pods are this node's, for those that look for ways to them. Throws ClusterError where it knows
 * them as others.
 */
export async function claimPodRanges(client: Client, nodeName: string, podCidrs: readonly string[]): Promise<void> {
  const nodes = client.resource(NODES);
  const { spec } = await nodes.get(nodeName);
  const known = spec?.podCIDRs ?? [];
  if (known.join() === podCidrs.join()) return;
  if (known.length > 0) {
    const whose = `the pods of node ${nodeName} are ${known.join(', ')} in the cluster`;
    throw new ClusterError('bad-range', `${whose}, and --pod-cidr says ${podCidrs.join(', ')}`);
  }
  const patch = { spec: { podCIDR: podCidrs[0], podCIDRs: podCidrs } };
  await nodes.patch(nodeName, 'merge', patch, undefined, { cause: timedCause('binnacle', `pods of node ${nodeName}`) });
}

/** All nodes' pods, where nobody says: of IPv4 the sixteen bits that this node's begin with. Throws ClusterError. */
export function clusterRangeOf(podCidr: string): string {
  const range = ipRange(podCidr);
  if (range === undefined) throw new ClusterError('bad-range', `${podCidr} is no range of addresses`);
  const bits = Math.min(range.bits, range.bytes.length === 4 ? 16 : 48);
  return formatRange({ bytes: networkBytes({ ...range, bits }), bits });
}

/** Takes the ways away that were left so that connections could go on; `name` as they were started with. */
export function removePodLinks(name: string): Promise<void> {
  return new PodLinks({ name, mode: 'vxlan', run: toolRunner() }).remove();
}

/** Keeps the ways from this machine's pods to those of all other nodes. */
export function startPodRoutes(of: {
  readonly client: Client;
  readonly nodeName: string;
  /** Of the tunnel's link: nobody else's on this machine. */
  readonly name: string;
  readonly mode: PodNetworkMode;
  /** CIDRs of nodes that are gone to so; others are where the machine's own ways lead. Absent: all. */
  readonly neighbours?: readonly string[];
  readonly world: World;
  readonly scope: Scope;
}): RunningPodRoutes {
  const { client, nodeName, name, mode, world, scope } = of;
  const log = world.log.named('pod routes');
  return runPodRoutes({
    client,
    world: { ...world, log },
    scope: scope.child('pod routes'),
    network: new PodLinks({ name, mode, run: toolRunner() }),
    mode,
    ...(of.neighbours === undefined ? {} : { neighbours: of.neighbours }),
    nodeName,
    minSyncMs: MIN_SYNC_MS,
  });
}
