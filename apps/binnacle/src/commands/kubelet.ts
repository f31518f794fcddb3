import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Scope, validHostName } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { ensureSelfSigned } from '@binnacle/certificates/node';
import { createClient, createTraceReporter } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { loadKubeconfig } from '@binnacle/client/node';
import type { World } from '@binnacle/cluster/world';
import { serveNode, servingSubject } from '@binnacle/cluster/node/kubelet-server';
import { readKeyPair } from '@binnacle/cluster/node/serving-files';
import { startNode } from '@binnacle/cluster/node/nodes';
import { claimPodRanges } from '@binnacle/cluster/node/pod-network';
import { PolicyGate } from '@binnacle/cluster/node/policy-gate';
import { untilNodesReady } from '@binnacle/cluster/simulated-nodes';
import type { Kubelet, KubeletConfig } from '@binnacle/kubelet';
import { UsageError } from '../errors.ts';
import { hasIPv6 } from '../host/address-families.ts';
import { refuseOddCni } from '../host/cni-choice.ts';
import { openNodeNetwork, readNodeNetwork } from '../host/node-network.ts';
import type { NodeNetwork } from '../host/node-network.ts';
import { openNodeRuntime, refuseAbsentImages } from '../host/node-runtime.ts';
import { openDataDir } from '../host/data-dir.ts';
import type { DataDir } from '../host/data-dir.ts';
import { credentialProviders } from '../host/credential-providers.ts';
import { kubeletGatesOf } from '../host/feature-choice.ts';
import type { FeatureFlags } from '../host/feature-choice.ts';
import { readKubeletConfig, withFlags } from '../host/kubelet-config.ts';
import type { KubeletFile } from '../host/kubelet-config.ts';
import { readCertificates } from '../host/kubelet-ca.ts';
import { openKubeletWire } from '../host/kubelet-identity.ts';
import { askedCertificate } from '../host/serving-certificate.ts';
import { noteProcess } from '../host/processes.ts';
import { createProgress } from '../host/progress.ts';
import { shownFlags } from '../host/shown-flags.ts';
import { runUntilStopped, sinceStart } from '../host/process.ts';
import { systemdUnit } from '../host/systemd-unit.ts';
import type { NodeFlags, SharedMachine } from '../host/node-runtime.ts';

/** The flags of `binnacle kubelet`. */
export interface KubeletFlags extends FeatureFlags, NodeFlags {
  readonly dataDir: string;
  readonly kubeconfig?: string;
  readonly bootstrapKubeconfig?: string;
  readonly nodeName?: string;
  readonly nodeIp?: readonly string[];
  readonly podManifestPath?: string;
  readonly config?: string;
  /** Folder of further ones, over it. */
  readonly configDir?: string;
  /** CredentialProviderConfig, and the folder of the programs that it names. */
  readonly imageCredentialProviderConfig?: string;
  readonly imageCredentialProviderBinDir?: string;
  readonly kubeletPort?: number;
  /** Milliseconds; wins over the file. */
  readonly nodeStatusUpdateFrequency?: number;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly clientCaFile?: string;
  /** A file that tells of the other nodes of this machine, whose process started this one. */
  readonly nodeNetwork?: string;
  /** Print a unit for systemd and end. */
  readonly systemdUnit?: boolean;
  readonly output?: 'json';
  readonly v: number;
}

/** `binnacle kubelet`: one node, against an API server or, without a kubeconfig, for its static pods alone. */
export async function kubelet(given: KubeletFlags): Promise<void> {
  if (given.systemdUnit === true) {
    process.stdout.write(systemdUnit(process.argv, process.execPath));
    return;
  }
  const file = await readKubeletConfig(given.config, given.configDir);
  const flags = withServer(given, file);
  // A wrong file is told of before anything is begun.
  const credentials = await credentialProviders(flags);
  await refuseAbsentImages(flags);
  await refuseOddCni(flags);
  await refuseWrongServer(flags);
  const dataDir = openDataDir(flags.dataDir);
  const forget = noteProcess(dataDir, 'kubelet');
  await runUntilStopped('kubelet', flags.v, async (scope, log) => {
    scope.defer(forget);
    const world = { clock: realClock, random: secureRandom, log };
    const nodeName = (flags.nodeName ?? validHostName(hostname())).toLowerCase();
    const network = flags.nodeNetwork === undefined ? undefined : readNodeNetwork(flags.nodeNetwork);
    if (network !== undefined) endWithInput();
    const progress = createProgress(flags.output === 'json');
    const manifests = flags.podManifestPath ?? file.staticPodPath;
    const place = { dataDir, world, progress };
    const { runtime, endpoint } = await openNodeRuntime(flags, place, sharedMachine(network, file));
    scope.defer(() => runtime.close());
    const { rotateCertificates: rotates = false } = file;
    const isAskedFor = file.server?.serverTLSBootstrap === true;
    const wire = await openKubeletWire(flags, { nodeName, directory: dataDir.kubelet, rotates, world, scope });
    const client = wire === undefined ? undefined : createClient(wire);
    const trace = client === undefined ? {} : { trace: createTraceReporter({ client, world, scope }) };
    let port: number | undefined;
    const policies = new PolicyGate(world.clock);
    const running = await startNode({
      nodeName,
      ...(flags.nodeIp === undefined ? {} : { nodeIps: flags.nodeIp }),
      hasBothFamilies: hasIPv6(flags.podCidr),
      runtime,
      isReal: endpoint !== undefined,
      directory: dataDir.kubelet,
      ...(manifests === undefined ? {} : { manifests }),
      ...(file.staticPodURL === undefined ? {} : { manifestServer: file.staticPodURL }),
      ...credentials,
      ...(client === undefined ? {} : { client }),
      serve: async (kubelet) =>
        void (port = await openPort(flags, { kubelet, client, dataDir, isAskedFor, world, scope })),
      config: { ...withFlags(file.config, flags, kubeletGatesOf(flags)), ...nodeConfig(network) },
      flags: shownFlags(given),
      ...(network === undefined ? {} : { policies }),
      world: { ...world, ...trace },
      scope,
    });
    await running.whenReady();
    if (client !== undefined) {
      await untilNodesReady(client, [nodeName], { clock: world.clock, signal: scope.signal });
    }
    if (client !== undefined && flags.podNetwork !== undefined) await claimPodRanges(client, nodeName, flags.podCidr);
    if (network !== undefined) {
      await openNodeNetwork(network, { nodeName, podCidrs: flags.podCidr, dataDir, progress, world, scope, policies });
    }
    process.stdout.write(`${JSON.stringify({ pid: process.pid, nodeName, port, nodeReady: sinceStart() })}\n`);
  });
}

