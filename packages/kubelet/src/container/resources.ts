import { isSidecar, podQosClass, wellknown } from '@binnacle/api';
import type { Container, Pod, PodQOSClass } from '@binnacle/api/core/v1';
import type { LinuxResources } from '@binnacle/runtime';
import { milliValue, wholeValue } from './amount.ts';
import { containersRequests } from './requests.ts';
import { isStatic } from './static-pod.ts';

const MIN_SHARES = 2;
const SHARES_PER_CPU = 1024;
const MAX_SHARES = 262_144;
/** Microseconds: what a quota of CPU is counted in. */
export const QUOTA_PERIOD_US = 100_000;
const MIN_QUOTA_US = 1_000;

const NODE_CRITICAL = wellknown.PRIORITY_SYSTEM_CRITICAL + 1_000;

/** The Quality of Service class that the pod was given, else by the rule of the API. */
export function qosClass(pod: Pod): PodQOSClass {
  return pod.status?.qosClass ?? podQosClass(pod);
}

/** What a container may use of its pod's limits of CPU and memory where it has none of its own. */
export function inheritedLimits({ spec }: Pod, { resources }: Container): { readonly [resource: string]: string } {
  const own = resources?.limits ?? {};
  const ofPod = Object.entries(spec.resources?.limits ?? {});
  return Object.fromEntries(ofPod.filter(([name]) => RESIZED.has(name) && own[name] === undefined));
}

const RESIZED: ReadonlySet<string> = new Set(['cpu', 'memory']);

/**
 * A container's control group values; limits of its pod are its own where it has none. The node's memory weighs a burstable
 * pod's chance to be killed.
 */
export function linuxResources(pod: Pod, container: Container, nodeMemoryBytes: number): LinuxResources {
  const own = container.resources?.limits ?? {};
  const limits = { ...inheritedLimits(pod, container), ...own };
  const requests = container.resources?.requests ?? {};
  const cpuLimit = milliValue(limits['cpu']);
  // What is there for all of the pod is no claim of one of them.
  const cpuRequest = milliValue(requests['cpu'] ?? own['cpu']);
  const memoryLimit = wholeValue(limits['memory']);
  return {
    cpuShares: cpuShares(cpuRequest),
    ...(cpuLimit > 0 ? { cpuQuota: cpuQuota(cpuLimit), cpuPeriod: QUOTA_PERIOD_US } : {}),
    ...(memoryLimit > 0 ? { memoryLimitBytes: memoryLimit } : {}),
    oomScoreAdj: oomScoreAdj(pod, container, nodeMemoryBytes),
  };
}

export function cpuShares(milliCpu: number): number {
  if (milliCpu <= 0) return MIN_SHARES;
  return Math.min(MAX_SHARES, Math.max(MIN_SHARES, Math.floor((milliCpu * SHARES_PER_CPU) / 1000)));
}

/** Microseconds of CPU per period. */
export function cpuQuota(milliCpu: number): number {
  return Math.max(MIN_QUOTA_US, Math.floor((milliCpu * QUOTA_PERIOD_US) / 1000));
}

/** How soon the kernel kills a container where memory runs out. */
export function oomScoreAdj(pod: Pod, container: Container, nodeMemoryBytes: number): number {
  if (isNodeCritical(pod)) return OOM_GUARANTEED;
  switch (qosClass(pod)) {
    case 'Guaranteed':
      return OOM_GUARANTEED;
    case 'BestEffort':
      return OOM_BEST_EFFORT;
    case 'Burstable':
      return burstableOomScore(pod, container, nodeMemoryBytes);
  }
}

const OOM_GUARANTEED = -997;
const OOM_BEST_EFFORT = 1000;

/** Those that the node itself cannot do without; nobody resolves the class of a static pod. */
function isNodeCritical(pod: Pod): boolean {
  const { priority = 0, priorityClassName } = pod.spec;
  return priority >= NODE_CRITICAL || (isStatic(pod) && priorityClassName === wellknown.PRIORITY_SYSTEM_NODE_CRITICAL);
}

/**
 * The less the more it asks for, with its share of what only the pod as a whole asks for; a sidecar goes no sooner than those
 * that it is there for. Between the guaranteed ones and the best-effort ones, exclusive.
 */
function burstableOomScore(pod: Pod, container: Container, nodeMemoryBytes: number): number {
  const share = shareOfPodRequest(pod);
  const score = (bytes: number): number => 1000 - Math.floor((1000 * (bytes + share)) / Math.max(1, nodeMemoryBytes));
  const own = score(memoryRequest(container));
  const others = isSidecar(container) ? score(Math.min(...pod.spec.containers.map(memoryRequest))) : own;
  return Math.min(OOM_BEST_EFFORT - 1, Math.max(1000 + OOM_GUARANTEED, Math.min(own, others)));
}

function memoryRequest({ resources }: Container): number {
  return wholeValue(resources?.requests?.['memory'] ?? resources?.limits?.['memory']);
}

/** What of the pod's own request no container asks for, in equal parts, in bytes. */
function shareOfPodRequest(pod: Pod): number {
  const { resources, containers, initContainers = [] } = pod.spec;
  const own = wholeValue(resources?.requests?.['memory'] ?? resources?.limits?.['memory']);
  if (own === 0) return 0;
  return Math.trunc((own - containersRequests(pod).memory) / (containers.length + initContainers.length));
}

/** `/kubepods/besteffort/pod<uid>`; guaranteed pods sit directly under the root. */
export function cgroupParent(root: string, pod: Pod): string {
  const qos = qosClass(pod);
  const tier = qos === 'Guaranteed' ? '' : `/${qos.toLowerCase()}`;
  return `${root}${tier}/pod${pod.metadata.uid ?? ''}`;
}

/** The control group of a pod of whatever class. */
export function podGroups(root: string, uid: string): readonly string[] {
  return ['', '/burstable', '/besteffort'].map((tier) => `${root}${tier}/pod${uid}`);
}
