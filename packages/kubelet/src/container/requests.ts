import type { Container, Pod } from '@binnacle/api/core/v1';
import { milliValue, wholeValue } from './amount.ts';
import { isSidecar } from './pod-containers.ts';

/** Thousandths of a CPU, and bytes. */
export interface ComputeRequests {
  readonly cpu: number;
  readonly memory: number;
  /** On the node's disk. */
  readonly storage: number;
}

type Resource = keyof ComputeRequests;

type Requests = NonNullable<Container['resources']>['requests'];

const READ: { readonly [resource in Resource]: (requests: Requests) => number } = {
  cpu: (requests) => milliValue(requests?.['cpu']),
  memory: (requests) => wholeValue(requests?.['memory']),
  storage: (requests) => wholeValue(requests?.['ephemeral-storage']),
};

/** By the spec, which nobody writes into: each new pod is held against all that are here. */
const known = new WeakMap<Pod['spec'], ComputeRequests>();

/** What the pod counts for: what is asked for it as a whole, else by its containers; and what running it costs. */
export function podRequests(pod: Pod): ComputeRequests {
  let requests = known.get(pod.spec);
  if (requests === undefined) known.set(pod.spec, (requests = sumRequests(pod)));
  return requests;
}

function sumRequests(pod: Pod): ComputeRequests {
  const { overhead, resources } = pod.spec;
  const byContainers = containersRequests(pod);
  // What is asked for the pod as a whole wins.
  const own = resources?.requests ?? {};
  const cpu = own['cpu'] === undefined ? byContainers.cpu : READ.cpu(own);
  const memory = own['memory'] === undefined ? byContainers.memory : READ.memory(own);
  return {
    cpu: cpu + READ.cpu(overhead),
    memory: memory + READ.memory(overhead),
    storage: byContainers.storage + READ.storage(overhead),
  };
}

/** Its containers and sidecars together, or the largest init container. */
export function containersRequests(pod: Pod): ComputeRequests {
  return { cpu: together(pod, 'cpu'), memory: together(pod, 'memory'), storage: together(pod, 'storage') };
}

function together({ spec }: Pod, resource: Resource): number {
  const read = READ[resource];
  let sum = 0;
  let peak = 0;
  for (const container of spec?.initContainers ?? []) {
    const wanted = read(container.resources?.requests);
    peak = Math.max(peak, sum + wanted);
    if (isSidecar(container)) sum += wanted;
  }
  for (const { resources } of spec?.containers ?? []) sum += read(resources?.requests);
  return Math.max(sum, peak);
}
