import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Logger, Scope } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { startComponents } from '@binnacle/cluster/components';
import { startControlPlane } from '@binnacle/cluster/node/control-plane';
import { firstOwnAddress } from '@binnacle/cluster/node/own-addresses';
import { ADMIN, NODE_FLEET, nodeIdentity } from '@binnacle/cluster/identities';
import { startNode } from '@binnacle/cluster/node/nodes';
import { PolicyGate } from '@binnacle/cluster/node/policy-gate';
import { startSimulatedNodes, untilNodesReady } from '@binnacle/cluster/simulated-nodes';
import type { NodeRuntime } from '@binnacle/cluster/node/containerd-node';
import type { Kubelet } from '@binnacle/kubelet';
import type { ControlPlane } from '@binnacle/cluster/node/control-plane';
import type { NodeLayout } from '@binnacle/cluster/node/node-layout';
import type { World } from '@binnacle/cluster/world';
import { ChildFailedError, UsageError } from '../errors.ts';
import { openDataDir } from '../host/data-dir.ts';
import type { DataDir } from '../host/data-dir.ts';
import { credentialProviders } from '../host/credential-providers.ts';
import { readKubeletConfig, withFlags } from '../host/kubelet-config.ts';
import { readSchedulerConfig } from '../host/scheduler-config.ts';
import { rememberForDown } from '../host/down-record.ts';
import { mergeKubeconfig, userKubeconfigPath } from '../host/kubeconfig.ts';
import { chooseRuntime, openContainerd } from '../host/node-runtime.ts';
import { balancerSource, dnsForPods, openNames, openNodeServices } from '../host/node-services.ts';
import { openIngress } from '../host/ingress.ts';
import type { IngressFlags } from '../host/ingress.ts';
import { openLocalStorage } from '../host/local-storage.ts';
import { createProgress } from '../host/progress.ts';
import type { Progress } from '../host/progress.ts';
import { claim, refuseIfRunning, removeRunning, writeRunning } from '../host/run-file.ts';
import { requestChoice } from '../host/request-choice.ts';
import type { RequestFlags } from '../host/request-choice.ts';
import { admissionChoice } from '../host/admission-choice.ts';
import type { AdmissionFlags } from '../host/admission-choice.ts';
import { authorityChoice } from '../host/authority-choice.ts';
import type { AuthorityFlags } from '../host/authority-choice.ts';
import { encryptionChoice } from '../host/encryption-choice.ts';
import type { EncryptionFlags } from '../host/encryption-choice.ts';
import { readKubeletCa } from '../host/kubelet-ca.ts';
import { buildCommit } from '../host/build-commit.ts';
import { adminAccess } from '../host/access.ts';
import { openOwnDashboard } from '../host/dashboard.ts';
import { runUntilStopped, sinceStart } from '../host/process.ts';
import { layOut, serverFor, startWorkers } from '../host/worker-nodes.ts';
import { exportTraceIfWanted, traceChoice } from '../host/trace-choice.ts';
import type { TraceChoice } from '../host/trace-choice.ts';
import { storeChoice } from '../host/store-choice.ts';
import type { ListenAddress } from '../host/listen-address.ts';

/** The flags of `binnacle up`. */
export interface UpOptions
  extends IngressFlags, EncryptionFlags, AdmissionFlags, AuthorityFlags, RequestFlags, TraceChoice {
  /** Milliseconds. */
  readonly eventTtl?: number;
  /** Milliseconds. */
  readonly etcdCompactionInterval?: number;
  readonly dataDir: string;
  readonly store: 'sqlite' | 'memory' | 'etcd';
  readonly etcdServers?: readonly string[];
  readonly acceptDataLoss?: boolean;
  readonly listen: ListenAddress;
  readonly runtime: 'auto' | 'containerd' | 'simulated';
  readonly containerRuntimeEndpoint?: string;
  readonly nodeName?: string;
  readonly nodeIp?: string;
  readonly podCidr: string;
  readonly podManifestPath?: string;
  readonly kubeletPort?: number;
  /** Milliseconds; wins over the file. */
  readonly nodeStatusUpdateFrequency?: number;
  readonly advertiseAddress?: string;
  readonly kubeletCertificateAuthority?: string;
  readonly config?: string;
  /** Folder of further ones, over it. */
  readonly configDir?: string;
  /** CredentialProviderConfig, and the folder of the programs that it names. */
  readonly imageCredentialProviderConfig?: string;
  readonly imageCredentialProviderBinDir?: string;
  /** A KubeSchedulerConfiguration. */
  readonly schedulerConfig?: string;
  readonly nodes: number;
  readonly workers: number;
  readonly nodeCidr: string;
  readonly dns: 'on' | 'off';
  readonly localPathStorage: 'on' | 'off';
  readonly dnsListen?: ListenAddress;
  readonly dashboard?: ListenAddress | 'off';
  readonly expose?: boolean;
  readonly loadBalancer: 'on' | 'off';
  readonly loadBalancerPool?: readonly string[];
  readonly kubeconfig?: string;
  readonly image?: readonly string[];
  readonly detach?: boolean;
  readonly output?: 'json';
  readonly v: number;
}

