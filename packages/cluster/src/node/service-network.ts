import { writeFile } from 'node:fs/promises';
import { NODES, SERVICE_CIDRS } from '@binnacle/api';
import { messageOf } from '@binnacle/base';
import type { Logger, Scope } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import { ClusterZone, followCluster, Forwarder, Resolver } from '@binnacle/dns';
import { listenDns, machineServers, networkExchange } from '@binnacle/dns/node';
import type { UserInfo } from '@binnacle/machinery';
import { NftablesNetwork, toolRunner } from '@binnacle/network/nftables';
import type { NodeRules } from '@binnacle/network';
import { runProxy } from '@binnacle/proxy';
import type { RunningProxy } from '@binnacle/proxy';
import { DNS, DNS_ADDRESS, ensureDnsObjects, publishDnsEndpoint } from '../dns-objects.ts';
import { ADMIN, KUBE_PROXY } from '../identities.ts';
import type { World } from '../world.ts';
import { ensurePodBridge } from './pod-bridge.ts';
import { watchTables } from './table-watch.ts';

/** Services and names on a node that runs containers. */
export interface ServiceNetworkOptions {
  readonly nodeName: string;
  readonly clientAs: (user: UserInfo) => Client;
  /** The bridge of the node's pods, whose name our table has too; the same at `up` and `down`. */
  readonly bridge: string;
  readonly podCidr: string;
  readonly clusterDomain: string;
  /** Node ports and load balancers answer everybody; else this machine, its pods and the cluster's nodes. */
  readonly exposed: boolean;
  readonly world: World;
  readonly scope: Scope;
}

/** Upstream's `minSyncPeriod`. */
const MIN_SYNC_MS = 1_000;
/** Upstream's `iptables.masqueradeBit`. */
const MASQUERADE_BIT = 14;
const DNS_PORT = 53;
/** Seconds that an answer about the cluster may be kept, as upstream's Corefile says. */
const DNS_TTL = 30;

/** Starts the proxy, and the name server on the node's address among its pods. */
export async function startServiceNetwork(options: ServiceNetworkOptions): Promise<RunningProxy> {
  const { bridge, podCidr, world, scope } = options;
  const run = toolRunner();
  await openForwarding(world.log);
  const gateway = await ensurePodBridge(run, bridge, podCidr);
  const network = new NftablesNetwork({
    table: bridge,
    families: ['IPv4', 'IPv6'],
    run,
    log: world.log.named('proxy'),
  });
  const rules: NodeRules = {
    podRanges: [podCidr],
    serviceRanges: await serviceRanges(options.clientAs(ADMIN)),
    masqueradeAll: false,
    masqueradeBit: MASQUERADE_BIT,
    ...(options.exposed ? {} : { insiders: [podCidr] }),
  };
  const proxy = runProxy({
    client: options.clientAs(KUBE_PROXY),
    world: { ...world, log: world.log.named('proxy') },
    scope: scope.child('proxy'),
    network,
    nodeName: options.nodeName,
    rules,
    minSyncMs: MIN_SYNC_MS,
  });
  watchTables({ log: world.log, scope }, async () => {
    if (!(await network.isThere())) proxy.resync();
  });
  await startDns(options, gateway);
  return proxy;
}

/** Takes the rules away that a proxy left, so that connections could go on. */
export async function removeServiceNetwork(bridge: string, log: Logger): Promise<void> {
  const network = new NftablesNetwork({ table: bridge, families: ['IPv4', 'IPv6'], run: toolRunner(), log });
  await network.remove();
}

async function startDns(options: ServiceNetworkOptions, gateway: string): Promise<void> {
  const { clientAs, clusterDomain, nodeName, world, scope } = options;
  const log = world.log.named('dns');
  const own = { host: gateway, port: DNS_PORT };
  const machine = { upstreams: await machineServers(log, own), stubs: new Map() };
  const serial = Math.floor(world.clock.now() / 1000);
  const zone = new ClusterZone({ domain: clusterDomain, ttl: DNS_TTL, serial, addresses: [DNS_ADDRESS] });
  const forwarder = new Forwarder({ exchange: networkExchange, clock: world.clock, random: world.random, log });
  forwarder.configure(machine);
  const resolver = new Resolver({ zone, forwarder, random: world.random, log });
  const configure = forwarder.configure.bind(forwarder);
  const dnsScope = scope.child('dns');
  await ensureDnsObjects(clientAs(ADMIN));
  await followCluster({ client: clientAs(DNS), world: { ...world, log }, scope: dnsScope, zone, machine, configure });
  const listener = await listenDns({ resolver, ...own, log });
  dnsScope.defer(() => listener.close());
  dnsScope.run('loop probe', () => resolver.probeLoop());
  const { metadata } = await clientAs(ADMIN).resource(NODES).get(nodeName);
  await publishDnsEndpoint(clientAs(ADMIN), { nodeName, nodeUid: metadata.uid ?? '', address: gateway });
}

/** What ClusterIPs are given out of, all of them. */
async function serviceRanges(admin: Client): Promise<readonly string[]> {
  const { items } = await admin.resource(SERVICE_CIDRS).list();
  return items.flatMap(({ spec }) => spec?.cidrs ?? []);
}

/** Packets between pods pass our rules only if the bridge shows them; the module may not be there. */
async function openForwarding(log: Logger): Promise<void> {
  const wanted = ['net/ipv4/ip_forward', 'net/ipv6/conf/all/forwarding', 'net/bridge/bridge-nf-call-iptables'];
  for (const name of wanted) {
    try {
      await writeFile(`/proc/sys/${name}`, '1');
    } catch (error) {
      log.warn('a setting of the kernel that Services need cannot be made', { name, reason: messageOf(error) });
    }
  }
}
