import { addQuantities, compareQuantities, formatQuantity } from '@binnacle/machinery';
import type { Draft } from '../../draft.ts';
import type { Container, PodSpec } from '../../generated/core-v1.ts';
import { isHugePages, isOvercommitAllowed, isPodLevelResource } from '../resource-names.ts';

type Amounts = { [name: string]: string };
type List = 'requests' | 'limits';

/**
 * Completes what a pod asks for as a whole, where it says so at all: limits of huge pages are those of its containers
 * together; requests are those of its containers together, or else its own limits. (KEP-2837.) The containers have
 * their own defaults already.
 */
export function defaultPodResources(spec: Draft<PodSpec>): void {
  const { resources } = spec;
  if (!resources || (isEmpty(resources.limits) && isEmpty(resources.requests))) return;
  const limits: Amounts = { ...resources.limits };
  for (const [name, amount] of Object.entries(aggregate(spec, 'limits'))) {
    if (isHugePages(name)) limits[name] ??= amount;
  }
  if (isEmpty(limits)) return;
  resources.limits = limits;
  const requests: Amounts = { ...resources.requests };
  for (const [name, amount] of Object.entries(aggregate(spec, 'requests'))) {
    if (isPodLevelResource(name) && isOvercommitAllowed(name)) requests[name] ??= amount;
  }
  for (const [name, amount] of Object.entries(limits)) if (isPodLevelResource(name)) requests[name] ??= amount;
  if (!isEmpty(requests)) resources.requests = requests;
}

function isEmpty(amounts: { readonly [name: string]: string } | undefined): boolean {
  return amounts === undefined || Object.keys(amounts).length === 0;
}

/** Containers and sidecars together, or the hungriest init container beside the sidecars before it. */
function aggregate(spec: Draft<PodSpec>, list: List): Amounts {
  const total: Amounts = {};
  const sidecars: Amounts = {};
  const starting: Amounts = {};
  for (const container of spec.containers ?? []) add(total, amountsOf(container, list));
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(container, list);
    if (container.restartPolicy === 'Always') {
      add(total, own);
      add(sidecars, own);
      raise(starting, sidecars);
    } else {
      add(own, sidecars);
      raise(starting, own);
    }
  }
  raise(total, starting);
  return total;
}

function amountsOf(container: Draft<Container>, list: List): Amounts {
  return { ...container.resources?.[list] };
}

function add(to: Amounts, amounts: Amounts): void {
  for (const [name, amount] of Object.entries(amounts)) {
    const there = to[name];
    to[name] = there === undefined ? amount : formatQuantity(addQuantities(there, amount));
  }
}

function raise(to: Amounts, amounts: Amounts): void {
  for (const [name, amount] of Object.entries(amounts)) {
    const there = to[name];
    if (there === undefined || compareQuantities(amount, there) > 0) to[name] = amount;
  }
}
