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

/**
 * What a pod takes of its node: where a resize is under way, or waits, of each container the most of what it asks for,
 * was given and has; of one that will never be granted what it was given and has. (KEP-1287.)
 */
export function placedPodRequests(pod: Pod, unstated?: UnstatedRequests): ResourceAmounts {
  const held = heldRequests(pod);
  if (held === undefined) return podRequests(pod, unstated);
  const withHeld = (container: Container): Container => {
    const requests = held[container.name];
    return requests === undefined ? container : { ...container, resources: { ...container.resources, requests } };
  };
  const { containers, initContainers } = pod.spec;
  const whole = held[WHOLE];
  const spec = {
    ...pod.spec,
    containers: containers.map(withHeld),
    ...(initContainers && { initContainers: initContainers.map(withHeld) }),
    ...(whole && { resources: { ...pod.spec.resources, requests: whole } }),
  };
  return podRequests({ ...pod, spec }, unstated);
}

type Requests = { readonly [resource: string]: string };

/** No container has this name: of the pod as a whole. */
const WHOLE = '';

/**
 * By container, and of the pod as a whole under the empty name, where it is other than what is asked for; undefined for all pods
 * that nobody resizes.
 */
export function heldRequests(pod: Pod): { readonly [container: string]: Requests } | undefined {
  const statuses = pod.status?.containerStatuses;
  if (statuses === undefined) return undefined;
  let held: { [container: string]: Requests } | undefined;
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    const find = (list: typeof statuses | undefined) => list?.find((status) => status.name === container.name);
    const status = find(statuses) ?? find(pod.status?.initContainerStatuses);
    const own = heldOf(pod, container.resources?.requests, status);
    if (own === undefined) continue;
    held ??= Object.create(null) as { [container: string]: Requests };
    held[container.name] = own;
  }
  const whole = heldOf(pod, pod.spec.resources?.requests, pod.status);
  return whole === undefined ? held : { ...held, [WHOLE]: whole };
}

type Told = Pick<NonNullable<Pod['status']>, 'allocatedResources' | 'resources'>;

/** The most of what is asked for, was given and is had; undefined: they are the same. */
function heldOf(pod: Pod, asked: Requests | undefined, told: Told | undefined): Requests | undefined {
  const { allocatedResources, resources } = told ?? {};
  if (isSame(asked, allocatedResources) && isSame(asked, resources?.requests)) return undefined;
  const base = isInfeasible(pod) ? allocatedResources : asked;
  return most(most(base ?? {}, allocatedResources ?? {}), resources?.requests ?? {});
}

/** What is not told is as it is asked for. */
function isSame(asked: Requests | undefined, told: Requests | undefined): boolean {
  return told === undefined || Object.entries(told).every(([resource, amount]) => asked?.[resource] === amount);
}

function isInfeasible({ status }: Pod): boolean {
  return status?.conditions?.some((c) => c.type === 'PodResizePending' && c.reason === 'Infeasible') === true;
}

function most(a: Requests, b: Requests): Requests {
  const both: { [resource: string]: string } = { ...a };
  for (const [resource, amount] of Object.entries(b)) {
    const other = a[resource];
    if (other === undefined || resourceAmount(resource, amount) > resourceAmount(resource, other))
      both[resource] = amount;
  }
  return both;
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
