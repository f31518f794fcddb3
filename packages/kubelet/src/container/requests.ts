import type { Pod } from '@binnacle/api/core/v1';
import { milliValue, wholeValue } from './amount.ts';
import { isSidecar } from './pod-containers.ts';

/** Thousandths of a CPU, and bytes. */
export interface ComputeRequests {
  readonly cpu: number;
  readonly memory: number;
}

/** What the pod counts for: its containers and sidecars together, or the largest init container. */
export function podRequests(pod: Pod): ComputeRequests {
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
  const { overhead, resources } = pod.spec;
  // What is asked for the pod as a whole wins.
  const own = resources?.requests ?? {};
  const cpu = own['cpu'] === undefined ? Math.max(sum.cpu, peak.cpu) : milliValue(own['cpu']);
  const memory = own['memory'] === undefined ? Math.max(sum.memory, peak.memory) : wholeValue(own['memory']);
  return {
    cpu: cpu + milliValue(overhead?.['cpu']),
    memory: memory + wholeValue(overhead?.['memory']),
  };
}