/** Throws UsageError for files of its port that are not there, or are not what they have to be. */
async function refuseWrongServer({ tlsCertFile, tlsPrivateKeyFile, clientCaFile }: KubeletFlags): Promise<void> {
  if ((tlsCertFile === undefined) !== (tlsPrivateKeyFile === undefined)) {
    throw new UsageError('--tls-cert-file and --tls-private-key-file belong together');
  }
  if (tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined) await readKeyPair(tlsCertFile, tlsPrivateKeyFile);
  if (clientCaFile !== undefined) readCertificates('--client-ca-file', clientCaFile);
}

/** Flags win over the file. */
function withServer(flags: KubeletFlags, { server = {} }: KubeletFile): KubeletFlags {
  const { port: kubeletPort, clientCAFile: clientCaFile, tlsCertFile, tlsPrivateKeyFile } = server;
  return { ...definedOf({ kubeletPort, clientCaFile, tlsCertFile, tlsPrivateKeyFile }), ...flags };
}

function definedOf<T extends object>(fields: T): { [K in keyof T]: NonNullable<T[K]> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]: NonNullable<T[K]> };
}

function sharedMachine(network: NodeNetwork | undefined, { config }: KubeletFile): SharedMachine {
  return network === undefined
    ? { cgroupRoot: config.cgroupRoot }
    : { masquerade: false, cgroupRoot: network.cgroupRoot };
}

function nodeConfig(network: NodeNetwork | undefined): Partial<KubeletConfig> {
  if (network === undefined) return {};
  const { cgroupRoot, clusterDNS, clusterDomain } = network;
  return { cgroupRoot, clusterDNS, clusterDomain };
}

/** Whoever started this process is there as long as it keeps our input open. */
function endWithInput(): void {
  process.stdin.resume().once('close', () => process.kill(process.pid, 'SIGTERM'));
}

/** The HTTPS port: with the files named, or a certificate that the cluster is asked for, else with a certificate that nobody vouches for. */
async function openPort(
  flags: KubeletFlags,
  of: {
    readonly kubelet: Kubelet;
    readonly client: Client | undefined;
    readonly dataDir: DataDir;
    /** Its certificate is asked for from the cluster. */
    readonly isAskedFor: boolean;
    readonly world: World;
    readonly scope: Scope;
  },
): Promise<number | undefined> {
  const { tlsCertFile, tlsPrivateKeyFile, nodeIp: [nodeIp] = [] } = flags;
  const { kubelet, client, dataDir, isAskedFor, world, scope } = of;
  const asked = isAskedFor
    ? await askedCertificate({ kubelet, client, directory: dataDir.kubelet, world, scope })
    : undefined;
  const clientCa = await clientCaOf(flags);
  if (clientCa === undefined && client !== undefined) {
    // Without one, Node would believe certificates of every public authority.
    world.log.warn('no port for the kubelet: the kubeconfig names no CA, and there is no --client-ca-file');
    return undefined;
  }
  return serveNode({
    kubelet,
    ...(client === undefined ? {} : { client }),
    // Where nobody can be told from another, only this machine may ask, and only to read.
    host: clientCa === undefined ? '127.0.0.1' : (nodeIp ?? '0.0.0.0'),
    ...(flags.kubeletPort === undefined ? {} : { port: flags.kubeletPort }),
    ...(asked === undefined ? {} : { renewals: asked.renewals }),
    async certificate() {
      if (asked !== undefined) return asked.held;
      if (tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined)
        return readKeyPair(tlsCertFile, tlsPrivateKeyFile);
      const subject = { name: 'kubelet', ...servingSubject(kubelet.nodeName, nodeIp) };
      const place = join(dataDir.kubelet, 'pki');
      return ensureSelfSigned(place, subject, world);
    },
    ...(clientCa === undefined ? {} : { clientCa }),
    world,
    scope: scope.child('kubelet server'),
  });
}

async function clientCaOf({ clientCaFile, kubeconfig }: KubeletFlags): Promise<string | undefined> {
  if (clientCaFile !== undefined) return readCertificates('--client-ca-file', clientCaFile);
  return kubeconfig === undefined ? undefined : (await loadKubeconfig(kubeconfig)).wire.ca;
}
