/** What the rows share. */
import { readFileSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import type { ContainerStatus, Pod } from '@binnacle/api/core/v1';
import { IMAGE } from '../manifests.ts';

/** What rows need of where they run. */
export interface Scene {
  readonly hostPort: number;
  readonly grpcPort: number;
  /** Services of which gRPC's health was asked. */
  readonly asked: readonly string[];
  /** A folder of the node for pods to write to. */
  readonly folder: string;
  readonly nodeName: string;
  readonly driver: {
    readonly name: string;
    readonly calls: readonly { readonly method: string; readonly request: object }[];
  };
}

export const FOREVER = 'trap "exit 0" TERM; while :; do sleep 1 & wait $!; done';
/** A container that runs until it is told to end. */
export const SH = { image: IMAGE, imagePullPolicy: 'Never', command: ['sh', '-c'], args: [FOREVER] } as const;
const CGROUP = '/sys/fs/cgroup';

/** Where a control group of a pod is on the node, by one of its hierarchies (v1) or the only one (v2). */
function podGroupFile(uid: string, hierarchy: string, file: string): string {
  for (const root of [`${CGROUP}/${hierarchy}/kubepods`, `${CGROUP}/kubepods`]) {
    for (const place of ['', '/burstable', '/besteffort']) {
      try {
        return readFileSync(`${root}${place}/pod${uid}/${file}`, 'utf8').trim();
      } catch {
        // Of another class.
      }
    }
  }
  return '';
}

/** The memory limit of a pod's control group, in bytes. */
export const memoryLimit = (uid: string): string =>
  podGroupFile(uid, 'memory', 'memory.limit_in_bytes') || podGroupFile(uid, 'memory', 'memory.max');

/** The status of one of its containers. */
export function statusOf(pod: Pod, name: string): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  return [...containerStatuses, ...initContainerStatuses].find((status) => status.name === name);
}

export function condition(pod: Pod, type: string): string | undefined {
  return pod.status?.conditions?.find((one) => one.type === type)?.status;
}

/** The number of a namespace of this process: the node's own. */
export function namespaceOf(kind: string): string {
  return /\[(\d+)\]/.exec(readlinkSync(`/proc/self/ns/${kind}`))?.[1] ?? '';
}

/** What is seen of a pod's end, in the folder that it wrote to; undefined: all is there. */
export function missingAfterEnd(folder: string): string | undefined {
  const files = readdirSync(folder);
  const wanted = ['signalled', 'pre-stop', 'asked'];
  const missing = wanted.find((name) => !files.includes(name));
  if (missing !== undefined) return missing;
  return statSync(`${folder}/asked`).size > 0 && readFileSync(`${folder}/asked`, 'utf8').includes('GET /bye')
    ? undefined
    : 'GET /bye';
}
