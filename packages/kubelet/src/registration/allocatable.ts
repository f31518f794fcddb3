import type { ReservedAmounts } from '../config.ts';
import type { Machine } from '../ports.ts';

/** What the node gives to a container that sets no limit. */
export interface NodeAllocatable {
  readonly milliCpu: number;
  readonly memoryBytes: number;
  readonly ephemeralStorageBytes: number;
}

/** All of the machine but what is kept: for the system, for Kubernetes, so that nobody has to be evicted. */
export function nodeAllocatable(
  { cpus, memoryBytes, ephemeralStorageBytes }: Pick<Machine, 'cpus' | 'memoryBytes' | 'ephemeralStorageBytes'>,
  reserved: readonly ReservedAmounts[],
): NodeAllocatable {
  const left = (all: number, of: (amounts: ReservedAmounts) => number): number =>
    Math.max(
      0,
      reserved.reduce((rest, amounts) => rest - of(amounts), all),
    );
  return {
    milliCpu: left(Math.ceil(cpus * 1000), (amounts) => amounts.milliCpu),
    memoryBytes: left(memoryBytes, (amounts) => amounts.memoryBytes),
    ephemeralStorageBytes: left(ephemeralStorageBytes, (amounts) => amounts.ephemeralStorageBytes),
  };
}
