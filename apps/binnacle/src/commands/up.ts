import { resolve } from 'node:path';
import { allEnded } from '@binnacle/base';
import type { Logger, Scope } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { startComponents } from '@binnacle/cluster/components';
import type { ComponentOptions } from '@binnacle/cluster/components';
import { startControlPlane } from '@binnacle/cluster/node/control-plane';
import { firstOwnAddress } from '@binnacle/cluster/node/own-addresses';
import { ADMIN } from '@binnacle/cluster/identities';
import { PolicyGate } from '@binnacle/cluster/node/policy-gate';
import { untilNodesReady } from '@binnacle/cluster/simulated-nodes';
import type { ControlPlane } from '@binnacle/cluster/node/control-plane';
import type { NodeLayout } from '@binnacle/cluster/node/node-layout';
import type { World } from '@binnacle/cluster/world';
import { aboutOthersNetwork, refuseOddCni } from '../host/cni-choice.ts';
import { downCommand, openDataDir } from '../host/data-dir.ts';
import type { DataDir } from '../host/data-dir.ts';
import { startDetached } from '../host/detached.ts';
import { readSchedulerConfig } from '../host/scheduler-config.ts';
import { rememberForDown } from '../host/down-record.ts';
import { mergeKubeconfig, refuseOddKubeconfig, userKubeconfigPath } from '../host/kubeconfig.ts';
import { chooseRuntime, openContainers, refuseAbsentImages } from '../host/node-runtime.ts';
import type { RuntimeKind, SharedMachine } from '../host/node-runtime.ts';
import { refuseOtherRange, serviceRangesOf } from '../host/service-ranges.ts';
import { balancerSource, openNames, openNodeServices } from '../host/node-services.ts';
import { openIngress } from '../host/ingress.ts';
import type { IngressFlags } from '../host/ingress.ts';
import { refuseOddFlags } from '../host/odd-flags.ts';
import { refuseFlagsOfOthers } from '../host/node-flags.ts';
import { openLocalStorage } from '../host/local-storage.ts';
import { openKubeletPort, ownNodeName, readOwnNodeFiles, startOwnNodes } from '../host/own-nodes.ts';
import type { OwnNodeFiles, OwnNodeFlags, OwnNodes, OwnNodesInput } from '../host/own-nodes.ts';
import { createProgress } from '../host/progress.ts';
import type { Progress } from '../host/progress.ts';
import { claim, refuseIfRunning, removeRunning, writeRunning } from '../host/run-file.ts';
import { requestChoice } from '../host/request-choice.ts';
import type { RequestFlags } from '../host/request-choice.ts';
import { admissionChoice } from '../host/admission-choice.ts';
import { servingChoice } from '../host/feature-choice.ts';
import type { ServingFlags } from '../host/feature-choice.ts';
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
import { layOut, nodeNetworks, serverFor, startWorkers } from '../host/worker-nodes.ts';
import { exportTraceIfWanted, traceChoice } from '../host/trace-choice.ts';
import type { TraceChoice } from '../host/trace-choice.ts';
import { storeChoice } from '../host/store-choice.ts';
import type { EtcdFlags } from '../host/store-choice.ts';
import type { ListenAddress } from '../host/listen-address.ts';

/** The flags of `binnacle up`. */
export interface UpOptions
  extends
    EtcdFlags,
    OwnNodeFlags,
    IngressFlags,
    EncryptionFlags,
    AdmissionFlags,
    AuthorityFlags,
    RequestFlags,
    ServingFlags,
    TraceChoice {
  /** Milliseconds. */
  readonly eventTtl?: number;
  /** Milliseconds. */
  readonly etcdCompactionInterval?: number;
  readonly dataDir: string;
  readonly store: 'sqlite' | 'memory' | 'etcd';
  readonly acceptDataLoss?: boolean;
  readonly runtime: 'auto' | RuntimeKind;
  readonly advertiseAddress?: string;
  readonly kubeletCertificateAuthority?: string;
  /** A KubeSchedulerConfiguration. */
  readonly schedulerConfig?: string;
  /** Which controllers run; absent: all that do by default. */
  readonly controllers?: readonly string[];
  readonly workers: number;
  readonly nodeCidr: readonly string[];
  readonly localPathStorage: 'on' | 'off';
  readonly dashboard?: ListenAddress | 'off';
  readonly kubeconfig?: string;
  readonly image?: readonly string[];
  readonly detach?: boolean;
  readonly output?: 'json';
  readonly v: number;
}

