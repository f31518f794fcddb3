/** What a machine uses, as it is measured. */

/** Files on a disk. */
export interface DiskCount {
  readonly bytes: number;
  readonly inodes: number;
}

export const NO_FILES: DiskCount = { bytes: 0, inodes: 0 };

export function sumOfCounts(a: DiskCount, b: DiskCount): DiskCount {
  return { bytes: a.bytes + b.bytes, inodes: a.inodes + b.inodes };
}

/** How full a file system is. */
export interface FilesystemUsage {
  readonly availableBytes: number;
  readonly capacityBytes: number;
  readonly usedBytes: number;
  readonly inodesFree: number;
  /** 0: they are made as they are needed. */
  readonly inodes: number;
  readonly inodesUsed: number;
}

/** A file system with what tells it from others. */
export interface DeviceUsage {
  readonly device: string;
  readonly usage: FilesystemUsage;
}

/** What a node uses as a whole, in nanoseconds, bytes and milliseconds since the epoch. */
export interface NodeUsage {
  /** When the machine started. */
  readonly startedAt: number;
  readonly cpuUsageNanos: number;
  readonly memoryAvailableBytes: number;
  readonly memoryUsageBytes: number;
  readonly memoryWorkingSetBytes: number;
  /** The file system of pods. */
  readonly filesystem?: FilesystemUsage;
  readonly interfaces?: readonly {
    readonly name: string;
    readonly rxBytes: number;
    readonly rxErrors: number;
    readonly txBytes: number;
    readonly txErrors: number;
  }[];
  readonly pids: number;
  readonly maxPids: number;
}

/** What a control group uses with all below it, in nanoseconds, bytes and milliseconds since the epoch. */
export interface GroupUsage {
  /** When it was made. */
  readonly startedAt: number;
  /** Absent: it is not counted. */
  readonly cpuUsageNanos?: number;
  readonly memory: {
    readonly usageBytes: number;
    /** Pages that are given back when they are asked for left out. */
    readonly workingSetBytes: number;
    /** -1: none. */
    readonly limitBytes: number;
    readonly rssBytes: number;
    readonly pageFaults: number;
    readonly majorPageFaults: number;
  };
}
