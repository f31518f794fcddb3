import { openGate } from '@binnacle/base';
import type { Logger, Trace } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';
import { createGivers } from './givers.ts';
import { NodeGroups } from './cgroup/node-groups.ts';
import type { NodeGroupsOptions } from './cgroup/node-groups.ts';
import { resizeRefusal } from './resize/fit.ts';
import { allocatableOf, podsMemoryBytes } from './eviction/reserve.ts';
import { ImagePuller, type PullerOptions as ImagePullerOptions } from './image/puller.ts';
import { doorOf } from './pod/door.ts';
import type { NodePlugins } from './node-plugins.ts';
import { Backoff } from './backoff.ts';
import { createPodEvents } from './pod-events.ts';
import { createStateTale } from './pod/state-tale.ts';
import { deleteApiPod, removeRemains } from './pod/remains.ts';
import type { PodWorld, Rejection } from './pod/world.ts';
import type { KubeletOptions, NodePressure, ObjectReader } from './ports.ts';
import { attemptProbe } from './probe/attempt.ts';
import { Prober } from './probe/prober.ts';
import type { ProberOptions } from './probe/prober.ts';
import type { Mirrors } from './source/mirrors.ts';
import { StatusWriter } from './status/writer.ts';
import { Volumes } from './volume/volumes.ts';
import type { VolumesOptions } from './volume/volumes.ts';

/** Every probe is told from level 5, whatever came of it. */
function probeAndTell(by: Parameters<typeof attemptProbe>[0], log: Logger): ProberOptions['attempt'] {
  return async (target) => {
    const result = await attemptProbe(by, target);
    const { containerId, container } = target;
    log.info(5, 'Probed', { containerId, containerName: container.name, result: result.kind });
    return result;
  };
}

/** Reads a secret once: nobody is told when it changes. */
function secretReader(objects: ObjectReader | undefined): ImagePullerOptions['secret'] {
  return async (pod, name) => {
    const holder = { changed: () => undefined };
    try {
      return await objects?.secret(pod.metadata.namespace ?? '', name, holder);
    } finally {
      objects?.release(holder);
    }
  };
}

/** One pass of one pod's worker is a step of the kubelet. */
function gateOf({ gate = openGate, config, scope }: KubeletOptions): PodWorld['pass'] {
  const component = `kubelet.${config.nodeName}`;
  gate.join(component);
  return ({ metadata: { namespace = '', name = '' } }) =>
    gate.pass(component, { what: `sync pod ${namespace}/${name}` }, scope.signal);
}

/** What of the kubelet its pods' workers know. */
export interface WorldParts {
  readonly mirrors: Mirrors;
  readonly runtimeName: () => string;
  /** Those that take room, but for one. */
  readonly others: (uid?: string) => readonly Pod[];
  /** Ends a pod for one that the node cannot do without. Resolves when it is off the node. */
  readonly preempt: (pod: Pod) => Promise<void>;
  readonly roomChanged: () => void;
  /** Containers without CPUs of their own have others now. */
  readonly sharedCpusChanged: () => void;
  readonly pressure: () => NodePressure | undefined;
  readonly joins: PodWorld['joins'];
  readonly apiNode: PodWorld['apiNode'];
  /** Why the node takes no pod at all; undefined: it does. */
  readonly refusal: () => Rejection | undefined;
  /** Who may have images that are there; absent: everybody. */
  readonly access: ImagePullerOptions['access'];
  /** Absent: this node has no plugins. */
  readonly plugins: Pick<NodePlugins, 'volumes' | 'devices' | 'claims'> | undefined;
}

function statusWriterOf({ config, client, clock, log }: KubeletOptions): StatusWriter {
  const { nodeName, pendingStatusDelayMs: pendingDelayMs } = config;
  return new StatusWriter({ nodeName, client, clock, log, pendingDelayMs });
}

function groupsOf(
  { config, machine, log }: KubeletOptions,
  of: Pick<NodeGroupsOptions, 'cpus' | 'allocatable' | 'pods'>,
): NodeGroups {
  const { cpus, memoryBytes: all } = machine;
  const held = config.holdsPods;
  const memoryBytes = held ? podsMemoryBytes(config, machine) : all;
  return new NodeGroups({
    ...of,
    allocatable: held ? of.allocatable : { ...of.allocatable, milliCpu: cpus * 1000 },
    machine,
    root: config.cgroupRoot,
    memoryBytes,
    processesMax: config.podPidsLimit,
    log,
  });
}

/** Where pods' volumes come from. */
function volumesOf(
  { config, runtime, files, objects, clock }: KubeletOptions,
  { puller, ...of }: Pick<VolumesOptions, 'allocatable' | 'csi'> & { readonly puller: ImagePuller },
): Volumes {
  const images = { puller, mounts: runtime.imageMounts };
  return new Volumes({ ...of, images, rootDirectory: config.rootDirectory, files, objects, clock });
}

/** What all pod workers of one kubelet share, put together from the kubelet's ports. */
export function createWorld(options: KubeletOptions & { readonly trace: Trace }, of: WorldParts): PodWorld {
  const { config, runtime, clock, random, machine, client, files, objects, network, log, trace } = options;
  const events = createPodEvents(options.events);
  const allocatable = allocatableOf(config, machine);
  const given = createGivers(options, { ...of, devices: of.plugins?.devices });
  const backoff = (most: number): Backoff => new Backoff(Math.min(config.backoffInitialMs, most), most);
  const puller = new ImagePuller({
    runtime,
    clock,
    events,
    backoff: backoff(config.backoffMaxMs),
    parallelMax: config.parallelPullsMax,
    secret: secretReader(objects),
    nodeCredentials: options.imageCredentials,
    access: of.access,
  });
  const door = doorOf({ config, machine, allocatable }, { ...of, devices: of.plugins?.devices });
  return {
    config,
    runtime,
    clock,
    random,
    log,
    stateChanged: createStateTale(trace, config.nodeName),
    pass: gateOf(options),
    machine,
    files,
    network,
    joins: of.joins,
    policies: options.policies,
    objects,
    events,
    allocatable,
    devices: of.plugins?.devices,
    claims: of.plugins?.claims,
    restarts: backoff(config.restartBackoffMaxMs),
    images: puller,
    volumes: volumesOf(options, { puller, allocatable, csi: of.plugins?.volumes }),
    prober: new Prober({
      clock,
      random,
      events,
      trace,
      nodeName: config.nodeName,
      attempt: probeAndTell({ runtime, network }, log),
    }),
    statuses: statusWriterOf(options),
    hostIPs: machine.addresses.filter((a) => a.type === 'InternalIP').map((a) => a.address),
    runtimeName: of.runtimeName,
    nodeResolvConf: () => machine.resolvConf(),
    apiTwin: (pod) => of.mirrors.twin(pod),
    given,
    groups: groupsOf(options, { cpus: given.cpus, allocatable, pods: () => of.others() }),
    roomChanged: of.roomChanged,
    refuseResize(pod) {
      // Whatever becomes of it, what was counted of it may be too little.
      door.recount();
      return given.refuseResize(pod) ?? resizeRefusal(pod, of.others(pod.metadata.uid), allocatable);
    },
    apiNode: of.apiNode,
    ...door,
    removeRemains: (pod) => removeRemains({ config, machine, files }, pod),
    deleteApiPod: (pod) => deleteApiPod({ client, nodeName: config.nodeName }, pod),
  };
}
