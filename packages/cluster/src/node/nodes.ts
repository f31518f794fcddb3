import { join } from 'node:path';
import type { Scope } from '@binnacle/base';
import { createHttpCaller } from '@binnacle/base/node';
import { createEventRecorder } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import {
  createApiPodSource,
  createFileSource,
  createImageCredentials,
  createKubelet,
  createObjectReader,
  createUrlSource,
  kubeletConfig,
} from '@binnacle/kubelet';
import type {
  CredentialProvider,
  HostFiles,
  ImageCredentials,
  Kubelet,
  KubeletConfig,
  LogFiles,
  PodPolicies,
  PodSource,
  ShutdownWatch,
  UrlSourceOptions,
} from '@binnacle/kubelet';
import {
  createHostFiles,
  createLogindWatch,
  createPluginWire,
  nodeNetworkProbe,
  readMachine,
  runCredentialProvider,
  serveLocalSocket,
} from '@binnacle/kubelet/node';
import type { Runtime } from '@binnacle/runtime';
import type { World } from '../world.ts';
import { localSocketPath } from './socket-path.ts';

/** A container starts before it is told that it does. */
const EVENT_DELAY_MS = 20;

/** Programs that know who may pull what. */
export interface CredentialPrograms {
  readonly providers: readonly CredentialProvider[];
  /** The folder where they are. */
  readonly binDirectory: string;
  /** What they are started with. */
  readonly environment: { readonly [name: string]: string };
}

/** One node of this process: its kubelet, and what that works with. */
export interface NodeOptions {
  readonly nodeName: string;
  /** One of a family, the first is its own; absent: that of the way out. */
  readonly nodeIps?: readonly string[];
  /** The node has an address of IPv6 too, if the machine has. */
  readonly hasBothFamilies?: boolean;
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
  /** A server that has static pods, asked every `periodMs`. */
  readonly manifestServer?: Pick<UrlSourceOptions, 'url' | 'headers' | 'periodMs'>;
  readonly config?: Partial<KubeletConfig>;
  /** What the process was started with, for `/flagz`, by the flags' names. Absent: it is not told. */
  readonly flags?: ReadonlyMap<string, string>;
  /** Absent: the node knows nothing about who may pull what. */
  readonly credentialProviders?: CredentialPrograms;
  /** What pods wait for before they begin. */
  readonly policies?: PodPolicies;
  /** Opens the kubelet's port; awaited before the node registers, so that nobody is sent to a port that is not open. */
  readonly serve?: (kubelet: Kubelet) => Promise<void>;
  readonly world: World;
  readonly scope: Scope;
}

function credentialsOf({ credentialProviders, world }: NodeOptions): { readonly imageCredentials?: ImageCredentials } {
  if (credentialProviders === undefined) return {};
  const { providers, binDirectory, environment } = credentialProviders;
  const run = (provider: CredentialProvider, input: string): Promise<string> =>
    runCredentialProvider({ path: join(binDirectory, provider.name), provider, input, environment });
  return { imageCredentials: createImageCredentials({ providers, run, clock: world.clock, log: world.log }) };
}

/** Shutdowns are told of by the machine's login manager, by its own programs. */
function shutdownsOf({ world: { clock, log } }: NodeOptions): { readonly shutdownWatch: ShutdownWatch } {
  const environment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
  return { shutdownWatch: createLogindWatch({ clock, log: log.named('shutdown'), environment }) };
}

/** Where its pods come from. */
function sourcesOf(options: NodeOptions, files: HostFiles): readonly PodSource[] {
  const { world, scope, client, manifests, manifestServer } = options;
  const { clock } = world;
  const log = world.log.named('kubelet');
  const sources: PodSource[] = [];
  if (manifests !== undefined) sources.push(createFileSource({ path: manifests, files, clock, log }));
  if (manifestServer !== undefined) {
    const http = createHttpCaller();
    scope.defer(() => http.close());
    sources.push(createUrlSource({ ...manifestServer, http, clock, log }));
  }
  if (client !== undefined) sources.push(createApiPodSource(client, { ...world, log }, scope));
  return sources;
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
  const sources = sourcesOf(options, files);
  const machine = await readMachine({
    rootDirectory: options.directory,
    hostname: options.nodeName,
    runsPods: options.isReal,
    resolvConf: config.resolvConf,
    ...(options.nodeIps === undefined ? {} : { nodeIPs: options.nodeIps }),
    ...(options.hasBothFamilies === undefined ? {} : { hasBothFamilies: options.hasBothFamilies }),
  });
  const kubelet = createKubelet({
    config,
    runtime,
    sources,
    ...(options.isReal
      ? { files, network: nodeNetworkProbe, plugins: createPluginWire(scope), ...shutdownsOf(options) }
      : {}),
    ...credentialsOf(options),
    ...(runtime.logs === undefined ? {} : { logs: runtime.logs }),
    ...(options.flags === undefined ? {} : { flags: options.flags }),
    ...(options.policies === undefined ? {} : { policies: options.policies }),
    machine,
    ...(client === undefined
      ? {}
      : {
          client,
          events: createEventRecorder({
            delayMs: EVENT_DELAY_MS,
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
    ...(world.trace === undefined ? {} : { trace: world.trace }),
    ...(world.gate === undefined ? {} : { gate: world.gate }),
    scope,
  });
  await serveLocalSocket({
    kubelet,
    path: localSocketPath(options.directory),
    clock: world.clock,
    log: clientWorld.log,
    scope,
  });
  await options.serve?.(kubelet);
  kubelet.start();
  return kubelet;
}