/** `binnacle up`: a whole cluster in this process, until it is asked to stop. */
export async function up(options: UpOptions): Promise<void> {
  refuseOddFlags(options);
  await refuseOddCni(options);
  await refuseOddKubeconfig(options.kubeconfig ?? userKubeconfigPath());
  const dataDir = openDataDir(options.dataDir);
  refuseIfRunning(dataDir);
  if (options.detach === true) {
    await startDetached(dataDir, options.output);
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
  const serving = servingChoice(options, (text) => log.warn(text));
  const progress = createProgress(options.output === 'json');
  const outside: World = { clock: realClock, random: secureRandom, log };
  const scheduler = await schedulerOf(options, scope);
  const kind = await chooseRuntime(options, progress);
  refuseFlagsOfOthers(kind, options);
  if (kind === 'simulated' && options.image !== undefined) progress.say('--image: simulated nodes have every image');
  const { chosen, files } = await readFiles(options, log);
  const others = aboutOthersNetwork(options);
  if (others !== undefined) progress.say(others);
  const layout = layOut(options, dataDir, kind);
  // The runtime starts beside the control plane: neither waits for the other, but a failure for what was begun beside it.
  const [{ plane, listeningMs }, runtime] = await allEnded([
    startPlane(options, { chosen, dataDir, world: outside, scope, kind, serving }),
    kind !== 'simulated' ? openContainers(options, { dataDir, world: outside }, beside(files)) : undefined,
  ]);
  scope.signal.throwIfAborted();
  const { trace, gate, queues } = plane.server;
  const world: World = { ...outside, trace, gate, queues };
  const readyMs = sinceStart();
  await exportTraceIfWanted(options, { plane, world, scope });
  progress.say(`API server ready at ${plane.url}`);
  await refuseOtherRange(plane.clientAs(ADMIN), options);
  const own = { nodeName: ownNodeName(options), podCidr: options.podCidr };
  const balancers = kind !== 'simulated' ? balancerSource(options, { dataDir, layout, nodeName: own.nodeName }) : {};
  const networks = { ...balancers, ...nodeNetworks(layout, own) };
  const controllers = options.controllers === undefined ? {} : { controllers: options.controllers };
  const wish = { scope, features: serving.features, ...networks, ...scheduler, ...controllers };
  plane.health.watch(startComponents(plane, world, wish).controllers);
  const nodes = { options, files, dataDir, layout, kind, plane, progress, world, scope, runtime };
  const { names, kubelet, clusterDomain = 'cluster.local', kubeconfig, workers } = await bringUpNodes(nodes);
  const dns = await openNames(options, { clusterDomain, plane, progress, world, scope });
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

/** What the scheduler's file says, where there is one. */
async function schedulerOf(
  { schedulerConfig: path }: UpOptions,
  scope: Scope,
): Promise<Partial<Pick<ComponentOptions, 'scheduler'>>> {
  return path === undefined ? {} : { scheduler: await readSchedulerConfig(path, scope) };
}

/** Starts nodes with their network, and writes the kubeconfig beside. */
async function bringUpNodes(
  of: Omit<OwnNodesInput, 'policies'> & {
    readonly options: UpOptions;
    readonly layout: NodeLayout | undefined;
    readonly kind: RuntimeKind;
    readonly progress: Progress;
  },
): Promise<OwnNodes & { readonly kubeconfig: string; readonly workers: readonly string[] }> {
  const { options, dataDir, layout, kind, plane, progress, world, scope } = of;
  const policies = new PolicyGate(world.clock);
  const started = await startOwnNodes({ ...of, policies });
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
    untilNodesUsable(options, { plane, names, world, scope }).then(() =>
      kubelet === undefined
        ? undefined
        : openNodeServices(options, { ...of, kubelet, layout, clusterDomain, policies }),
    ),
    mergeKubeconfig(kubeconfig, 'binnacle', adminAccess(plane)),
    openIngress(options, { plane, layout, hasPods: kubelet !== undefined, progress, world, scope }),
  ]);
  return { ...started, kubeconfig, workers };
}

