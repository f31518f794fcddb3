import type { Pod } from '@binnacle/api/core/v1';
import { milliValue, wholeValue } from '../container/amount.ts';
import type { NodeAllocatable } from '../container/field-path.ts';
import { isSidecar } from './seen.ts';
import type { Rejection } from './world.ts';

export interface NodeRoom extends NodeAllocatable {
  readonly pods: number;
}

interface Amounts {
  readonly cpu: number;
  readonly memory: number;
}

/** Whether a pod fits beside those that are here already: number, CPU, memory, host ports. */
export function admitPod(pod: Pod, others: readonly Pod[], room: NodeRoom): Rejection | undefined {
  if (others.length + 1 > room.pods) return short('pods', [1, others.length, room.pods]);
  const wanted = podRequests(pod);
  let cpu = 0;
  let memory = 0;
  if (wanted.cpu > 0 || wanted.memory > 0) {
    for (const other of others) {
      const used = podRequests(other);
      cpu += used.cpu;
      memory += used.memory;
    }
  }
  if (wanted.cpu > 0 && cpu + wanted.cpu > room.milliCpu) return short('cpu', [wanted.cpu, cpu, room.milliCpu]);
  if (wanted.memory > 0 && memory + wanted.memory > room.memoryBytes) {
    return short('memory', [wanted.memory, memory, room.memoryBytes]);
  }
  return portsClash(pod, others)
    ? {
        reason: 'NodePorts',
        message:
          "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
      }
    : undefined;
}

/** What the pod counts for: its containers and sidecars together, or the largest init container. */
export function podRequests(pod: Pod): Amounts {
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
  const overhead = pod.spec?.overhead;
  return {
    cpu: Math.max(sum.cpu, peak.cpu) + milliValue(overhead?.['cpu']),
    memory: Math.max(sum.memory, peak.memory) + wholeValue(overhead?.['memory']),
  };
}

function short(resource: string, [requested, used, capacity]: readonly [number, number, number]): Rejection {
  return {
    reason: `OutOf${resource}`,
    message: `Pod was rejected: Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  };
}

function portsClash(pod: Pod, others: readonly Pod[]): boolean {
  const wanted = hostPorts(pod);
  if (wanted.length === 0) return false;
  const taken = others.flatMap(hostPorts);
  return wanted.some((w) =>
    taken.some((t) => t.port === w.port && t.protocol === w.protocol && (t.ip === w.ip || t.ip === '' || w.ip === '')),
  );
}

function hostPorts(pod: Pod): { readonly ip: string; readonly port: number; readonly protocol: string }[] {
  return (pod.spec?.containers ?? []).flatMap((container) =>
    (container.ports ?? [])
      .filter((p) => Boolean(p.hostPort))
      .map((p) => ({
        ip: p.hostIP === undefined || p.hostIP === '0.0.0.0' ? '' : p.hostIP,
        port: p.hostPort ?? 0,
        protocol: p.protocol ?? 'TCP',
      })),
  );
}
