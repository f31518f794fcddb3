/** What a container's status says it has, from what the runtime says. Pure. */
import type { ResourceRequirements } from '@binnacle/api/core/v1';
import { formatQuantity, milliQuantityOf, quantityOf } from '@binnacle/machinery';
import type { LinuxResources } from '@binnacle/runtime';
import { milliValue, wholeValue } from '../container/amount.ts';

type Amounts = { readonly [name: string]: string };

/** The least that the kernel knows: shares stand for requests up to this, quotas for limits up to this. */
const LEAST_REQUEST_MILLI = 2;
const LEAST_LIMIT_MILLI = 10;
const SHARES_PER_CPU = 1024;

/**
 * What a running container has: CPU and the limit of memory as the runtime tells, everything else as it was given. Below
 * what the kernel can tell apart it is what was given; also where the amount is the same in other words.
 */
export function reportedResources(given: ResourceRequirements, actual: LinuxResources): ResourceRequirements {
  const { requests, limits } = given;
  return {
    ...given,
    ...(requests === undefined ? {} : { requests: { ...requests, ...requestOf(requests, actual) } }),
    ...(limits === undefined ? {} : { limits: { ...limits, ...limitsOf(limits, actual) } }),
  };
}

function requestOf(requests: Amounts, { cpuShares }: LinuxResources): Amounts {
  // Each has a weight, also who asked for none.
  if (requests['cpu'] === undefined || cpuShares === undefined || cpuShares === 0) return {};
  const milli = Math.ceil((cpuShares * 1000) / SHARES_PER_CPU);
  const given = milliValue(requests['cpu']);
  if (milli === given || (milli <= LEAST_REQUEST_MILLI && given <= LEAST_REQUEST_MILLI)) return {};
  return { cpu: formatQuantity(milliQuantityOf(milli)) };
}

function limitsOf(limits: Amounts, { cpuQuota, cpuPeriod, memoryLimitBytes }: LinuxResources): Amounts {
  const own: { [name: string]: string } = {};
  // Without a limit of its own it has its pod's.
  if (
    limits['cpu'] !== undefined &&
    cpuQuota !== undefined &&
    cpuQuota > 0 &&
    cpuPeriod !== undefined &&
    cpuPeriod > 0
  ) {
    const milli = Math.ceil((cpuQuota * 1000) / cpuPeriod);
    const given = milliValue(limits['cpu']);
    if (milli !== given && !(milli <= LEAST_LIMIT_MILLI && given <= LEAST_LIMIT_MILLI))
      own['cpu'] = formatQuantity(milliQuantityOf(milli));
  }
  if (
    limits['memory'] !== undefined &&
    memoryLimitBytes !== undefined &&
    memoryLimitBytes > 0 &&
    memoryLimitBytes !== wholeValue(limits['memory'])
  )
    own['memory'] = formatQuantity(quantityOf(memoryLimitBytes, 'BinarySI'));
  return own;
}