/**
 * Ready; where somebody else has still to put the pods' network there, which often is pods' own work, and needs Services, it
 * is enough that they are known.
 */
async function untilNodesUsable(
  { cniConfDir }: UpOptions,
  of: Pick<OwnNodesInput, 'plane' | 'world' | 'scope'> & { readonly names: readonly string[] },
): Promise<void> {
  const { plane, names, world, scope } = of;
  const are = cniConfDir === undefined ? {} : { are: () => true };
  await untilNodesReady(plane.clientAs(ADMIN), names, { clock: world.clock, signal: scope.signal, ...are });
}

/** How this machine's node shares it with others of the cluster. */
function beside({ kubelet }: OwnNodeFiles): SharedMachine {
  return { masquerade: false, cgroupRoot: kubelet.config.cgroupRoot };
}

/** What files say that flags name: a wrong one is told of before anything is begun. Throws UsageError. */
async function readFiles(options: UpOptions, log: Logger) {
  await refuseAbsentImages(options);
  return { chosen: await chosenPlane(options, log), files: await readOwnNodeFiles(options) };
}

/** What flags, and the files that they name, say of the API server. Throws UsageError. */
async function chosenPlane(options: UpOptions, log: Logger) {
  return {
    ...(await encryptionChoice(options)),
    ...(await authorityChoice(options)),
    ...(await admissionChoice(options)),
    ...(await requestChoice(options, (text) => log.warn(text))),
    ...readKubeletCa(options.kubeletCertificateAuthority),
  };
}

interface PlaneInput {
  readonly chosen: Awaited<ReturnType<typeof chosenPlane>>;
  readonly dataDir: DataDir;
  readonly world: World;
  readonly scope: Scope;
  readonly kind: RuntimeKind;
  readonly serving: ReturnType<typeof servingChoice>;
}

async function startPlane(
  options: UpOptions,
  { chosen, dataDir, world, scope, kind, serving }: PlaneInput,
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
    serviceCidrs: serviceRangesOf(options),
    ...(options.eventTtl === undefined ? {} : { eventTtlSeconds: options.eventTtl / 1000 }),
    ...(options.etcdCompactionInterval === undefined ? {} : { compactionIntervalMs: options.etcdCompactionInterval }),
    holdsComponents: true,
    commit: buildCommit(),
    ...serving,
    ...chosen,
    onListening: () => (listeningMs = sinceStart()),
  });
  return { plane, listeningMs };
}

/** Pods of this machine reach the API server under the node's address; simulated ones need not. */
function advertised(
  { advertiseAddress, nodeIp }: UpOptions,
  kind: RuntimeKind,
): { readonly advertiseAddress?: string } {
  const address = advertiseAddress ?? (kind !== 'simulated' ? (nodeIp?.[0] ?? firstOwnAddress()) : undefined);
  return address === undefined ? {} : { advertiseAddress: address };
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
  if (options.cniConfDir !== undefined)
    progress.say(`node ${names[0]} is Ready once a configuration of CNI is in ${options.cniConfDir}`);
  else progress.say(names.length === 1 ? `node ${names[0]} Ready` : `${names.length} nodes Ready`);
  if (about.dashboard !== undefined) progress.say(`dashboard ${about.dashboard}`);
  const flag = options.kubeconfig === undefined ? '' : ` --kubeconfig ${kubeconfig}`;
  progress.say(
    `try: kubectl${flag} get nodes        stop: Ctrl-C, then ${downCommand(resolve(options.dataDir))} removes the containers`,
  );
}
