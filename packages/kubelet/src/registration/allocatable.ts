import type { Machine } from '../ports.ts';

/** What the node gives to a container that sets no limit. */
export interface NodeAllocatable {
  readonly milliCpu: number;
  readonly memoryBytes: number;
  readonly ephemeralStorageBytes: number;
}

/** All of the machine but what is kept for the node itself. */
export function nodeAllocatable(
  machine: Pick<Machine, 'cpus' | 'memoryBytes' | 'ephemeralStorageBytes' | 'reserved'>,
): NodeAllocatable {
  const { cpus, memoryBytes, ephemeralStorageBytes, reserved } = machine;
  return {
    milliCpu: Math.ceil(cpus * 1000),
    memoryBytes: Math.max(0, memoryBytes - (reserved?.memoryBytes ?? 0)),
    ephemeralStorageBytes: Math.max(0, ephemeralStorageBytes - (reserved?.ephemeralStorageBytes ?? 0)),
  };
}
