import type { Logger, Scope } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import type { UserInfo } from '@binnacle/machinery';
import { NftSession, toolRunner } from '@binnacle/network/nftables';
import type { NftablesOptions, RunTool } from '@binnacle/network/nftables';
import type { NodeRules, ServiceNetwork } from '@binnacle/network';
import { runProxy } from '@binnacle/proxy';
import type { RunningProxy } from '@binnacle/proxy';
import type { Upstream } from '@binnacle/dns';
import { keepDnsEndpoint } from '../dns-objects.ts';
import { ADMIN, KUBE_PROXY } from '../identities.ts';
import { serviceRangesTold } from '../service-ranges.ts';
import type { World } from '../world.ts';
import { announceBalancers, forgetBalancers } from './announce-addresses.ts';
import { acceptForwarding, forgetForwarding, openForwarding } from './forward-accept.ts';
import type { Passage } from './forward-accept.ts';
import { openHealthCheckPorts } from './health-check-ports.ts';
import { startNameServer } from './name-server.ts';
import { startPolicies, tablePolicies } from './node-policies.ts';
import type { PolicyGate } from './policy-gate.ts';
import { ensureLoneBridge, ensurePodBridge } from './pod-bridge.ts';
import { neighbourDoors, openProxyMode, removeOtherModes, sharesNames } from './proxy-modes.ts';
import type { ProxyMode } from './proxy-modes.ts';
import { CLUSTER_LINKS, linksOf, nodesLink, sayNeighbours, sayOverlaps, takenRanges } from './range-overlaps.ts';
import { guardRules } from './rule-guard.ts';
import { watchTables } from './table-watch.ts';

/** Services and names on a node that runs containers. */
export interface ServiceNetworkOptions {
  readonly nodeName: string;
  readonly clientAs: (user: UserInfo) => Client;
  /** The bridge of the node's pods, whose name our table has too; the same at `up` and `down`. */
  readonly bridge: string;
  /** Of this node's pods: one range of each family that they have. */
  readonly podCidrs: readonly string[];
  /** Somebody else's CNI plugin joins them, and sees to what they say to the world; the bridge is the name server's alone. */
  readonly isOthersNetwork?: boolean;
  readonly mode: ProxyMode;
  readonly clusterDomain: string;
  /** Node ports and load balancers answer everybody; else this machine, its pods and the cluster's nodes. */
  readonly exposed: boolean;
  /** False: somebody else answers for names. */
  readonly names: boolean;
  /** Addresses of the cluster's nodes on this machine: they are let in, and see pods' own addresses. */
  readonly nodeRanges?: readonly string[];
  /** All nodes' pods, where there are other nodes. */
  readonly clusterRanges?: readonly string[];
  /** Name servers to ask for others' names. Absent: the machine's. */
  readonly upstreams?: readonly Upstream[];
  /** The other nodes reach the world through this one. */
  readonly isGateway?: boolean;
  /** Where the API server listens on this machine, for those nodes. */
  readonly apiPort?: number;
  /** CIDRs of load balancers' addresses that this machine answers for. */
  readonly balancerPool?: readonly string[];
  /** Told who holds pods back, once that is known. */
  readonly policies?: PolicyGate;
  /** What people should know at the start, a sentence at a time. */
  readonly say: (sentence: string) => void;
  readonly world: World;
  readonly scope: Scope;
}

/** Upstream's `minSyncPeriod`; where a change is an element in a map, some milliseconds, as often as policies. */
const MIN_SYNC_MS = { nftables: 100, iptables: 1_000, ipvs: 1_000 };
/** Upstream's `iptables.masqueradeBit`. */
const MASQUERADE_BIT = 14;
const DNS_PORT = 53;

/** Starts the proxy, network policies, and the name server on the node's address among its pods. */
export async function startServiceNetwork(options: ServiceNetworkOptions): Promise<RunningProxy> {
  const { bridge, podCidrs, world, scope } = options;
  const run = toolRunner();
  await openForwarding(world.log, { six: podCidrs.some((range) => range.includes(':')) });
  const [gateway = ''] = await (options.isOthersNetwork === true ? ensureLoneBridge : ensurePodBridge)(
    run,
    bridge,
    podCidrs,
  );
  const eyes: Eyes = { look: () => Promise.resolve() };
  const watch = watchTables({ log: world.log, scope }, () => eyes.look());
  const driver = { name: bridge, run, log: world.log.named('proxy') };
  const session = openSession(options);
  const quietly: NftablesOptions['quietly'] = (work) => watch.quietly(work);
  const network = await openProxyMode(options.mode, { ...driver, session, quietly });
  if (sharesNames(options.mode)) await removeOtherModes(options.mode, driver);
  else scope.run('rules of other modes', () => removeOtherModes(options.mode, driver));
  const podRanges = podRangesOf(options);
  const services = (await serviceRangesTold(options.clientAs(ADMIN))) ?? [];
  const overlaps = await sayOverlaps(run, takenRanges(options, services), linksOf(bridge));
  for (const sentence of [...overlaps, ...(await sayNeighbours(run, services, bridge))]) {
    world.log.warn(sentence);
    options.say(sentence);
  }
  const rules: NodeRules = {
    podRanges,
    serviceRanges: services,
    links: { all: CLUSTER_LINKS, own: bridge },
    ...masqueradeOut(options),
    masqueradeAll: false,
    masqueradeBit: MASQUERADE_BIT,
    ...(options.exposed ? {} : { insiders: [...podRanges, ...(options.nodeRanges ?? [])] }),
  };
  const proxy = runProxy({
    client: options.clientAs(KUBE_PROXY),
    world: { ...world, log: world.log.named('proxy') },
    scope: scope.child('proxy'),
    network,
    nodeName: options.nodeName,
    rules,
    minSyncMs: MIN_SYNC_MS[options.mode],
    takenPorts: neighbourDoors(bridge),
    ...(options.isGateway === true ? { guestRanges: options.nodeRanges ?? [] } : {}),
    healthChecks: openHealthCheckPorts(scope),
  });
  await startGuards(options, { run, network, proxy, eyes, session });
  const { balancerPool: pool } = options;
  if (pool === undefined) await forgetBalancers(run, bridge);
  else await announceBalancers({ client: options.clientAs(KUBE_PROXY), world, scope, run, link: bridge, pool });
  if (options.names) await startDns(options, gateway, proxy);
  return proxy;
}

