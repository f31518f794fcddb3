import { createApiServer, createPolicy, createSecretTokenSigner } from '@binnacle/apiserver';
import type { ApiServer, TokenKeys } from '@binnacle/apiserver';
import type { Scope } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import type { UserInfo } from '@binnacle/machinery';
import { createMemoryStore } from '@binnacle/store';
import type { Store } from '@binnacle/store';
import { ComponentHealth } from './component-health.ts';
import { clientsOf } from './client-as.ts';
import { startComponents } from './components.ts';
import { NODE_FLEET } from './identities.ts';
import { LocalNodes, NO_OTHER_NODES } from './local-nodes.ts';
import { startLocalStorage } from './local-storage.ts';
import { startSimulatedNodes } from './simulated-nodes.ts';
import type { World } from './world.ts';

/** What a whole cluster without a machine is made of. */
export interface SimulatedClusterOptions {
  readonly world: World;
  /** The cluster stops with it. */
  readonly scope: Scope;
  /** Signs ServiceAccount tokens. */
  readonly tokenKeys: TokenKeys;
  /** How many simulated nodes. */
  readonly nodes: number;
  /** Stays the caller's; absent: one in memory, of the cluster's own. */
  readonly store?: Store;
  /** PEM that every namespace's `kube-root-ca.crt` shows. Nobody serves TLS here. */
  readonly rootCA?: string;
  /** Whether the API server remembers who did what and why. Absent: it does. */
  readonly trace?: boolean;
  /** Whether people with the right may hold components. Absent: nobody may. */
  readonly pauses?: boolean;
  /** Freezes cached objects, so that a write into one fails loudly. Default true. */
  readonly assertions?: boolean;
}

/** A cluster in memory; everybody speaks to it in process. */
export interface SimulatedCluster {
  readonly server: ApiServer;
  readonly store: Store;
  readonly nodeNames: readonly string[];
  clientAs(user: UserInfo): Client;
}

/** Where the API server would listen, if it did (RFC 5737). */
const ADDRESS = { addresses: ['192.0.2.1'], port: 443 };

/** Where a node's volumes would be, if it had a disk. */
const VOLUMES = '/var/lib/binnacle/local-path';

/**
 * API server, controllers, scheduler and simulated kubelets over a store in memory: time, chance and keys are the
 * caller's, and nothing else of a machine is touched. The same seed makes the same cluster, write by write; it runs
 * in a browser tab too.
 */
export async function startSimulatedCluster(options: SimulatedClusterOptions): Promise<SimulatedCluster> {
  const { scope, tokenKeys, rootCA = '' } = options;
  const { clock, random, log } = options.world;
  const store = options.store ?? createMemoryStore({ clock, log: log.named('store') });
  if (options.store === undefined) scope.defer(() => store.close());
  const nodes = new LocalNodes(clock, NO_OTHER_NODES);
  const health = new ComponentHealth();
  const server = await createApiServer({
    store,
    clock,
    random,
    log: log.named('apiserver'),
    policy: (policyWorld) => createPolicy(policyWorld, { tokenKeys, clientCa: rootCA }),
    nodes,
    healthChecks: health.checks,
    components: health.components,
    ...(options.trace === undefined ? {} : { trace: options.trace }),
    pauses: options.pauses ?? false,
    assertions: options.assertions ?? true,
  });
  scope.defer(() => server.close());
  const world = { ...options.world, trace: server.trace, gate: server.gate, queues: server.queues };
  await server.bootstrap(ADDRESS);
  const clientAs = clientsOf(server, world);
  const access = { server, clientAs, rootCA, signToken: createSecretTokenSigner(tokenKeys) };
  const { controllers } = startComponents(access, world, { scope });
  health.watch(controllers);
  const kubelets = startSimulatedNodes({
    count: options.nodes,
    client: clientAs(NODE_FLEET),
    world,
    scope: scope.child('nodes'),
  });
  for (const kubelet of kubelets) nodes.add(kubelet, { simulated: true });
  const names = new Set(kubelets.map(({ nodeName }) => nodeName));
  await startLocalStorage({ clientAs, world, scope, root: VOLUMES, isOurNode: (name) => names.has(name) });
  return { server, store, nodeNames: kubelets.map(({ nodeName }) => nodeName), clientAs };
}
