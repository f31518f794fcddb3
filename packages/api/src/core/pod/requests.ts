import { quantityMilliValue, quantityValue } from '@binnacle/machinery';
import type { Container, Pod } from '../../generated/core-v1.ts';
import { isSidecar } from './questions.ts';

/** Amounts by resource name: CPU in thousandths of a core, everything else in whole units. */
export type ResourceAmounts = ReadonlyMap<string, number>;

type Amounts = Map<string, number>;

/** What a container is taken to request where it says nothing, in the units of `ResourceAmounts`. */
export interface UnstatedRequests {
  readonly cpu: number;
  readonly memory: number;
}

/** The amount of one quantity of a resource, in the units of `ResourceAmounts`; rounded up. */
export function resourceAmount(resource: string, quantity: string): number {
  return resource === 'cpu' ? quantityMilliValue(quantity) : quantityValue(quantity);
}

/**
 * What a pod requests of its node: its containers and sidecars together, or its hungriest init container beside the
 * sidecars started before it, whichever is more; pod-level requests win over both; overhead on top.
 * (API reference, Pod resources; KEP-753 for sidecars, KEP-2837 for pod-level resources.)
 */
export function podRequests(pod: Pod, unstated?: UnstatedRequests): ResourceAmounts {
  const total: Amounts = new Map();
  for (const container of pod.spec.containers ?? []) add(total, requestsOf(container, unstated));
  const sidecars: Amounts = new Map();
  const starting: Amounts = new Map();
  for (const container of pod.spec.initContainers ?? []) {
    const own = requestsOf(container, unstated);
    const startsBeside = !isSidecar(container);
    if (!startsBeside) {
      add(total, own);
      add(sidecars, own);
    }
    // What it does not ask for itself was counted when the sidecar that does came.
    for (const [resource, amount] of own) {
      raise(starting, resource, (sidecars.get(resource) ?? 0) + (startsBeside ? amount : 0));
    }
  }
  for (const [resource, amount] of starting) raise(total, resource, amount);
  for (const [resource, quantity] of Object.entries(pod.spec.resources?.requests ?? {})) {
    total.set(resource, resourceAmount(resource, quantity));
  }
  for (const [resource, quantity] of Object.entries(pod.spec.overhead ?? {})) {
    total.set(resource, (total.get(resource) ?? 0) + resourceAmount(resource, quantity));
  }
  return total;
}

function requestsOf(container: Container, unstated: UnstatedRequests | undefined): Amounts {
  const amounts: Amounts = new Map();
  for (const [resource, quantity] of Object.entries(container.resources?.requests ?? {})) {
    amounts.set(resource, resourceAmount(resource, quantity));
  }
  if (unstated !== undefined) {
    if (!amounts.has('cpu')) amounts.set('cpu', unstated.cpu);
    if (!amounts.has('memory')) amounts.set('memory', unstated.memory);
  }
  return amounts;
}

function add(to: Amounts, amounts: ResourceAmounts): void {
  for (const [resource, amount] of amounts) to.set(resource, (to.get(resource) ?? 0) + amount);
}

function raise(to: Amounts, resource: string, amount: number): void {
  to.set(resource, Math.max(to.get(resource) ?? 0, amount));
}