/** `binnacle up`: a whole cluster in this process, until it is asked to stop. */
export async function up(options: UpOptions): Promise<void> {
  const dataDir = openDataDir(options.dataDir);
  refuseIfRunning(dataDir);
  if (options.detach === true) {
    await detach(dataDir, options.output);
    return;
  }
  claim(dataDir);
  try {
    await runUntilStopped('binnacle', options.v, (scope, log) => bringUp(options, dataDir, { log, scope }));
  } finally {
    removeRunning(dataDir);
  }
  process.exit(0);
}

async function bringUp(
  options: UpOptions,
  dataDir: DataDir,
  { log, scope }: { log: Logger; scope: Scope },
): Promise<void> {
  const progress = createProgress(options.output === 'json');
  const outside: World = { clock: realClock, random: secureRandom, log };
  const { schedulerConfig } = options;
  const schedulerFile = schedulerConfig === undefined ? undefined : await readSchedulerConfig(schedulerConfig, scope);
  const kind = await chooseRuntime(options, progress);
  const layout = layOut(options, dataDir, kind);
  const shared = layout === undefined ? {} : { masquerade: false };
  // The runtime starts beside the control plane: neither waits for the other.
  const [{ plane, listeningMs }, runtime] = await Promise.all([
    startPlane(options, { dataDir, world: outside, scope, kind }),
    kind === 'containerd' ? openContainerd(options, { dataDir, world: outside }, shared) : undefined,
  ]);
  const world: World = { ...outside, trace: plane.server.trace, gate: plane.server.gate };
  const readyMs = sinceStart();
  await exportTraceIfWanted(options, { plane, world, scope });
  progress.say(`API server ready at ${plane.url}`);
  const balancers = kind === 'containerd' ? balancerSource(options) : {};
  const wish = { scope, ...balancers, ...(schedulerFile === undefined ? {} : { scheduler: schedulerFile }) };
  plane.health.watch(startComponents(plane, world, wish).controllers);
  const nodes = { options, dataDir, layout, kind, plane, progress, world, scope, runtime };
  const { names, kubelet, clusterDomain, kubeconfig, workers } = await bringUpNodes(nodes);
  const dns = await openNames(options, {
    clusterDomain: clusterDomain ?? 'cluster.local',
    plane,
    progress,
    world,
    scope,
  });
  const nodeReadyMs = sinceStart();
  if (kubelet !== undefined) {
    scope.run('kubelet server', () => openKubeletPort({ options, plane, world, scope, kubelet }));
  }
  const dashboard = await openOwnDashboard({
    plane,
    wish: options.dashboard,
    apiPort: options.listen.port,
    progress,
    log,
    scope,
  });
  const endpoint = runtime?.endpoint;
  writeRunning(dataDir, {
    server: plane.url,
    kubeconfig,
    ...(endpoint === undefined ? {} : { runtimeEndpoint: endpoint }),
    ...(workers.length === 0 ? {} : { workers }),
  });
  announce(options, progress, {
    plane,
    kubeconfig,
    names: [...names, ...workers],
    listeningMs,
    readyMs,
    nodeReadyMs,
    dns,
    dashboard,
  });
}

