import { formatTime } from '@binnacle/base';
import { wellknown } from '@binnacle/api';
import type { Draft } from '@binnacle/client';
import { canonicalQuantity } from '@binnacle/machinery';
import type { ContainerImage, Node, NodeCondition, NodeStatus } from '@binnacle/api/core/v1';
import type { ImageStatus, RuntimeStatus, RuntimeVersion } from '@binnacle/runtime';
import { podsMax } from '../config.ts';
import type { KubeletConfig } from '../config.ts';
import type { NodeAllocatable } from '../registration/allocatable.ts';
import { hugePagesName } from '../huge-pages.ts';
import { networkTrouble } from './pod-network-state.ts';
import type { Machine, NodePressure } from '../ports.ts';

/** How many devices there are of a resource, and how many are well. */
export interface DeviceCount {
  readonly resource: string;
  readonly capacity: number;
  readonly allocatable: number;
}

export interface NodeSeen {
  readonly config: KubeletConfig;
  readonly machine: Machine;
  readonly allocatable: NodeAllocatable;
  readonly version: RuntimeVersion;
  readonly status: RuntimeStatus;
  readonly images: readonly ImageStatus[];
  /** What presses on the node; absent: nothing can. */
  readonly pressure: NodePressure | undefined;
  /** What keeps it from being ready beside its runtime. */
  readonly trouble?: string | undefined;
  /** That plugins bring. */
  readonly devices?: readonly DeviceCount[];
  /** Absent: it knows no volumes that others attach. */
  readonly volumesInUse?: readonly string[] | undefined;
  /** What the API has, when it has. */
  readonly before: NodeStatus | undefined;
  readonly nowMs: number;
}

/**
 * Features that others ask about: that its streams take the WebSockets of clients as they are, that pods as a
 * whole and init containers are resized, that all containers of a pod begin anew by the end of one. Sorted.
 */
const DECLARED_FEATURES = [
  'ExtendWebSocketsToKubelet',
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'RestartAllContainersOnContainerExits',
];

/** The Node object as a kubelet registers it. */
export function newNode(config: KubeletConfig, machine: Machine, status: NodeStatus): Draft<Node> {
  return {
    metadata: {
      name: config.nodeName,
      labels: nodeLabels(config, machine),
      annotations: nodeAnnotations(config),
    },
    spec: {
      ...(config.nodeTaints.length > 0 ? { taints: config.nodeTaints } : {}),
      ...(config.providerID === '' ? {} : { providerID: config.providerID }),
    },
    status,
  };
}

/** That the controller attaches its volumes, and the annotations of its configuration. */
export function nodeAnnotations(config: KubeletConfig): { readonly [key: string]: string } {
  return { [wellknown.ANNOTATION_ATTACH_DETACH]: 'true', ...config.nodeAnnotations };
}

export function nodeLabels(config: KubeletConfig, machine: Machine): { readonly [key: string]: string } {
  const { LABEL_ARCH, LABEL_ARCH_BETA, LABEL_HOSTNAME, LABEL_OS, LABEL_OS_BETA } = wellknown;
  return {
    [LABEL_ARCH_BETA]: machine.architecture,
    [LABEL_OS_BETA]: machine.operatingSystem,
    [LABEL_ARCH]: machine.architecture,
    [LABEL_HOSTNAME]: machine.hostname,
    [LABEL_OS]: machine.operatingSystem,
    ...config.nodeLabels,
  };
}

/** The node's status from what is seen. Pure; heartbeats move only with it. */
export function nodeStatus(seen: NodeSeen): NodeStatus {
  const { config, machine } = seen;
  const { allocatable, devices = [] } = seen;
  const resources = {
    cpu: String(machine.cpus),
    'ephemeral-storage': canonicalQuantity(`${Math.floor(machine.ephemeralStorageBytes / 1024)}Ki`),
    ...hugePageAmounts(machine),
    memory: canonicalQuantity(`${Math.floor(machine.memoryBytes / 1024)}Ki`),
    pods: String(podsMax(config, machine.cpus)),
    ...Object.fromEntries(devices.map((count) => [count.resource, String(count.capacity)])),
  };
  return {
    capacity: resources,
    allocatable: {
      ...resources,
      cpu: allocatable.milliCpu % 1000 === 0 ? String(allocatable.milliCpu / 1000) : `${allocatable.milliCpu}m`,
      'ephemeral-storage': String(allocatable.ephemeralStorageBytes),
      ...Object.fromEntries(devices.map((count) => [count.resource, String(count.allocatable)])),
      memory: canonicalQuantity(`${Math.floor(allocatable.memoryBytes / 1024)}Ki`),
    },
    conditions: nodeConditions(seen),
    addresses: machine.addresses,
    daemonEndpoints: { kubeletEndpoint: { Port: config.port } },
    nodeInfo: {
      machineID: machine.machineId,
      systemUUID: machine.systemUuid,
      bootID: machine.bootId,
      kernelVersion: machine.kernelVersion,
      osImage: machine.osImage,
      containerRuntimeVersion: `${seen.version.name}://${seen.version.version.replace(/^v/, '')}`,
      kubeletVersion: config.version,
      kubeProxyVersion: '',
      operatingSystem: machine.operatingSystem,
      architecture: machine.architecture,
    },
    declaredFeatures: DECLARED_FEATURES,
    images: nodeImages(seen.images, config.nodeStatusMaxImages),
    ...runtimeHandlers(seen),
    ...runtimeFeatures(seen.status),
    ...(seen.volumesInUse === undefined ? {} : { volumesInUse: seen.volumesInUse }),
  };
}

