import { podRequests as requestsByResource } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';

/** Thousandths of a CPU, and bytes. */
export interface ComputeRequests {
  readonly cpu: number;
  readonly memory: number;
  /** On the node's disk. */
  readonly storage: number;
}

/** By the spec, which nobody writes into: each new pod is held against all that are here. */
const known = new WeakMap<Pod['spec'], ComputeRequests>();

/** What the pod counts for: what is asked for it as a whole, else by its containers; and what running it costs. */
export function podRequests(pod: Pod): ComputeRequests {
  let requests = known.get(pod.spec);
  if (requests === undefined) known.set(pod.spec, (requests = sumRequests(pod)));
  return requests;
}

/** Its containers and sidecars together, or the largest init container. */
export function containersRequests(pod: Pod): ComputeRequests {
  return sumRequests({ ...pod, spec: { ...pod.spec, resources: {}, overhead: {} } });
}

function sumRequests(pod: Pod): ComputeRequests {
  const requests = requestsByResource(pod);
  const amount = (resource: string): number => requests.get(resource) ?? 0;
  return { cpu: amount('cpu'), memory: amount('memory'), storage: amount('ephemeral-storage') };
}
