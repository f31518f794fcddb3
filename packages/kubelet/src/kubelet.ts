import { silentTrace, sleep } from '@binnacle/base';
import type { LogLevel } from '@binnacle/base';
import { isMirrorPod } from '@binnacle/api';
import type { Pod, PodStatus } from '@binnacle/api/core/v1';
import type { ContainerStats } from '@binnacle/runtime';
import { createWorld } from './assembly.ts';
import type { KubeletConfig } from './config.ts';
import { loggedRuntime, stepsOf } from './pod/logged-runtime.ts';
import type { StepsUnderWay } from './pod/steps-under-way.ts';
import { tracedRuntime } from './pod/traced-runtime.ts';
import { readPodLog } from './logs/pod-log.ts';
import type { LogRequest } from './logs/pod-log.ts';
import { Pods } from './pod/pods.ts';
import type { PodWorld } from './pod/world.ts';
import { type KubeletStreams, streamsOf } from './pod/streams.ts';
import type { ProbeCount } from './probe/prober.ts';
import { Rates } from './rates.ts';
import { type NodeKeepers, every, nodeKeepers, startKeepers } from './node-keepers.ts';
import { VolumeError } from './errors.ts';
import { type NodePlugins, nodePlugins } from './node-plugins.ts';
import type { NodeUsage } from './figures.ts';
import type { KubeletOptions, Machine, NodePressure } from './ports.ts';
import { Heartbeat } from './registration/heartbeat.ts';
import { NodeAgent, type NodeAgentOptions } from './registration/node-agent.ts';
import { Mirrors } from './source/mirrors.ts';

/** A pod as the kubelet has it: the source's object, and the status as last computed. */
export interface KubeletPod {
  readonly pod: Pod;
  readonly status: PodStatus;
}

