import type { ReservedAmounts } from '../config.ts';
import { hugePagesBytes } from '../huge-pages.ts';
import type { Machine } from '../ports.ts';

/** What the node gives to a container that sets no limit. */
export interface NodeAllocatable {
  readonly milliCpu: number;
  readonly memoryBytes: number;
  readonly ephemeralStorageBytes: number;
}

/** All of the machine but what is kept (for the system, for Kubernetes, so that nobody has to be evicted) and what is set aside in huge pages. */
export function nodeAllocatable(
  machine: Pick<Machine, 'cpus' | 'memoryBytes' | 'ephemeralStorageBytes' | 'hugePages'>,
  reserved: readonly ReservedAmounts[],
): NodeAllocatable {
  const { cpus, memoryBytes, ephemeralStorageBytes, hugePages = [] } = machine;
  const left = (all: number, of: (amounts: ReservedAmounts) => number): number =>
    Math.max(
      0,
      reserved.reduce((rest, amounts) => rest - of(amounts), all),
    );
  return {
    milliCpu: left(Math.ceil(cpus * 1000), (amounts) => amounts.milliCpu),
    memoryBytes: left(memoryBytes - hugePagesBytes(hugePages), (amounts) => amounts.memoryBytes),
    ephemeralStorageBytes: left(ephemeralStorageBytes, (amounts) => amounts.ephemeralStorageBytes),
  };
}
