/** Whether a pod that asks for other amounts still fits on its node. Pure. */
import type { Pod } from '@binnacle/api/core/v1';
import { podRequests } from '../container/requests.ts';
import type { NodeAllocatable } from '../registration/allocatable.ts';

/** Why a resize is not granted: never on this node, or not now. */
export interface ResizeRefusal {
  readonly reason: 'Infeasible' | 'Deferred';
  readonly message: string;
}

/** What keeps a pod from having what it asks for beside the others; undefined: nothing. */
export function resizeRefusal(pod: Pod, others: readonly Pod[], room: NodeAllocatable): ResizeRefusal | undefined {
  const wanted = podRequests(pod);
  if (wanted.memory > room.memoryBytes) return infeasible('memory', wanted.memory, room.memoryBytes);
  if (wanted.cpu > room.milliCpu) return infeasible('cpu', wanted.cpu, room.milliCpu);
  const used = { cpu: 0, memory: 0 };
  for (const other of others) {
    const { cpu, memory } = podRequests(other);
    used.cpu += cpu;
    used.memory += memory;
  }
  if (used.cpu + wanted.cpu > room.milliCpu) return deferred('cpu', [wanted.cpu, used.cpu, room.milliCpu]);
  return used.memory + wanted.memory > room.memoryBytes
    ? deferred('memory', [wanted.memory, used.memory, room.memoryBytes])
    : undefined;
}

function infeasible(resource: string, requested: number, capacity: number): ResizeRefusal {
  return {
    reason: 'Infeasible',
    message: `Node didn't have enough capacity: ${resource}, requested: ${requested}, capacity: ${capacity}`,
  };
}

function deferred(resource: string, [requested, used, capacity]: readonly [number, number, number]): ResizeRefusal {
  return {
    reason: 'Deferred',
    message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  };
}

/** Whose resize comes first where room became free: what grows not at all, then by priority and class of service. */
export function resizeOrder(a: ResizeClaim, b: ResizeClaim): number {
  return (
    Number(a.grows) - Number(b.grows) ||
    b.priority - a.priority ||
    Number(b.isGuaranteed) - Number(a.isGuaranteed) ||
    a.since - b.since
  );
}

/** A resize that waits. */
export interface ResizeClaim {
  readonly grows: boolean;
  readonly priority: number;
  readonly isGuaranteed: boolean;
  /** Since when, in milliseconds. */
  readonly since: number;
}
