import { addQuantities, compareQuantities, formatQuantity, parseQuantity } from '@binnacle/machinery';
import type { Quantity } from '@binnacle/machinery';
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
  for (const [name, amount] of containersTogether(spec, 'limits')) {
    if (isHugePages(name)) limits[name] ??= formatQuantity(amount);
  }
  if (isEmpty(limits)) return;
  resources.limits = limits;
  const requests: Amounts = { ...resources.requests };
  for (const [name, amount] of containersTogether(spec, 'requests')) {
    if (isPodLevelResource(name) && isOvercommitAllowed(name)) requests[name] ??= formatQuantity(amount);
  }
  for (const [name, amount] of Object.entries(limits)) if (isPodLevelResource(name)) requests[name] ??= amount;
  if (!isEmpty(requests)) resources.requests = requests;
}

function isEmpty(amounts: { readonly [name: string]: string } | undefined): boolean {
  return amounts === undefined || Object.keys(amounts).length === 0;
}

type Total = Map<string, Quantity>;

/**
 * Containers and sidecars together, or the hungriest init container beside the sidecars before it. Only what a
 * container names itself can raise the total then: the rest was counted when its sidecar came.
 */
export function containersTogether(spec: PodSpec, list: List): ReadonlyMap<string, Quantity> {
  const total: Total = new Map();
  const sidecars: Total = new Map();
  const starting: Total = new Map();
  for (const container of spec.containers ?? []) {
    for (const [name, amount] of amountsOf(container, list)) add(total, name, parseQuantity(amount));
  }
  for (const container of spec.initContainers ?? []) {
    const isSidecar = container.restartPolicy === 'Always';
    for (const [name, text] of amountsOf(container, list)) {
      const amount = parseQuantity(text);
      if (isSidecar) {
        add(total, name, amount);
        add(sidecars, name, amount);
      }
      const beside = sidecars.get(name);
      raise(starting, name, isSidecar || beside === undefined ? (beside ?? amount) : addQuantities(amount, beside));
    }
  }
  for (const [name, amount] of starting) raise(total, name, amount);
  return total;
}

function amountsOf(container: Container, list: List): [string, string][] {
  return Object.entries(container.resources?.[list] ?? {});
}

function add(to: Total, name: string, amount: Quantity): void {
  const there = to.get(name);
  to.set(name, there === undefined ? amount : addQuantities(there, amount));
}

function raise(to: Total, name: string, amount: Quantity): void {
  const there = to.get(name);
  if (there === undefined || compareQuantities(amount, there) > 0) to.set(name, amount);
}
