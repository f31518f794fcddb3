import type { Container, Pod, ResourceRequirements } from '@binnacle/api/core/v1';
import type { LinuxResources } from '@binnacle/runtime';
import { milliValue, wholeValue } from './amount.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const MIN_SHARES = 2;
const SHARES_PER_CPU = 1024;
const MAX_SHARES = 262_144;
/** Microseconds: what a quota of CPU is counted in. */
export const QUOTA_PERIOD_US = 100_000;
const MIN_QUOTA_US = 1_000;

const NODE_CRITICAL = 2_000_001_000;

/** The Quality of Service class, by the rule of the API: from cpu and memory of all containers. */
export function qosClass(pod: Pod): QosClass {
  if (pod.status?.qosClass !== undefined) return pod.status.qosClass as QosClass;
  const all: (ResourceRequirements | undefined)[] = [];
  for (const c of [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])]) all.push(c.resources);
  if (pod.spec?.resources !== undefined) all.splice(0, all.length, pod.spec.resources);
  const nothing = all.every((r) => !hasAmount(r?.requests) && !hasAmount(r?.limits));
  if (nothing) return 'BestEffort';
  return all.every(isGuaranteed) ? 'Guaranteed' : 'Burstable';
}

/** A container's control group values. The node's memory weighs a burstable pod's chance to be killed. */
export function linuxResources(pod: Pod, container: Container, nodeMemoryBytes: number): LinuxResources {
  const limits = container.resources?.limits ?? {};
  const requests = container.resources?.requests ?? {};
  const cpuLimit = milliValue(limits['cpu']);
  const cpuRequest = requests['cpu'] === undefined ? cpuLimit : milliValue(requests['cpu']);
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

export function oomScoreAdj(pod: Pod, container: Container, nodeMemoryBytes: number): number {
  if ((pod.spec?.priority ?? 0) >= NODE_CRITICAL) return -997;
  switch (qosClass(pod)) {
    case 'Guaranteed':
      return -997;
    case 'BestEffort':
      return 1000;
    case 'Burstable': {
      const request = wholeValue(container.resources?.requests?.['memory'] ?? container.resources?.limits?.['memory']);
      const score = 1000 - Math.floor((1000 * request) / Math.max(1, nodeMemoryBytes));
      // Between the guaranteed ones (-997) and the best-effort ones (1000), exclusive.
      return Math.min(999, Math.max(3, score));
    }
  }
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

function hasAmount(list: { readonly [key: string]: string } | undefined): boolean {
  return milliValue(list?.['cpu']) > 0 || wholeValue(list?.['memory']) > 0;
}

function isGuaranteed(resources: ResourceRequirements | undefined): boolean {
  const { limits = {}, requests = {} } = resources ?? {};
  return (['cpu', 'memory'] as const).every((name) => {
    const limit = milliValue(limits[name]);
    return limit > 0 && (requests[name] === undefined || milliValue(requests[name]) === limit);
  });
}
