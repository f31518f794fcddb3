import type { KubeletConfig, ReservedAmounts } from '../config.ts';
import type { Machine } from '../ports.ts';
import { type NodeAllocatable, nodeAllocatable } from '../registration/allocatable.ts';
import { type Signal, readThresholds, valueOf } from './thresholds.ts';

/** What is not for pods: reserved by name, and what must be left so that nobody has to be evicted at once. */
export function reservedOf(config: KubeletConfig, machine: Machine): readonly ReservedAmounts[] {
  const { kubeReserved, systemReserved, evictionHard: hard } = config;
  // Nobody is evicted from a node that is no machine.
  if (machine.usage === undefined) return [kubeReserved, systemReserved];
  const thresholds = readThresholds({ hard, soft: {}, softGraceMs: {}, minimumReclaim: {} });
  const least = (signal: Signal, capacity: number): number =>
    Math.max(
      0,
      ...thresholds.filter((one) => one.signal === signal).map(({ amount }) => Math.ceil(valueOf(amount, capacity))),
    );
  const eviction = {
    milliCpu: 0,
    memoryBytes: least('memory.available', machine.memoryBytes),
    ephemeralStorageBytes: least('nodefs.available', machine.ephemeralStorageBytes),
  };
  return [kubeReserved, systemReserved, eviction];
}

/** Memory that pods may use together. What must be left so that nobody is evicted is theirs: who takes it is evicted, not killed. */
export function podsMemoryBytes({ kubeReserved, systemReserved }: KubeletConfig, machine: Machine): number {
  return Math.max(0, machine.memoryBytes - kubeReserved.memoryBytes - systemReserved.memoryBytes);
}

/** What is left for pods. */
export function allocatableOf(config: KubeletConfig, machine: Machine): NodeAllocatable {
  return nodeAllocatable(machine, reservedOf(config, machine));
}
