import { isSidecar, placedPodRequests } from '@binnacle/api';
import type { Pod, Taint, Toleration } from '@binnacle/api/core/v1';

/** Resources that every node and pod have, by their column. Others get columns as they appear. */
export const CPU = 0;
export const MEMORY = 1;
export const EPHEMERAL_STORAGE = 2;
export const POD_COUNT = 3;

/** What a container without requests is taken to use when nodes are scored, so that empty pods spread too. */
const UNSTATED_MILLI_CPU = 100;
const UNSTATED_MEMORY = 200 * 1024 * 1024;

/** One requested amount: CPU in thousandths, everything else in whole units. */
export interface Request {
  readonly resource: string;
  readonly amount: number;
}

/** A port of the node that a container wants for itself. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** What a pod asks of a node, worked out once. */
export interface PodDemand {
  readonly pod: Pod;
  readonly key: string;
  readonly uid: string;
  readonly milliCpu: number;
  readonly memory: number;
  readonly ephemeralStorage: number;
  /** Extended resources, huge pages. */
  readonly others: readonly Request[];
  /** CPU and memory with stand-ins for what containers leave open, for scoring. */
  readonly scoringMilliCpu: number;
  readonly scoringMemory: number;
  readonly hostPorts: readonly HostPort[];
  readonly tolerations: readonly Toleration[];
  readonly priority: number;
  /** Local plugins say the same of pods of equal shape, on every node. */
  readonly shape: string;
  /** Placed pods of equal cohort count the same for every constraint of another pod. */
  readonly cohort: string;
  /** The claims for volumes that it names, as `namespace/name`. */
  readonly claims: readonly string[];
  /** It has affinity or anti-affinity to other pods. */
  readonly hasPodAffinity: boolean;
}

/** Works out what a pod asks for. */
export function demandOf(pod: Pod): PodDemand {
  const total = placedPodRequests(pod);
  const scoring = leavesOpen(pod)
    ? placedPodRequests(pod, { cpu: UNSTATED_MILLI_CPU, memory: UNSTATED_MEMORY })
    : total;
  const others: Request[] = [];
  for (const [resource, amount] of total) {
    if (resource !== 'cpu' && resource !== 'memory' && resource !== 'ephemeral-storage' && amount > 0) {
      others.push({ resource, amount });
    }
  }
  const hostPorts = hostPortsOf(pod);
  const { tolerations = [], nodeSelector, affinity, nodeName, schedulerName } = pod.spec;
  const demanded = {
    pod,
    key: `${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''}`,
    uid: pod.metadata.uid ?? '',
    milliCpu: total.get('cpu') ?? 0,
    memory: total.get('memory') ?? 0,
    ephemeralStorage: total.get('ephemeral-storage') ?? 0,
    others,
    scoringMilliCpu: scoring.get('cpu') ?? 0,
    scoringMemory: scoring.get('memory') ?? 0,
    hostPorts,
    tolerations,
    priority: pod.spec.priority ?? 0,
  };
  const { milliCpu, memory, ephemeralStorage, scoringMilliCpu, scoringMemory } = demanded;
  const amounts = [milliCpu, memory, ephemeralStorage, scoringMilliCpu, scoringMemory];
  const shape = JSON.stringify([
    amounts,
    others,
    hostPorts,
    tolerations,
    nodeSelector,
    affinity?.nodeAffinity,
    nodeName,
    schedulerName,
  ]);
  const hasPodAffinity = affinity?.podAffinity !== undefined || affinity?.podAntiAffinity !== undefined;
  return { ...demanded, shape, cohort: cohortOf(pod), claims: claimKeysOf(pod), hasPodAffinity };
}

/** What the pod asks for, where nothing of it has changed but its labels. */
export function relabelled(demand: PodDemand, pod: Pod): PodDemand {
  return { ...demand, pod, cohort: cohortOf(pod) };
}

function cohortOf({ metadata, spec }: Pod): string {
  const { namespace, labels, deletionTimestamp } = metadata;
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  return JSON.stringify([namespace, labels, podAffinity, podAntiAffinity, deletionTimestamp !== undefined]);
}

/** Whether stand-ins may change what it asks for: not where every container says all, and has been given nothing else. */
function leavesOpen({ spec, status }: Pod): boolean {
  return (
    status?.containerStatuses !== undefined ||
    spec.containers.some(saysNotAll) ||
    spec.initContainers?.some(saysNotAll) === true
  );
}

function saysNotAll({ resources }: Pod['spec']['containers'][number]): boolean {
  return resources?.requests?.['cpu'] === undefined || resources.requests['memory'] === undefined;
}

const NO_CLAIMS: readonly string[] = [];

function claimKeysOf({ metadata, spec }: Pod): readonly string[] {
  if (spec.volumes === undefined || spec.volumes.length === 0) return NO_CLAIMS;
  return spec.volumes.flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claim = persistentVolumeClaim?.claimName ?? (ephemeral && `${metadata.name ?? ''}-${name}`);
    return claim === undefined ? [] : [`${metadata.namespace ?? ''}/${claim}`];
  });
}

/** The ports of its node that a pod takes. */
export function hostPortsOf(pod: Pod): HostPort[] {
  const restartable = (pod.spec.initContainers ?? []).filter(isSidecar);
  return [...pod.spec.containers, ...restartable].flatMap((container) =>
    (container.ports ?? []).flatMap((port) =>
      port.hostPort === undefined || port.hostPort === 0
        ? []
        : [{ ip: port.hostIP ?? '0.0.0.0', protocol: port.protocol ?? 'TCP', port: port.hostPort }],
    ),
  );
}

/**
 * Two users of a host port are in each other's way when one of them takes every address, or both the same. As upstream,
 * every address is `0.0.0.0` alone: `::` is an address like others.
 */
export function portsConflict(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  const any = (ip: string): boolean => ip === '' || ip === '0.0.0.0';
  return any(a.ip) || any(b.ip) || a.ip === b.ip;
}

/** The taints that keep pods away, as opposed to those that only make a node less liked. */
export function isHardTaint(taint: Taint): boolean {
  return taint.effect === 'NoSchedule' || taint.effect === 'NoExecute';
}
