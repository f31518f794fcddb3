import type { Quantity } from '@binnacle/machinery';
import { quantityOf } from '@binnacle/machinery';
import type { Container, Pod, PodAffinityTerm, ScopedResourceSelectorRequirement } from '../generated/core-v1.ts';
import { isPodTerminal } from '../core/pod/questions.ts';
import { podQosClass } from '../core/pod/qos.ts';
import { DEVICE_CLASS_PREFIX, isClaimableResource, isHugePages, isNativeResource } from '../core/resource-names.ts';
import { amountsFrom } from './amounts.ts';
import type { QuotaAmounts } from './amounts.ts';
import type { QuotaEvaluator } from './quota-evaluator.ts';
import { hasPodLevelResources, podAmounts } from './pod-amounts.ts';
import { selectsName } from './scope-selector.ts';

const COUNT = 'count/pods';
const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const COUNTED = new Set([COUNT, 'pods', ...COMPUTE.flatMap((name) => [name, `requests.${name}`, `limits.${name}`])]);
/** Before the name of what is requested, as quotas have it. */
export const REQUESTS = 'requests.';

/** Where a quota counts these, every container has to say how much of them it wants. */
const REQUIRED = new Set(['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']);

/** How pods count: by number, and by what they request and are limited to until they are over. */
export const POD_EVALUATOR: QuotaEvaluator = {
  counts(name) {
    if (COUNTED.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-')) return true;
    return claimableIn(name) !== undefined;
  },
  usage(object, nowMs) {
    const pod = object as Pod;
    const one = quantityOf(1);
    if (isOver(pod, nowMs)) return new Map([[COUNT, one]]);
    return counted(podAmounts(pod, 'requests'), podAmounts(pod, 'limits')).set(COUNT, one).set('pods', one);
  },
  inScope: (object, selector) => podInScope(object as Pod, selector),
  unsaid: (object, names) => unsaidByContainers(object as Pod, names),
};

/** The resource of a quota's `requests.example.com/gpu` that a vendor's devices may be, or those of a class. */
export function claimableIn(name: string): string | undefined {
  if (!name.startsWith(REQUESTS)) return undefined;
  const resource = name.slice(REQUESTS.length);
  return !isNativeResource(name) || resource.startsWith(DEVICE_CLASS_PREFIX) ? resource : undefined;
}

/** Ended, or being deleted for longer than it was given: a lost node must not keep its namespace from going on. */
function isOver(pod: Pod, nowMs: number): boolean {
  if (isPodTerminal(pod)) return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return nowMs > Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1_000;
}

/** Under the names that quotas have for requests and limits. */
function counted(requests: QuotaAmounts, limits: QuotaAmounts): Map<string, Quantity> {
  const found = new Map<string, Quantity>();
  for (const [name, amount] of requests) {
    const isPlain = COMPUTE.includes(name) || isHugePages(name);
    if (isPlain) found.set(name, amount);
    if (isPlain || isClaimableResource(name)) {
      found.set(REQUESTS + name, amount);
    }
  }
  for (const [name, amount] of limits) {
    if (COMPUTE.includes(name)) found.set(`limits.${name}`, amount);
  }
  return found;
}

function podInScope(pod: Pod, selector: ScopedResourceSelectorRequirement): boolean {
  switch (selector.scopeName) {
    case 'Terminating':
      return hasDeadline(pod);
    case 'NotTerminating':
      return !hasDeadline(pod);
    case 'BestEffort':
      return podQosClass(pod) === 'BestEffort';
    case 'NotBestEffort':
      return podQosClass(pod) !== 'BestEffort';
    case 'PriorityClass': {
      const { priorityClassName = '' } = pod.spec;
      return selectsName(selector, priorityClassName === '' ? [] : [priorityClassName]);
    }
    case 'CrossNamespacePodAffinity':
      return affinityTerms(pod).some(({ namespaces, namespaceSelector }) => {
        return (namespaces ?? []).length > 0 || namespaceSelector !== undefined;
      });
    default:
      return false;
  }
}

/** Of the scopes Terminating and NotTerminating: bound to end, not being deleted. */
export function hasDeadline({ spec }: Pod): boolean {
  return spec.activeDeadlineSeconds !== undefined;
}

function affinityTerms({ spec }: Pod): readonly PodAffinityTerm[] {
  return [spec.affinity?.podAffinity, spec.affinity?.podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => term.podAffinityTerm),
  ]);
}

function unsaidByContainers(pod: Pod, names: ReadonlySet<string>): string | undefined {
  if (hasPodLevelResources(pod)) return undefined;
  const required = [...names].filter((name) => REQUIRED.has(name)).sort();
  const containers = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])];
  const missing = required.flatMap((name) => {
    const silent = containers.filter((container) => !says(container, name)).map((container) => container.name);
    return silent.length === 0 ? [] : [`${name} for: ${[...new Set(silent)].sort().join(',')}`];
  });
  return missing.length === 0 ? undefined : `must specify ${missing.join('; ')}`;
}

function says({ resources }: Container, name: string): boolean {
  return counted(amountsFrom(resources?.requests), amountsFrom(resources?.limits)).has(name);
}
