import type { Scope } from '@binnacle/base';
import { createClient } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { KUBE_PROXY } from '@binnacle/cluster/identities';
import { bridgeName } from '@binnacle/cluster/node/containerd-node';
import { startPodRoutes } from '@binnacle/cluster/node/pod-network';
import type { PolicyGate } from '@binnacle/cluster/node/policy-gate';
import type { ProxyMode } from '@binnacle/cluster/node/proxy-modes';
import type { World } from '@binnacle/cluster/world';
import type { UserInfo } from '@binnacle/machinery';
import { UsageError } from '../errors.ts';
import type { DataDir } from './data-dir.ts';
import { openWire } from './open-wire.ts';
import type { Progress } from './progress.ts';
import { readRecord, writePrivateFile } from './record-file.ts';

/** What a further node of this machine is told by the process that started it, in a file of its own. */
export interface NodeNetwork {
  /** All nodes' pods. */
  readonly clusterRanges: readonly string[];
  readonly nodeRanges: readonly string[];
  readonly cgroupRoot: string;
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  readonly names: boolean;
  readonly exposed: boolean;
  readonly proxyMode: ProxyMode;
  /** The name server that knows others' names. */
  readonly upstream: string;
  /** Kubeconfigs by the user they speak as. */
  readonly users: { readonly [name: string]: string };
}

const DNS_PORT = 53;

export function writeNodeNetwork(path: string, network: NodeNetwork): void {
  writePrivateFile(path, `${JSON.stringify(network)}\n`);
}

/** Reads what `writeNodeNetwork` wrote. Throws UsageError. */
export function readNodeNetwork(path: string): NodeNetwork {
  const found = readRecord(path);
  if (found === undefined || !Array.isArray(found['nodeRanges'])) throw new UsageError(`${path} tells of no network`);
  return found as unknown as NodeNetwork;
}

/** Services, policies and names on a further node of this machine. */
export async function openNodeNetwork(
  network: NodeNetwork,
  of: {
    readonly nodeName: string;
    readonly podCidrs: readonly string[];
    readonly dataDir: DataDir;
    readonly progress: Progress;
    readonly world: World;
    readonly scope: Scope;
    /** What pods of this node wait for. */
    readonly policies: PolicyGate;
  },
): Promise<void> {
  const { dataDir, progress, world, scope, policies } = of;
  const clients = new Map<string, Client>();
  for (const [name, kubeconfig] of Object.entries(network.users)) {
    const wire = await openWire(kubeconfig, scope, { userAgent: 'binnacle-node', log: world.log });
    clients.set(name, createClient(wire));
  }
  const clientAs = ({ name }: UserInfo): Client => {
    const client = clients.get(name);
    if (client === undefined) throw new UsageError(`no access was given to this node as ${name}`);
    return client;
  };
  const { startServiceNetwork } = await import('@binnacle/cluster/node/service-network');
  const bridge = bridgeName(dataDir.containerd);
  const neighbours = network.nodeRanges;
  startPodRoutes({
    client: clientAs(KUBE_PROXY),
    nodeName: of.nodeName,
    name: bridge,
    mode: 'host-gw',
    neighbours,
    world,
    scope,
  });
  const proxy = await startServiceNetwork({
    nodeName: of.nodeName,
    podCidrs: of.podCidrs,
    bridge,
    clientAs,
    clusterDomain: network.clusterDomain,
    names: network.names,
    exposed: network.exposed,
    mode: network.proxyMode,
    clusterRanges: network.clusterRanges,
    nodeRanges: network.nodeRanges,
    upstreams: [{ host: network.upstream, port: DNS_PORT }],
    say: (sentence) => progress.say(sentence),
    policies,
    world,
    scope: scope.child('services'),
  });
  await proxy.whenTried();
}
