import { ipRange, messageOf } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import { ADMIN, KUBE_PROXY } from '@binnacle/cluster/identities';
import { bridgeName } from '@binnacle/cluster/node/containerd-node';
import type { ControlPlane } from '@binnacle/cluster/node/control-plane';
import { isLoopbackHost } from '@binnacle/cluster/node/own-addresses';
import type { PolicyGate } from '@binnacle/cluster/node/policy-gate';
import type { NodeLayout } from '@binnacle/cluster/node/node-layout';
import { claimPodRanges, clusterRangeOf, startPodRoutes } from '@binnacle/cluster/node/pod-network';
import { neighbourDoors, portsOfDoors } from '@binnacle/cluster/node/proxy-modes';
import type { ProxyMode } from '@binnacle/cluster/node/proxy-modes';
import { usedPorts } from '@binnacle/cluster/node/used-ports';
import type { World } from '@binnacle/cluster/world';
import type { LoadBalancerOptions } from '@binnacle/controllers';
import type { Kubelet, KubeletConfig } from '@binnacle/kubelet';
import type { PodNetworkMode } from '@binnacle/network';
import { UsageError } from '../errors.ts';
import type { DataDir } from './data-dir.ts';
import { portOf } from './listen-address.ts';
import type { ListenAddress } from './listen-address.ts';
import type { Progress } from './progress.ts';
import { codeOf } from './record-file.ts';
import { dnsAddressOf, serviceRangesOf } from './service-ranges.ts';
import type { ServiceRangeFlags } from './service-ranges.ts';

/** What says how a node's Services are reached. */
export interface ServiceFlags extends ServiceRangeFlags {
  readonly runtime: string;
  readonly containerRuntimeEndpoint?: string;
  readonly listen: ListenAddress;
  readonly podNetwork?: PodNetworkMode;
  /** Pods' network is somebody else's. */
  readonly cniConfDir?: string;
  readonly dns: 'on' | 'off';
  /** Where names are answered beside the pods' network; with simulated nodes, the only place. */
  readonly dnsListen?: ListenAddress;
  /** Node ports and load balancers answer everybody, and not this machine, its pods and the cluster's nodes alone. */
  readonly expose?: boolean;
  readonly loadBalancer: 'on' | 'off';
  readonly proxyMode: ProxyMode;
  /** CIDRs; absent: load balancers have the node's address. */
  readonly loadBalancerPool?: readonly string[];
}

/** The pods of somebody else's CRI runtime are on somebody else's network, with a proxy of its own. */
function ownsNetwork({ runtime, containerRuntimeEndpoint }: ServiceFlags): boolean {
  return runtime === 'docker' || containerRuntimeEndpoint === undefined;
}

/** Whether node ports and load balancers answer everybody. */
export function isExposed({ expose, listen }: ServiceFlags): boolean {
  return expose === true || !isLoopbackHost(listen.host);
}

/** Whether pods of other machines are reached: by ways of ours, or of somebody else's plugin whose whole range is told. */
export function hasOtherMachines({ podNetwork, cniConfDir, clusterCidr }: ServiceFlags): boolean {
  return podNetwork !== undefined || (cniConfDir !== undefined && clusterCidr !== undefined);
}

/** Ranges of the pods of all machines, where there are several. */
export function clusterRangesOf({ clusterCidr, podCidr }: ServiceFlags): readonly string[] {
  return clusterCidr ?? podCidr.map(clusterRangeOf);
}

/** What kubelets tell their pods about names, where we answer for them. */
export function dnsForPods(flags: ServiceFlags): Partial<KubeletConfig> {
  return ownsNetwork(flags) && flags.dns === 'on' ? { clusterDNS: [dnsAddressOf(flags)] } : {};
}

/** Throws UsageError for flags of Services and names that say nothing that could be, or one thing and its reverse. */
export function refuseOddServices(flags: ServiceFlags): void {
  serviceRangesOf(flags);
  const { dns, dnsListen, loadBalancer, loadBalancerPool: pool } = flags;
  if (pool !== undefined && loadBalancer === 'off')
    throw new UsageError('--load-balancer=off and --load-balancer-pool exclude each other');
  const odd = pool?.find((text) => ipRange(text) === undefined);
  if (odd !== undefined) throw new UsageError(`--load-balancer-pool: ${odd} is no range of addresses`);
  if (dns === 'off' && dnsListen !== undefined) throw new UsageError('--dns=off and --dns-listen exclude each other');
}

