import { hostname } from 'node:os';
import { type Scope, validHostName } from '@binnacle/base';
import { NODE_FLEET, nodeIdentity } from '@binnacle/cluster/identities';
import type { NodeRuntime } from '@binnacle/cluster/node/containerd-node';
import type { ControlPlane } from '@binnacle/cluster/node/control-plane';
import { startNode } from '@binnacle/cluster/node/nodes';
import { isLoopbackHost } from '@binnacle/cluster/node/own-addresses';
import type { PolicyGate } from '@binnacle/cluster/node/policy-gate';
import { startSimulatedNodes } from '@binnacle/cluster/simulated-nodes';
import type { World } from '@binnacle/cluster/world';
import type { Kubelet } from '@binnacle/kubelet';
import { UsageError } from '../errors.ts';
import { hasIPv6 } from './address-families.ts';
import { credentialProviders } from './credential-providers.ts';
import type { DataDir } from './data-dir.ts';
import { chosen, gatesOf } from './feature-choice.ts';
import type { FeatureFlags } from './feature-choice.ts';
import { readKubeletConfig, withFlags } from './kubelet-config.ts';
import type { KubeletFile } from './kubelet-config.ts';
import { shownFlags } from './shown-flags.ts';
import { dnsForPods } from './node-services.ts';
import type { ServiceFlags } from './node-services.ts';

/** What says how the nodes of this process are. */
export interface OwnNodeFlags extends FeatureFlags, ServiceFlags {
  /** How many, where they are simulated. */
  readonly nodes: number;
  readonly nodeName?: string;
  readonly nodeIp?: readonly string[];
  readonly podManifestPath?: string;
  readonly kubeletPort?: number;
  /** Milliseconds; wins over the file. */
  readonly nodeStatusUpdateFrequency?: number;
  readonly config?: string;
  /** Folder of further ones, over it. */
  readonly configDir?: string;
  /** CredentialProviderConfig, and the folder of the programs that it names. */
  readonly imageCredentialProviderConfig?: string;
  readonly imageCredentialProviderBinDir?: string;
}

/** What files say of the machine's own node. */
export interface OwnNodeFiles {
  readonly kubelet: KubeletFile;
  readonly credentials: Awaited<ReturnType<typeof credentialProviders>>;
}

/** What they are started with. */
export interface OwnNodesInput {
  readonly options: OwnNodeFlags;
  readonly files: OwnNodeFiles;
  readonly dataDir: DataDir;
  readonly plane: ControlPlane;
  readonly world: World;
  readonly scope: Scope;
  /** Absent: they are simulated. */
  readonly runtime: NodeRuntime | undefined;
  readonly policies: PolicyGate;
}

export interface OwnNodes {
  readonly names: readonly string[];
  /** Of this machine; simulated nodes have no port. */
  readonly kubelet?: Kubelet;
  readonly clusterDomain?: string;
}

/** What the machine's own node is called. */
export function ownNodeName({ nodeName }: Pick<OwnNodeFlags, 'nodeName'>): string {
  return (nodeName ?? validHostName(hostname())).toLowerCase();
}

/** Reads what the flags name. Throws UsageError for what is wrong with it. */
export async function readOwnNodeFiles(options: OwnNodeFlags): Promise<OwnNodeFiles> {
  const kubelet = await readKubeletConfig(options.config, options.configDir);
  const { server } = kubelet;
  if (server !== undefined) {
    const fields = Object.keys(server).join(', ');
    throw new UsageError(
      `of its own port the kubelet of \`up\` takes nothing from a file: ${fields}; see --kubelet-port`,
    );
  }
  return { kubelet, credentials: await credentialProviders(options) };
}

/** Starts the nodes; the API server asks them without a socket. */
export async function startOwnNodes(of: OwnNodesInput): Promise<OwnNodes> {
  const { options, files, dataDir, plane, world, scope, runtime, policies } = of;
  if (runtime === undefined) {
    const client = plane.clientAs(NODE_FLEET);
    const kubelets = startSimulatedNodes({
      count: options.nodes,
      client,
      config: { featureGates: chosen(gatesOf(options)) },
      flags: shownFlags(options),
      world,
      scope: scope.child('nodes'),
    });
    for (const kubelet of kubelets) plane.nodes.add(kubelet, { simulated: true });
    return { names: kubelets.map((k) => k.nodeName) };
  }
  const nodeName = ownNodeName(options);
  const { kubelet: file, credentials } = files;
  const manifests = options.podManifestPath ?? file.staticPodPath;
  const nodeScope = scope.child('node');
  nodeScope.defer(() => runtime.runtime.close());
  const kubelet = await startNode({
    nodeName,
    ...(options.nodeIp === undefined ? {} : { nodeIps: options.nodeIp }),
    hasBothFamilies: hasIPv6(options.podCidr),
    runtime: runtime.runtime,
    isReal: true,
    client: plane.clientAs(nodeIdentity(nodeName)),
    directory: dataDir.kubelet,
    ...(manifests === undefined ? {} : { manifests }),
    ...(file.staticPodURL === undefined ? {} : { manifestServer: file.staticPodURL }),
    ...credentials,
    config: { ...dnsForPods(options), ...withFlags(file.config, options, gatesOf(options)) },
    flags: shownFlags(options),
    policies,
    world,
    scope: nodeScope,
  });
  plane.nodes.add(kubelet);
  const { clusterDomain = 'cluster.local' } = file.config;
  return { names: [nodeName], kubelet, clusterDomain };
}

/** The port is for others than our own API server, which never waits for it: loopback unless the cluster is open. */
export async function openKubeletPort(of: {
  readonly options: OwnNodeFlags;
  readonly plane: ControlPlane;
  readonly world: World;
  readonly scope: Scope;
  readonly kubelet: Kubelet;
}): Promise<void> {
  const { options, plane, world, scope, kubelet } = of;
  const { serveNode, servingSubject } = await import('@binnacle/cluster/node/kubelet-server');
  const { nodeName } = kubelet;
  await serveNode({
    kubelet,
    client: plane.clientAs(nodeIdentity(nodeName)),
    host: options.nodeIp?.[0] ?? (isLoopbackHost(options.listen.host) ? '127.0.0.1' : '0.0.0.0'),
    ...(options.kubeletPort === undefined ? {} : { port: options.kubeletPort }),
    certificate: () =>
      plane.certificates.keepCertificate('kubelet-server', {
        organizations: ['system:nodes'],
        ...servingSubject(nodeName, options.nodeIp?.[0]),
      }),
    clientCa: plane.certificates.ca,
    world,
    scope: scope.child('kubelet server'),
  });
}