/** For small changes of Services and policies. */
function openSession({ world, scope }: ServiceNetworkOptions): NftSession {
  const session = new NftSession({ clock: world.clock, log: world.log });
  scope.defer(() => session.close());
  return session;
}

function podRangesOf({ podCidrs, clusterRanges }: ServiceNetworkOptions): readonly string[] {
  return clusterRanges ?? podCidrs;
}

/** One rule of our own for all pods, not CNI's for each: what pods say to the world is told from what they say to pods. */
function masqueradeOut(options: ServiceNetworkOptions): Pick<NodeRules, 'masqueradeOut'> {
  if (options.isOthersNetwork === true) return {};
  const all = [...podRangesOf(options), ...(options.nodeRanges ?? [])];
  return { masqueradeOut: { from: options.isGateway === true ? all : options.podCidrs, except: all } };
}

/** What is done when others may have had a hand in our rules. */
interface Eyes {
  look: () => Promise<void>;
}

/** Policies, and eyes upon what others do to our rules and to what they need. */
async function startGuards(
  options: ServiceNetworkOptions,
  by: {
    readonly run: RunTool;
    readonly network: ServiceNetwork;
    readonly proxy: RunningProxy;
    readonly eyes: Eyes;
    readonly session: NftSession;
  },
): Promise<void> {
  const { run, network, proxy, eyes, session } = by;
  const { bridge, world, scope } = options;
  const policies = tablePolicies({ bridge, log: world.log, session });
  const held = await startPolicies({ ...options, hasOtherMachines: hasOtherMachines(options) }, policies);
  options.policies?.open(held);
  const services = {
    isThere: () => network.isThere(),
    resync: () => proxy.resync(),
    lookAround: () => proxy.lookAround(),
  };
  const pods = { isThere: () => policies.isThere(), resync: () => held.resync() };
  const passage = passageOf(options);
  const each = (): Promise<void> => acceptForwarding(run, passage, world.log);
  // Pods are held back before they are led to each other.
  eyes.look = guardRules([pods, services], { clock: world.clock, scope, each });
}

/** Whether other nodes are elsewhere, and none on this machine. */
function hasOtherMachines({ clusterRanges, nodeRanges }: ServiceNetworkOptions): boolean {
  return clusterRanges !== undefined && nodeRanges === undefined;
}

/** What a firewall of the machine is to let through: this node's pods, other nodes on this machine, pods of other machines. */
function passageOf(options: ServiceNetworkOptions): Passage {
  const { bridge, clusterRanges = [], isGateway, apiPort } = options;
  // Which links its pods are behind, only their plugin knows.
  if (options.isOthersNetwork === true) return { name: bridge, links: [bridge], ranges: podRangesOf(options) };
  if (isGateway !== true)
    return { name: bridge, links: [bridge], ...(hasOtherMachines(options) ? { ranges: clusterRanges } : {}) };
  const link = nodesLink(bridge);
  const doors = [
    { protocol: 'udp', port: DNS_PORT },
    { protocol: 'tcp', port: DNS_PORT },
    ...(apiPort === undefined ? [] : [{ protocol: 'tcp', port: apiPort } as const]),
  ] as const;
  return { name: bridge, links: [bridge, link], asked: { link, doors } };
}

/** Takes the rules away that were left so that connections could go on, and pods be held back. */
export async function removeServiceNetwork(bridge: string, log: Logger): Promise<void> {
  await forgetForwarding(toolRunner(), bridge, log);
  await tablePolicies({ bridge, log }).remove();
  await removeOtherModes(undefined, { name: bridge, run: toolRunner(), log });
}

/** The address is the bridge's, which a neighbour of the machine reaches that routes pods by it. */
async function startDns(options: ServiceNetworkOptions, gateway: string, proxy: RunningProxy): Promise<void> {
  const { clientAs, nodeName, world, scope } = options;
  await startNameServer({ ...options, host: gateway, port: DNS_PORT, insiders: () => proxy.insiders });
  await keepDnsEndpoint({ admin: clientAs(ADMIN), world, scope }, { nodeName, address: gateway });
}