/** Starts nodes with their network, and writes the kubeconfig beside. */
async function bringUpNodes(
  of: NodesInput & {
    readonly layout: NodeLayout | undefined;
    readonly kind: 'containerd' | 'simulated';
    readonly progress: Progress;
  },
): Promise<StartedNodes & { readonly kubeconfig: string; readonly workers: readonly string[] }> {
  const { options, dataDir, layout, kind, plane, progress, world, scope } = of;
  const policies = new PolicyGate(world.clock);
  const started = await startNodes({ ...of, policies });
  const { names, kubelet, clusterDomain = '' } = started;
  if (options.localPathStorage === 'on') {
    const all = [...names, ...(layout?.workers ?? []).map(({ nodeName }) => nodeName)];
    await openLocalStorage({ plane, world, scope, root: dataDir.volumes, names: all, isReal: kubelet !== undefined });
  }
  const kubeconfig = resolve(options.kubeconfig ?? userKubeconfigPath());
  rememberForDown(dataDir, { kubeconfig });
  const server = serverFor(plane.url, advertised(options, kind).advertiseAddress);
  const [workers] = await Promise.all([
    startWorkers({ layout, flags: options, clusterDomain, plane, server, dataDir, progress, world, scope }),
    untilNodesReady(plane.clientAs(ADMIN), names, scope.signal).then(() =>
      kubelet === undefined
        ? undefined
        : openNodeServices(options, { ...of, kubelet, layout, clusterDomain, policies }),
    ),
    mergeKubeconfig(kubeconfig, 'binnacle', adminAccess(plane)),
    openIngress(options, { plane, layout, hasPods: kubelet !== undefined, progress, world, scope }),
  ]);
  return { ...started, kubeconfig, workers };
}

interface PlaneInput {
  readonly dataDir: DataDir;
  readonly world: World;
  readonly scope: Scope;
  readonly kind: 'containerd' | 'simulated';
}

async function startPlane(
  options: UpOptions,
  { dataDir, world, scope, kind }: PlaneInput,
): Promise<{ readonly plane: ControlPlane; readonly listeningMs: number }> {
  let listeningMs = 0;
  const plane = await startControlPlane({
    world,
    scope,
    pki: dataDir.pki,
    store: storeChoice(options, dataDir),
    listen: options.listen,
    ...traceChoice(options),
    ...advertised(options, kind),
    ...encryptionChoice(options),
    ...(await authorityChoice(options)),
    ...(options.eventTtl === undefined ? {} : { eventTtlSeconds: options.eventTtl / 1000 }),
    ...(options.etcdCompactionInterval === undefined ? {} : { compactionIntervalMs: options.etcdCompactionInterval }),
    holdsComponents: true,
    commit: buildCommit(),
    ...(await admissionChoice(options)),
    ...(await requestChoice(options, (text) => world.log.warn(text))),
    ...readKubeletCa(options.kubeletCertificateAuthority),
    onListening: () => (listeningMs = sinceStart()),
  });
  return { plane, listeningMs };
}

/** Pods of this machine reach the API server under the node's address; simulated ones need not. */
function advertised(
  { advertiseAddress, nodeIp }: UpOptions,
  kind: 'containerd' | 'simulated',
): { readonly advertiseAddress?: string } {
  const address = advertiseAddress ?? (kind === 'containerd' ? (nodeIp ?? firstOwnAddress()) : undefined);
  return address === undefined ? {} : { advertiseAddress: address };
}

interface NodesInput {
  readonly options: UpOptions;
  readonly dataDir: DataDir;
  readonly plane: ControlPlane;
  readonly world: World;
  readonly scope: Scope;
  readonly runtime: NodeRuntime | undefined;
}

interface StartedNodes {
  readonly names: readonly string[];
  /** Of this machine; simulated nodes have no port. */
  readonly kubelet?: Kubelet;
  readonly clusterDomain?: string;
}

/** Starts the nodes; the API server asks them without a socket. */
async function startNodes(of: NodesInput & { readonly policies: PolicyGate }): Promise<StartedNodes> {
  const { options, dataDir, plane, world, scope, runtime, policies } = of;
  if (runtime === undefined) {
    refuseNodeFlags(options);
    const client = plane.clientAs(NODE_FLEET);
    const kubelets = startSimulatedNodes({ count: options.nodes, client, world, scope: scope.child('nodes') });
    for (const kubelet of kubelets) plane.nodes.add(kubelet, { simulated: true });
    return { names: kubelets.map((k) => k.nodeName) };
  }
  const nodeName = (options.nodeName ?? hostname()).toLowerCase();
  const file = await readKubeletConfig(options.config, options.configDir);
  const manifests = options.podManifestPath ?? file.staticPodPath;
  const nodeScope = scope.child('node');
  nodeScope.defer(() => runtime.runtime.close());
  const kubelet = await startNode({
    nodeName,
    ...(options.nodeIp === undefined ? {} : { nodeIp: options.nodeIp }),
    runtime: runtime.runtime,
    isReal: true,
    client: plane.clientAs(nodeIdentity(nodeName)),
    directory: dataDir.kubelet,
    ...(manifests === undefined ? {} : { manifests }),
    ...(await credentialProviders(options)),
    config: { ...dnsForPods(options), ...withFlags(file.config, options) },
    policies,
    world,
    scope: nodeScope,
  });
  plane.nodes.add(kubelet);
  const { clusterDomain = 'cluster.local' } = file.config;
  return { names: [nodeName], kubelet, clusterDomain };
}

