import type { Pod } from '@binnacle/api/core/v1';
import { milliValue, wholeValue } from './amount.ts';
import { isSidecar } from './pod-containers.ts';

/** Thousandths of a CPU, and bytes. */
export interface ComputeRequests {
  readonly cpu: number;
  readonly memory: number;
}

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
  const cpu = own['cpu'] === undefined ? byContainers.cpu : milliValue(own['cpu']);
  const memory = own['memory'] === undefined ? byContainers.memory : wholeValue(own['memory']);
  return {
    cpu: cpu + milliValue(overhead?.['cpu']),
    memory: memory + wholeValue(overhead?.['memory']),
  };
}

/** Its containers and sidecars together, or the largest init container. */
export function containersRequests(pod: Pod): ComputeRequests {
  const sum = { cpu: 0, memory: 0 };
  const peak = { cpu: 0, memory: 0 };
  for (const container of pod.spec?.initContainers ?? []) {
    const requests = container.resources?.requests;
    const cpu = milliValue(requests?.['cpu']);
    const memory = wholeValue(requests?.['memory']);
    if (isSidecar(container)) {
      sum.cpu += cpu;
      sum.memory += memory;
    }
    peak.cpu = Math.max(peak.cpu, isSidecar(container) ? sum.cpu : sum.cpu + cpu);
    peak.memory = Math.max(peak.memory, isSidecar(container) ? sum.memory : sum.memory + memory);
  }
  for (const container of pod.spec?.containers ?? []) {
    sum.cpu += milliValue(container.resources?.requests?.['cpu']);
    sum.memory += wholeValue(container.resources?.requests?.['memory']);
  }
  return { cpu: Math.max(sum.cpu, peak.cpu), memory: Math.max(sum.memory, peak.memory) };
}
