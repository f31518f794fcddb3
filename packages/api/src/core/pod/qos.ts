import type { Container, Pod, PodQOSClass, ResourceRequirements } from '../../generated/core-v1.ts';
import { compareAmounts } from '../../validation/numbers.ts';

const COMPUTE = ['cpu', 'memory'] as const;

/**
 * How well the pod is served when its node runs short. Guaranteed: every container limits cpu and memory and
 * requests just as much. BestEffort: no container asks for either. Burstable: everything between. Requests and
 * limits of the pod as a whole, where it has them, decide alone. (API reference, Pod quality of service classes.)
 */
export function podQosClass(pod: Pod): PodQOSClass {
  const own = pod.spec.resources;
  const parts: readonly (ResourceRequirements | undefined)[] = hasAmounts(own) ? [own] : resourcesOf(pod);
  let isGuaranteed = true;
  let asksForNothing = true;
  for (const part of parts) {
    for (const name of COMPUTE) {
      const request = amountOf(part?.requests, name);
      const limit = amountOf(part?.limits, name);
      if (request !== undefined || limit !== undefined) asksForNothing = false;
      if (limit === undefined || (request !== undefined && compareAmounts(request, limit) !== 0)) isGuaranteed = false;
    }
  }
  if (asksForNothing) return 'BestEffort';
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

function resourcesOf(pod: Pod): (ResourceRequirements | undefined)[] {
  const containers: readonly Container[] = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])];
  return containers.map((container) => container.resources);
}

function hasAmounts(resources: ResourceRequirements | undefined): boolean {
  return COMPUTE.some((name) => resources?.requests?.[name] !== undefined || resources?.limits?.[name] !== undefined);
}

/** Zero counts as not asked for. */
function amountOf(amounts: { readonly [name: string]: string } | undefined, name: string): string | undefined {
  const amount = amounts?.[name];
  return amount === '0' ? undefined : amount;
}
