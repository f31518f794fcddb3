import { join } from 'node:path';
import { isGroup, PODS_GROUP } from './cgroup-root.ts';
import type { DataDir } from './data-dir.ts';
import { readRecord, writeRecord } from './record-file.ts';

/** What `down` takes back after the process that made it is gone. */
export interface DownRecord {
  /** A containerd of our own ran here, with these ranges of pod addresses, a comma between them. */
  readonly podCidr?: string;
  /** Pods were run on somebody else's runtime. */
  readonly endpoint?: string;
  /** Pods were run on somebody else's Docker Engine, in a network of ours. */
  readonly docker?: { readonly endpoint: string; readonly podCidr: string };
  /** All groups that pods were made below, as cgroup paths; absent: the usual one, where there were pods at all. */
  readonly cgroupRoots?: readonly string[];
  /** Further nodes of this machine, each with a data directory below `workers`, and the link that joins them. */
  readonly workers?: {
    readonly bridge: string;
    readonly places: readonly { readonly nodeName: string; readonly namespace: string; readonly link: string }[];
  };
  /** The file that got the context `binnacle`. */
  readonly kubeconfig?: string;
}

function pathOf(dataDir: DataDir): string {
  return join(dataDir.root, 'down.json');
}

/** Adds to what is remembered, before it is made: a process that dies half-way leaves nothing unknown behind. */
export function rememberForDown(dataDir: DataDir, more: DownRecord): void {
  writeRecord(pathOf(dataDir), { ...readDownRecord(dataDir), ...more });
}

/** Adds the group of pods that are made from now on; those before it stay known. Absent: the usual one. */
export function rememberGroup(dataDir: DataDir, group: string = PODS_GROUP): void {
  const { cgroupRoots, podCidr, endpoint, docker } = readDownRecord(dataDir);
  const had = cgroupRoots ?? ((podCidr ?? endpoint ?? docker) === undefined ? [] : [PODS_GROUP]);
  rememberForDown(dataDir, { cgroupRoots: [...new Set([...had, group])] });
}

/** Empty when nothing was made. Throws UsageError where the file is damaged. */
export function readDownRecord(dataDir: DataDir): DownRecord {
  const record = readRecord(pathOf(dataDir)) ?? {};
  const { podCidr, endpoint, docker, kubeconfig, workers } = record;
  // As it was written while there was one at the most.
  const { cgroupRoot, cgroupRoots = cgroupRoot === undefined ? undefined : [cgroupRoot] } = record;
  return {
    ...(typeof podCidr === 'string' ? { podCidr } : {}),
    ...(typeof endpoint === 'string' ? { endpoint } : {}),
    ...(isDocker(docker) ? { docker } : {}),
    ...(typeof kubeconfig === 'string' ? { kubeconfig } : {}),
    // Nothing else below the mount of control groups, or beside it, is removed.
    ...(Array.isArray(cgroupRoots) ? { cgroupRoots: cgroupRoots.filter(isGroup) } : {}),
    ...(isWorkers(workers) ? { workers } : {}),
  };
}

function isDocker(value: unknown): value is NonNullable<DownRecord['docker']> {
  const { endpoint, podCidr } = (value ?? {}) as { readonly endpoint?: unknown; readonly podCidr?: unknown };
  return typeof endpoint === 'string' && typeof podCidr === 'string';
}

function isWorkers(value: unknown): value is NonNullable<DownRecord['workers']> {
  const { bridge, places } = (value ?? {}) as { readonly bridge?: unknown; readonly places?: unknown };
  const isPlace = (place: unknown): boolean => {
    const fields = (place ?? {}) as { readonly [name: string]: unknown };
    return ['nodeName', 'namespace', 'link'].every((name) => /^[a-z0-9-]+$/.test(String(fields[name])));
  };
  return typeof bridge === 'string' && Array.isArray(places) && places.every(isPlace);
}
