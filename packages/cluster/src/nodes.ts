import { join } from 'node:path';
import { isNodeReady, NODES } from '@binnacle/api';
import type { Scope } from '@binnacle/base';
import { createEventRecorder } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import {
  createApiPodSource,
  createFileSource,
  createKubelet,
  createObjectReader,
  kubeletConfig,
  startNodeFleet,
} from '@binnacle/kubelet';
import type { Kubelet, KubeletConfig, LogFiles, PodSource } from '@binnacle/kubelet';
import { createHostFiles, nodeNetworkProbe, readMachine } from '@binnacle/kubelet/node';
import type { Runtime } from '@binnacle/runtime';
import { createSimulatedRuntime } from '@binnacle/runtime/simulated';
import type { World } from './control-plane.ts';

export interface NodeOptions {
  readonly nodeName: string;
  readonly nodeIp?: string;
  /** A simulated one brings its containers' logs. */
  readonly runtime: Runtime & { readonly logs?: LogFiles };
  /** Its containers run: they read volumes and answer probes. Those of a simulated runtime do neither. */
  readonly isReal: boolean;
  /** Absent: no API server; static pods only. */
  readonly client?: Client;
  /** The kubelet's own folder. */
  readonly directory: string;
  /** Folder of static pods. */
  readonly manifests?: string;
  readonly config?: Partial<KubeletConfig>;
  /** Opens the kubelet's port; awaited before the node registers, so that nobody is sent to a port that is not open. */
  readonly serve?: (kubelet: Kubelet) => Promise<void>;
  readonly world: World;
  readonly scope: Scope;
}

/** Starts the kubelet of this machine. */
export async function startNode(options: NodeOptions): Promise<Kubelet> {
  const { world, scope, client, runtime } = options;
  const clientWorld = { ...world, log: world.log.named('kubelet') };
  const config = kubeletConfig({
    rootDirectory: options.directory,
    podLogsDirectory: join(options.directory, 'logs'),
    ...options.config,
    nodeName: options.nodeName,
  });
  const files = createHostFiles({ roots: [config.rootDirectory, config.podLogsDirectory] });
  const sources: PodSource[] = [];
  if (options.manifests !== undefined) {
    sources.push(createFileSource({ path: options.manifests, files, clock: world.clock, log: clientWorld.log }));
  }
  if (client !== undefined) sources.push(createApiPodSource(client, clientWorld, scope));
  const machine = await readMachine({
    rootDirectory: options.directory,
    hostname: options.nodeName,
    ...(options.nodeIp === undefined ? {} : { nodeIP: options.nodeIp }),
  });
  const kubelet = createKubelet({
    config,
    runtime,
    sources,
    ...(options.isReal ? { files, network: nodeNetworkProbe } : {}),
    ...(runtime.logs === undefined ? {} : { logs: runtime.logs }),
    machine,
    ...(client === undefined
      ? {}
      : {
          client,
          events: createEventRecorder({
            client,
            world: clientWorld,
            component: 'kubelet',
            host: options.nodeName,
            scope,
          }),
          objects: createObjectReader(client, clientWorld, scope),
        }),
    clock: world.clock,
    random: world.random,
    log: clientWorld.log,
    scope,
  });
  await options.serve?.(kubelet);
  kubelet.start();
  return kubelet;
}

export interface SimulatedNodesOptions {
  readonly count: number;
  readonly namePrefix?: string;
  readonly client: Client;
  readonly world: World;
  readonly scope: Scope;
}

/** Pod addresses of a simulated node: a /24 of 10.64.0.0/10 each. */
function podRange(index: number): string {
  return `10.${64 + (index >> 8)}.${index & 0xff}.0/24`;
}

/** Starts simulated nodes: real kubelets over runtimes in which nothing runs. */
export function startSimulatedNodes(options: SimulatedNodesOptions): readonly Kubelet[] {
  const { world, scope, client } = options;
  const clientWorld = { ...world, log: world.log.named('kubelet') };
  return startNodeFleet({
    count: options.count,
    ...(options.namePrefix === undefined ? {} : { namePrefix: options.namePrefix }),
    client,
    runtime: (_name, index) =>
      createSimulatedRuntime({ clock: world.clock, random: world.random, podRange: podRange(index) }),
    events: createEventRecorder({ client, world: clientWorld, component: 'kubelet', scope }),
    objects: createObjectReader(client, clientWorld, scope),
    clock: world.clock,
    random: world.random,
    log: clientWorld.log,
    scope,
  }).kubelets;
}

/** Resolves when all nodes named are Ready in the API. A single node is asked for by name: a kubelet may read no other. */
export function untilNodesReady(client: Client, names: readonly string[], signal: AbortSignal): Promise<void> {
  const waiting = new Set(names);
  return new Promise((resolve, reject) => {
    if (waiting.size === 0) {
      resolve();
      return;
    }
    const handle = client.resource(NODES).watch(
      { resourceVersion: '0', ...(names.length === 1 ? { fieldSelector: `metadata.name=${names[0]}` } : {}) },
      {
        events(batch) {
          for (const { object } of batch) {
            if (isNodeReady(object)) waiting.delete(object.metadata.name ?? '');
          }
          if (waiting.size > 0) return;
          handle.stop();
          resolve();
        },
        end: (error) => {
          if (error !== undefined) reject(error);
        },
      },
      { signal },
    );
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