/** Where load balancers have their addresses from, if not from somebody else. */
export function balancerSource(
  flags: ServiceFlags,
  of: {
    readonly dataDir: Pick<DataDir, 'containerd'>;
    readonly nodeName: string;
    readonly layout: NodeLayout | undefined;
  },
): { readonly loadBalancers?: LoadBalancerOptions } {
  const { loadBalancer, loadBalancerPool: pool } = flags;
  if (loadBalancer === 'off' || !ownsNetwork(flags)) return {};
  const doors = neighbourDoors(bridgeName(of.dataDir.containerd));
  const taken = async (): Promise<ReadonlySet<string>> =>
    new Set([...(await usedPorts()), ...portsOfDoors(await doors())]);
  const { nodeName, layout } = of;
  const gateway = layout === undefined ? {} : { gateway: { nodeName, guestRanges: layout.nodeRanges } };
  return { loadBalancers: { usedPorts: taken, ...gateway, ...(pool === undefined ? {} : { pool }) } };
}

/** Answers the cluster's names where `--dns-listen` says; the port, undefined without the flag. */
export async function openNames(
  { dnsListen }: ServiceFlags,
  of: {
    readonly clusterDomain: string;
    readonly plane: ControlPlane;
    readonly progress: Progress;
    readonly world: World;
    readonly scope: Scope;
  },
): Promise<number | undefined> {
  if (dnsListen === undefined) return undefined;
  const { plane, progress, ...rest } = of;
  const { startNameServer } = await import('@binnacle/cluster/node/name-server');
  const { port } = await startNameServer({ ...rest, ...dnsListen, clientAs: (user) => plane.clientAs(user) });
  progress.say(`names of the cluster are answered at ${dnsListen.host}:${port}`);
  return port;
}

/** Starts Services and names on this machine's node; where that fails, the cluster goes on without, and says so. */
export async function openNodeServices(
  flags: ServiceFlags,
  of: {
    readonly kubelet: Kubelet;
    /** Absent: this machine is the only node. */
    readonly layout?: NodeLayout | undefined;
    readonly clusterDomain: string;
    readonly dataDir: DataDir;
    readonly plane: ControlPlane;
    readonly progress: Progress;
    readonly world: World;
    readonly scope: Scope;
    /** What pods of this node wait for. */
    readonly policies: PolicyGate;
  },
): Promise<void> {
  const { kubelet, layout, clusterDomain, dataDir, plane, progress, world, scope, policies } = of;
  const { podNetwork } = flags;
  if (!ownsNetwork(flags)) return policies.open(undefined);
  try {
    await sayPodRanges(flags, { ...of, hasOthers: hasOtherMachines(flags) || layout !== undefined });
    const { startServiceNetwork } = await import('@binnacle/cluster/node/service-network');
    const proxy = await startServiceNetwork({
      nodeName: kubelet.nodeName,
      clientAs: (user) => plane.clientAs(user),
      bridge: bridgeName(dataDir.containerd),
      podCidrs: flags.podCidr,
      mode: flags.proxyMode,
      clusterDomain,
      names: flags.dns === 'on',
      say: (sentence) => progress.say(sentence),
      ...(flags.cniConfDir === undefined ? {} : { isOthersNetwork: true }),
      ...(hasOtherMachines(flags) ? { clusterRanges: clusterRangesOf(flags) } : {}),
      ...(flags.loadBalancerPool === undefined ? {} : { balancerPool: flags.loadBalancerPool }),
      ...(layout === undefined
        ? {}
        : {
            clusterRanges: layout.clusterRanges,
            nodeRanges: layout.nodeRanges,
            isGateway: true,
            apiPort: portOf(plane.url),
          }),
      exposed: isExposed(flags),
      policies,
      world,
      scope: scope.child('services'),
    });
    if (podNetwork !== undefined || layout !== undefined) {
      const client = plane.clientAs(KUBE_PROXY);
      startPodRoutes({
        client,
        nodeName: kubelet.nodeName,
        name: bridgeName(dataDir.containerd),
        mode: podNetwork ?? 'host-gw',
        ...(podNetwork === undefined && layout !== undefined ? { neighbours: layout.nodeRanges } : {}),
        world,
        scope,
      });
    }
    await proxy.whenTried();
    const { syncedAt, refused } = proxy.report;
    if (syncedAt === undefined) progress.say('Services are not reached: the log says why');
    else if (refused > 0) progress.say(`${refused} ports of Services are not reached: the log says why`);
  } catch (error) {
    world.log.error(error, 'Services and names are not there');
    progress.say(`Services and names do not work: ${messageOf(error)}`);
    policies.open(undefined);
  }
}

/**
 * Has the cluster know which pods are this node's: where there are others, they are found by it. A node that is alone may
 * have had another range before; that is told.
 */
async function sayPodRanges(
  { podCidr }: ServiceFlags,
  of: {
    readonly kubelet: Kubelet;
    readonly plane: ControlPlane;
    readonly progress: Progress;
    readonly hasOthers: boolean;
  },
): Promise<void> {
  try {
    await claimPodRanges(of.plane.clientAs(ADMIN), of.kubelet.nodeName, podCidr);
  } catch (error) {
    if (of.hasOthers || codeOf(error) !== 'bad-range') throw error;
    of.progress.say(`${messageOf(error)}: the node is to be deleted if others shall know`);
  }
}
