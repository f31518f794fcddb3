/** What the control groups of a node's pods are set to. Pure. */
import { isSidecar } from '@binnacle/api';
import type { Container, Pod } from '@binnacle/api/core/v1';
import { milliValue, wholeValue } from '../container/amount.ts';
import { cpuQuota, cpuShares, QUOTA_PERIOD_US, qosClass } from '../container/resources.ts';
import { podRequests } from '../container/requests.ts';
import { type HugePages, hugePageLimits } from '../huge-pages.ts';
import type { GroupValues } from '../ports.ts';
import { hugePagesOfPod } from '../container/pod-wish.ts';

/** No limit. */
export const UNLIMITED = -1;

/**
 * The weight and the limits of a pod as a whole: what its containers request together; and what they are limited to,
 * where each of them is, or the pod as a whole.
 */
export function podGroupValues(
  pod: Pod,
  processesMax = UNLIMITED,
  hugePages: readonly HugePages[] = [],
): Required<GroupValues> {
  const limits = podLimits(pod);
  return {
    cpuShares: cpuShares(qosClass(pod) === 'BestEffort' ? 0 : podRequests(pod).cpu),
    cpuQuotaUs: limits.cpu === UNLIMITED ? UNLIMITED : cpuQuota(limits.cpu),
    cpuPeriodUs: QUOTA_PERIOD_US,
    memoryLimitBytes: limits.memory,
    processesMax,
    hugePageLimits: hugePageLimits(hugePages, (resource) => hugePagesOfPod(pod, resource)),
  };
}

/** The weight of all burstable pods together. */
export function burstableShares(pods: readonly Pod[]): number {
  let milli = 0;
  for (const pod of pods) if (qosClass(pod) === 'Burstable') milli += podRequests(pod).cpu;
  return cpuShares(milli);
}

/** What gives room to both: while containers go from one to the other neither may be in their way. */
export function envelope(a: Required<GroupValues>, b: Required<GroupValues>): Required<GroupValues> {
  const most = (one: number, other: number): number =>
    one === UNLIMITED || other === UNLIMITED ? UNLIMITED : Math.max(one, other);
  return {
    cpuShares: Math.max(a.cpuShares, b.cpuShares),
    cpuQuotaUs: most(a.cpuQuotaUs, b.cpuQuotaUs),
    cpuPeriodUs: b.cpuPeriodUs,
    memoryLimitBytes: most(a.memoryLimitBytes, b.memoryLimitBytes),
    processesMax: most(a.processesMax, b.processesMax),
    // They do not change while a pod runs.
    hugePageLimits: b.hugePageLimits,
  };
}

interface Limits {
  readonly cpu: number;
  readonly memory: number;
}

function podLimits(pod: Pod): Limits {
  const { spec } = pod;
  const own = spec.resources?.limits;
  const overhead = { cpu: milliValue(spec.overhead?.['cpu']), memory: wholeValue(spec.overhead?.['memory']) };
  const together = (name: 'cpu' | 'memory', amount: (quantity: string | undefined) => number): number => {
    const limit =
      own?.[name] === undefined ? sumOfLimits(pod, (c) => amount(c.resources?.limits?.[name])) : amount(own[name]);
    return limit <= 0 ? UNLIMITED : limit + overhead[name];
  };
  return { cpu: together('cpu', milliValue), memory: together('memory', wholeValue) };
}

/** 0 where one of them has no limit. */
function sumOfLimits({ spec }: Pod, limitOf: (container: Container) => number): number {
  const all = [...(spec.initContainers ?? []), ...spec.containers];
  if (all.some((container) => limitOf(container) === 0)) return 0;
  let sum = 0;
  let peak = 0;
  for (const container of spec.initContainers ?? []) {
    if (isSidecar(container)) sum += limitOf(container);
    peak = Math.max(peak, isSidecar(container) ? sum : sum + limitOf(container));
  }
  for (const container of spec.containers) sum += limitOf(container);
  return Math.max(sum, peak);
}