/** One node's kubelet. It runs from `start` until its scope closes; containers outlive it. */
export interface Kubelet {
  readonly nodeName: string;
  /** As it is, defaults filled in. */
  readonly config: KubeletConfig;
  start(): void;
  /** Resolves when the runtime has been looked at and all sources have said what they have. */
  whenReady(): Promise<void>;
  pods(): readonly KubeletPod[];
  /** Manifests that cannot be used: why, by file name. */
  refusedManifests(): ReadonlyMap<string, string>;
  /** A container's log, decoded from CRI's format. Throws LogError (with an HTTP code) before the first byte. */
  logs(request: LogRequest): AsyncIterable<Uint8Array>;
  /** What streams into and out of running pods. */
  readonly streams: KubeletStreams;
  /** The port of the server in front of it, for the Node's status. */
  listensOn(port: number): void;
  /** What running containers use now, by container id. */
  stats(): Promise<readonly ContainerStats[]>;
  /** How full a pod's volumes are, as far as their drivers tell. */
  volumeStats(podUid: string): ReturnType<NodePlugins['figures']>;
  /** What pods that have not ended have on its disk, by uid, as of the last minute; who is not counted yet is missing. */
  podDisks(): ReturnType<NonNullable<NodeKeepers['podFiles']>['look']>;
  /** What the node uses as a whole; undefined: what its pods use. */
  usage(): Promise<NodeUsage | undefined>;
  /** What lies on which of its disks. */
  readonly disks: NodeKeepers['disks'];
  /** How often each probe of the containers that run came to which result. */
  probes(): readonly ProbeCount[];
  /** What is given to containers alone. */
  readonly given: PodWorld['given'];
  /** Whether it does what it is there for. */
  readonly health: NodeKeepers['health'];
  /** What grew how fast since somebody asked the last time. */
  readonly rates: Rates;
  readonly machine: Pick<Machine, 'cpus' | 'memoryBytes' | 'addresses' | 'groupUsage' | 'ownGroup'>;
  /** How much its log tells. Absent: the same for good. */
  readonly logLevel?: LogLevel;
  /** What its process was started with, by the flags' names. Absent: it is not told. */
  readonly flags?: ReadonlyMap<string, string>;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

const CONNECT_RETRY_MS = 1_000;
/** How often steps of the runtime that take long are told. */
const TELL_STEPS_MS = 30_000;

interface Parts {
  readonly options: KubeletOptions;
  readonly pods: Pods;
  readonly mirrors: Mirrors;
  readonly agent: NodeAgent | undefined;
  readonly ready: () => void;
  readonly refused: Map<string, string>;
  readonly keepers: NodeKeepers;
  /** Where there are sockets. */
  readonly plugins: NodePlugins | undefined;
  readonly world: PodWorld;
  readonly underWay: StepsUnderWay | undefined;
}

/** Puts a kubelet together; nothing runs before `start`. See `KubeletOptions` for what may be absent. */
export function createKubelet(given: KubeletOptions): Kubelet {
  const underWay = stepsOf(given);
  const trace = given.trace ?? silentTrace;
  const options = {
    ...given,
    trace,
    runtime: tracedRuntime(loggedRuntime(given.runtime, { ...given, underWay }), {
      trace,
      nodeName: given.config.nodeName,
      podByUid: (uid) => pods.worker(uid)?.pod,
      podOf: (id) => pods.owner(id)?.pod,
    }),
  };
  const { config, runtime, log } = options;
  const mirrors = new Mirrors(options);
  const name = { runtime: 'containerd' };
  const plugins = nodePlugins(options, {
    tellNode: () => tellNow(agent),
    driverCame: () => pods.pluginCame(),
    devicesChanged: () => agent?.statusChanged(),
    pods: () => pods.all.filter((w) => w.takesRoom).map((w) => w.pod),
    givers: () => world.given,
  });
  const nodeChanged = (): void => agent?.statusChanged();
  const keepers = nodeKeepers(options, { pods: () => pods.all, nodeChanged });
  const world = createWorld(options, {
    access: keepers.access,
    joins: keepers.joins,
    plugins,
    mirrors,
    runtimeName: () => name.runtime,
    others: (uid) => pods.takingRoom(uid),
    preempt: (pod) => pods.preempt(pod),
    roomChanged: () => pods.reconsiderResizes(),
    sharedCpusChanged: () => pods.sharedCpusChanged(),
    pressure: () => keepers.eviction?.pressure,
    refusal: () => keepers.shutdown.refusal,
    apiNode: () => agent,
  });
  const pods: Pods = new Pods({ world, runtime, log });
  const { promise: whenReady, resolve: ready } = Promise.withResolvers<void>();
  const agent = agentOf(options, keepers, { allocatable: world.allocatable, ...plugins?.ofNode });
  const rates = new Rates(options.clock);
  const parts: Parts = { options, pods, mirrors, agent, ready, refused: new Map(), keepers, plugins, world, underWay };
  return {
    nodeName: config.nodeName,
    config,
    start: () => begin(parts, (runtimeName) => (name.runtime = runtimeName)),
    whenReady: () => whenReady,
    refusedManifests: () => parts.refused,
    pods: () => pods.all.map((w) => ({ pod: w.pod, status: w.status })),
    logs: (request) => readPodLog(logPlace(options), pods.find(request.namespace, request.pod), request),
    streams: streamsOf(options, pods),
    listensOn: (port) => agent?.listensOn(port),
    stats: async () => withRates(rates, await runtime.stats()),
    volumeStats: async (uid) => plugins?.figures(uid, pods.worker(uid)?.volumes ?? new Map()) ?? [],
    podDisks: async () => keepers.podFiles?.look(pods.all.filter(({ state }) => state === 'syncing')) ?? new Map(),
    usage: async () => options.machine.usage?.(),
    disks: keepers.disks,
    probes: () => world.prober.counts(),
    given: world.given,
    health: keepers.health,
    rates,
    machine: options.machine,
    ...(log.level === undefined ? {} : { logLevel: log.level }),
    ...(options.flags === undefined ? {} : { flags: options.flags }),
    startedAt: options.clock.now(),
  };
}

function begin(parts: Parts, connected: (runtimeName: string) => void): void {
  const { options, pods, world } = parts;
  options.scope.defer(() => {
    pods.close();
    world.prober.close();
    world.statuses.close();
  });
  options.scope.run('kubelet', async (signal) => {
    connected(await untilConnected(options, signal));
    await run(parts);
  });
}

async function tellNow(agent: NodeAgent | undefined): Promise<void> {
  if (agent === undefined) throw new VolumeError('', 'no API server to tell what is in use');
  await agent.tellNow();
}

function logPlace({ logs, files, clock, config }: KubeletOptions): Parameters<typeof readPodLog>[0] {
  return { files: logs ?? files, clock, config };
}

/** Who tells the API of the node, where there is an API. */
function agentOf(
  options: KubeletOptions,
  { eviction, shutdown }: NodeKeepers,
  node: Pick<NodeAgentOptions, 'allocatable' | 'volumesInUse' | 'devices'>,
): NodeAgent | undefined {
  const { client, machine } = options;
  if (client === undefined) return undefined;
  const pressure = async (): Promise<NodePressure | undefined> =>
    eviction === undefined ? machine.pressure?.() : eviction.pressure;
  return new NodeAgent({ ...options, client, pressure, ...node, trouble: () => shutdown.trouble });
}

/** The runtime's own word about the rate, or ours. */
function withRates(rates: Rates, all: readonly ContainerStats[]): ContainerStats[] {
  return all.map((stats) => {
    const cpuNanoCores = stats.cpuNanoCores ?? rates.of(stats.id, stats.cpuUsageNanos);
    return cpuNanoCores === undefined ? stats : { ...stats, cpuNanoCores };
  });
}

/** The runtime's name, once it answers: nothing can be done while it is away. */
async function untilConnected(options: KubeletOptions, signal: AbortSignal): Promise<string> {
  for (;;) {
    try {
      return (await options.runtime.version()).name;
    } catch (error) {
      if (signal.aborted) throw error;
      options.log.error(error, 'The container runtime is not ready');
      await sleep(options.clock, CONNECT_RETRY_MS, signal);
    }
  }
}

async function run(parts: Parts): Promise<void> {
  const { options, pods, agent } = parts;
  const { runtime, scope, log, config } = options;
  const events = runtime.events({
    event: (event) => pods.event(event),
    lost: (error) => {
      log.warn('Events of the runtime may be lost, listing again', { reason: error.message });
      pods.relistAll();
    },
  });
  scope.defer(() => events.stop());
  if (agent !== undefined) startAgent(options, agent);
  await pods.adopt();
  await parts.world.given.recall();
  await parts.plugins?.start();
  followSources(parts);
  every(options, config.relistPeriodMs, () => pods.relistAll());
  every(options, parts.underWay === undefined ? 0 : TELL_STEPS_MS, () => parts.underWay?.tell());
  startKeepers(options, { ...parts.keepers, groups: parts.world.groups }, () => pods.all);
}

function startAgent(options: KubeletOptions, agent: NodeAgent): void {
  const { scope, clock, config } = options;
  const heartbeat =
    options.heartbeat ??
    new Heartbeat({ clock, scope, periodMs: Math.min(config.leasePeriodMs, config.nodeStatusUpdateMs) });
  scope.run('node agent', (signal) => agent.begin(signal));
  scope.defer(heartbeat.add(agent));
}

function followSources(parts: Parts): void {
  const { options, pods, mirrors } = parts;
  let waiting = options.sources.length;
  const ready = (): void => {
    pods.sourcesReady();
    mirrors.ready();
    parts.ready();
  };
  for (const source of options.sources) {
    const stop = source.follow(options.config.nodeName, {
      upsert: (pod) => upsert(parts, source.kind, pod),
      remove: (pod) => remove(parts, source.kind, pod),
      ready: () => {
        if (--waiting === 0) ready();
      },
      refused: (file, reason) => refuse(parts, file, reason),
    });
    options.scope.defer(stop);
  }
  if (options.sources.length === 0) ready();
}

/** Kept to be asked for, and told where there is an API server. */
function refuse({ options, refused }: Parts, file: string, reason: string | undefined): void {
  if (reason === undefined) {
    refused.delete(file);
    return;
  }
  refused.set(file, reason);
  const { nodeName } = options.config;
  const node = { apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeName };
  options.events?.event(node, 'Warning', 'InvalidManifest', `Static pod manifest ${file} is refused: ${reason}`);
}

/** What a source said, in the words of upstream's kubelet. */
function tell({ options, pods }: Parts, source: 'file' | 'api', { what, pod }: { what: string; pod: Pod }): void {
  const { log, config } = options;
  if (!log.enabled(2)) return;
  const { namespace = '', name = '', uid, resourceVersion } = pod.metadata;
  const isNew = what === 'UPDATE' && pods.find(namespace, name)?.uid !== uid;
  const facts = { source, pod: `${namespace}/${name}`, uid, resourceVersion, node: config.nodeName };
  log.info(what === 'UPDATE' && !isNew ? 4 : 2, `SyncLoop ${isNew ? 'ADD' : what}`, facts);
}

function upsert(parts: Parts, kind: 'file' | 'api', pod: Pod): void {
  tell(parts, kind, { what: 'UPDATE', pod });
  const { pods, mirrors } = parts;
  if (kind === 'api' && isMirrorPod(pod)) {
    mirrors.seen(pod);
    // A static pod's status goes to its mirror as soon as there is one.
    pods.find(pod.metadata.namespace ?? '', pod.metadata.name ?? '')?.wake();
    return;
  }
  if (kind === 'file') mirrors.want(pod);
  pods.upsert(pod);
}

function remove(parts: Parts, kind: 'file' | 'api', pod: Pod): void {
  tell(parts, kind, { what: 'REMOVE', pod });
  const { pods, mirrors } = parts;
  if (kind === 'api' && isMirrorPod(pod)) {
    mirrors.gone(pod);
    return;
  }
  if (kind === 'file') mirrors.unwant(pod);
  pods.remove(pod);
}