/** The port is for others than our own API server, which never waits for it: loopback unless the cluster is open. */
async function openKubeletPort(of: {
  readonly options: UpOptions;
  readonly plane: ControlPlane;
  readonly world: World;
  readonly scope: Scope;
  readonly kubelet: Kubelet;
}): Promise<void> {
  const { options, plane, world, scope, kubelet } = of;
  const { serveNode, servingSubject } = await import('@binnacle/cluster/node/kubelet-server');
  const { nodeName } = kubelet;
  const loopback = /^(?:127\.|::1$|localhost$)/.test(options.listen.host);
  await serveNode({
    kubelet,
    client: plane.clientAs(nodeIdentity(nodeName)),
    host: options.nodeIp ?? (loopback ? '127.0.0.1' : '0.0.0.0'),
    ...(options.kubeletPort === undefined ? {} : { port: options.kubeletPort }),
    certificate: () =>
      plane.certificates.keepCertificate('kubelet-server', {
        organizations: ['system:nodes'],
        ...servingSubject(nodeName, options.nodeIp),
      }),
    clientCa: plane.certificates.ca,
    world,
    scope: scope.child('kubelet server'),
  });
}

/** What only a real node can do must not be dropped silently. */
const NODE_FLAGS = [
  'config',
  'configDir',
  'podManifestPath',
  'imageCredentialProviderConfig',
  'imageCredentialProviderBinDir',
] as const;

function refuseNodeFlags(options: UpOptions): void {
  const given = NODE_FLAGS.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  const flag = given.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError(`--${flag} needs a node that runs containers; the nodes of this cluster are simulated`);
}

interface Announcement {
  readonly plane: ControlPlane;
  readonly kubeconfig: string;
  readonly names: readonly string[];
  readonly listeningMs: number;
  readonly readyMs: number;
  readonly nodeReadyMs: number;
  /** The port of `--dns-listen`. */
  readonly dns: number | undefined;
  /** A link that logs in, once. */
  readonly dashboard: string | undefined;
}

function announce(options: UpOptions, progress: Progress, about: Announcement): void {
  const { plane, kubeconfig, names } = about;
  if (options.output === 'json') {
    const { listeningMs: listening, readyMs: ready, nodeReadyMs: nodeReady, dns, dashboard } = about;
    process.stdout.write(
      `${JSON.stringify({ server: plane.url, kubeconfig, pid: process.pid, listening, ready, nodeReady, dns, dashboard })}\n`,
    );
    return;
  }
  progress.say(names.length === 1 ? `node ${names[0]} Ready` : `${names.length} nodes Ready`);
  if (about.dashboard !== undefined) progress.say(`dashboard ${about.dashboard}`);
  const flag = options.kubeconfig === undefined ? '' : ` --kubeconfig ${kubeconfig}`;
  progress.say(`try: kubectl${flag} get nodes        stop: Ctrl-C, then binnacle down removes the containers`);
}

/** Starts the same command in the background and waits until it is ready. */
async function detach(dataDir: DataDir, output: UpOptions['output']): Promise<void> {
  const args = process.argv.slice(1).filter((a) => a !== '--detach');
  if (output !== 'json') args.push('--output', 'json');
  const log = openSync(dataDir.logFile, 'a', 0o600);
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', log] });
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.once('exit', (code) =>
      reject(new ChildFailedError('the cluster', `exit code ${code}; see ${dataDir.logFile}`)),
    );
  });
  child.stdout?.destroy();
  child.unref();
  if (output === 'json') process.stdout.write(`${line}\n`);
  else {
    const { server, pid, dashboard } = JSON.parse(line) as { server: string; pid: number; dashboard?: string };
    if (dashboard !== undefined) process.stderr.write(`binnacle: dashboard ${dashboard}\n`);
    process.stderr.write(`binnacle: ready at ${server} (pid ${pid}); stop it with: binnacle down\n`);
  }
}