/** By resource; of the sizes that every such processor has also where the machine keeps none. */
function hugePageAmounts({ hugePages = [] }: Machine): { readonly [resource: string]: string } {
  const own = hugePages.map(({ sizeBytes, count }) => [
    hugePagesName(sizeBytes),
    count === 0 ? '0' : canonicalQuantity(`${(sizeBytes / 1024) * count}Ki`),
  ]);
  return { 'hugepages-1Gi': '0', 'hugepages-2Mi': '0', ...Object.fromEntries(own) };
}

/** What presses when, with the words for both; a node on which nothing runs is under no pressure. */
const PRESSURES = [
  [
    'MemoryPressure',
    'memory',
    'KubeletHasSufficientMemory',
    'kubelet has sufficient memory available',
    'KubeletHasInsufficientMemory',
    'kubelet has insufficient memory available',
  ],
  [
    'DiskPressure',
    'disk',
    'KubeletHasNoDiskPressure',
    'kubelet has no disk pressure',
    'KubeletHasDiskPressure',
    'kubelet has disk pressure',
  ],
  [
    'PIDPressure',
    'pid',
    'KubeletHasSufficientPID',
    'kubelet has sufficient PID available',
    'KubeletHasInsufficientPID',
    'kubelet has insufficient PID available',
  ],
] as const;

function nodeConditions(seen: NodeSeen): NodeCondition[] {
  const trouble = notReadyMessage(seen);
  const drafts: Omit<NodeCondition, 'lastHeartbeatTime' | 'lastTransitionTime'>[] = PRESSURES.map(
    ([type, what, reason, message, badReason, badMessage]) => {
      const pressure = seen.pressure?.[what];
      if (pressure === 'unknown') {
        return { type, status: 'Unknown', reason: 'NodeStatusUnknown', message: `${what} cannot be measured` };
      }
      return pressure === true
        ? { type, status: 'True', reason: badReason, message: badMessage }
        : { type, status: 'False', reason, message };
    },
  );
  drafts.push(
    trouble === ''
      ? { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }
      : { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: trouble },
  );
  const now = formatTime(seen.nowMs);
  const own = drafts.map((draft) => {
    const old = seen.before?.conditions?.find((c) => c.type === draft.type);
    const since = old?.status === draft.status ? old?.lastTransitionTime : undefined;
    return {
      type: draft.type,
      status: draft.status ?? 'Unknown',
      lastHeartbeatTime: now,
      lastTransitionTime: since ?? now,
      reason: draft.reason ?? '',
      message: draft.message ?? '',
    };
  });
  return own;
}

function notReadyMessage({ status, trouble }: Pick<NodeSeen, 'status' | 'trouble'>): string {
  const parts: string[] = [];
  if (!status.runtime.ready) {
    parts.push(
      `container runtime not ready: RuntimeReady=false reason:${status.runtime.reason} message:${status.runtime.message}`,
    );
  }
  const unjoined = networkTrouble(status);
  if (unjoined !== undefined) parts.push(unjoined);
  if (trouble !== undefined) parts.push(trouble);
  return parts.length > 1 ? `[${parts.join(', ')}]` : (parts[0] ?? '');
}

/** What the runtime says that its ways of running pods can do; it is the last word, also when it says less than before. */
function runtimeHandlers({
  status: { handlers },
  before,
}: Pick<NodeSeen, 'status' | 'before'>): Pick<NodeStatus, 'runtimeHandlers'> {
  if (handlers.length === 0 && (before?.runtimeHandlers ?? []).length === 0) return {};
  return {
    runtimeHandlers: handlers.map(({ name, recursiveReadOnlyMounts, userNamespaces }) => ({
      name,
      features: { recursiveReadOnlyMounts, userNamespaces },
    })),
  };
}

/** What it can in all of its ways; one that is too old says nothing. */
function runtimeFeatures({ supportsGroupsPolicy }: NodeSeen['status']): Pick<NodeStatus, 'features'> {
  return supportsGroupsPolicy === undefined ? {} : { features: { supplementalGroupsPolicy: supportsGroupsPolicy } };
}

/** The largest first, each with at most five names: as upstream bounds it. */
function nodeImages(images: readonly ImageStatus[], most: number): ContainerImage[] {
  return images
    .toSorted((a, b) => b.sizeBytes - a.sizeBytes)
    .slice(0, most < 0 ? images.length : most)
    .map((image) => ({ names: [...image.digests, ...image.tags].slice(0, 5), sizeBytes: image.sizeBytes }));
}
