/** What a pod takes of its node's disk, and whether it keeps to its limits. */
import type { Container, Pod } from '@binnacle/api/core/v1';
import { formatQuantity, quantityOf } from '@binnacle/machinery';
import { wholeValue } from '../container/amount.ts';
import { allContainers } from '../container/pod-containers.ts';
import type { HostFiles } from '../ports.ts';
import { type SizeLimit, exceededLimit, sizeLimits } from '../volume/size-limits.ts';

const RESOURCE = 'ephemeral-storage';

/** Where a pod's bytes are, or its inodes. */
export interface LocalPlaces {
  readonly unit: 'bytes' | 'inodes';
  readonly files: HostFiles;
  readonly rootDirectory: string;
  /** The folder of the pod's logs, one below it for each container. */
  readonly logDirectory: string;
  /** What containers wrote into their own file system, by name. */
  readonly layers: ReadonlyMap<string, number>;
  /** Layers lie on another disk than pods: no container's limit is about them. */
  readonly hasOwnLayers: boolean;
}

/** Bytes or inodes on disk, by container, and of what lives with the pod: its volumes, and the files that are mounted into it. */
export interface LocalUsage {
  /** Logs and layers. */
  readonly containers: ReadonlyMap<string, number>;
  readonly logs: ReadonlyMap<string, number>;
  readonly layers: ReadonlyMap<string, number>;
  readonly volumes: number;
}

/** Some of it. */
export type LocalPart = 'logs' | 'layers' | 'volumes';

/** How much of it lies in some parts. */
export function usedIn({ logs, layers, volumes }: LocalUsage, parts: readonly LocalPart[]): number {
  const sum = (of: ReadonlyMap<string, number>): number => [...of.values()].reduce((all, one) => all + one, 0);
  const by = { logs: () => sum(logs), layers: () => sum(layers), volumes: () => volumes };
  return parts.reduce((all, part) => all + by[part](), 0);
}

/** Whether a pod says anything about how much disk it may take: all others cost nothing. */
export function hasLocalLimits(pod: Pod, rootDirectory: string): boolean {
  return limited(pod).length > 0 || sizeLimits(pod, rootDirectory).length > 0;
}

/** Whether its containers' limits need to know what they wrote. */
export function limitsContainers(pod: Pod): boolean {
  return limited(pod).length > 0;
}

/** What a pod takes; counted until it is all, or more than `enough`. */
export async function localUsage(pod: Pod, places: LocalPlaces, enough: number): Promise<LocalUsage> {
  const { files, logDirectory, layers, unit } = places;
  const containers = new Map<string, number>();
  const logs = new Map<string, number>();
  for (const { name } of allContainers(pod)) {
    const logged = await files.usage(`${logDirectory}/${name}`, enough, unit);
    logs.set(name, logged);
    containers.set(name, logged + (layers.get(name) ?? 0));
  }
  let volumes = 0;
  for (const path of writablePaths(pod, places.rootDirectory)) volumes += await files.usage(path, enough, unit);
  return { containers, logs, layers, volumes };
}

/** Why a pod has to go, in upstream's words; undefined: it keeps to its limits. */
export async function localStorageFault(pod: Pod, places: LocalPlaces): Promise<string | undefined> {
  const ofVolumes: readonly SizeLimit[] = sizeLimits(pod, places.rootDirectory);
  const message = ofVolumes.length === 0 ? undefined : await exceededLimit(places.files, ofVolumes);
  const withLimit = limited(pod);
  if (message !== undefined || withLimit.length === 0) return message;
  const total = withLimit.reduce((sum, { bytes }) => sum + bytes, 0);
  const usage = await localUsage(pod, places, total);
  if (usedIn(usage, ['logs', 'layers', 'volumes']) > total) {
    const text = formatQuantity(quantityOf(total, 'BinarySI'));
    return `Pod ephemeral local storage usage exceeds the total limit of containers ${text}. `;
  }
  const limitable = places.hasOwnLayers ? usage.logs : usage.containers;
  const over = withLimit.find(({ name, bytes }) => (limitable.get(name) ?? 0) > bytes);
  return over && `Container ${over.name} exceeded its local ephemeral storage limit "${over.text}". `;
}

interface Limit {
  readonly name: string;
  readonly bytes: number;
  readonly text: string;
}

function limited(pod: Pod): readonly Limit[] {
  return allContainers(pod).flatMap(({ name, resources }: Pick<Container, 'name' | 'resources'>) => {
    const text = resources?.limits?.[RESOURCE];
    const bytes = wholeValue(text);
    return text === undefined || bytes === 0 ? [] : [{ name, bytes, text }];
  });
}

/** Its emptyDirs on disk, its hosts file and its containers' last words: all that it can write to beside its layers. */
function writablePaths(pod: Pod, rootDirectory: string): readonly string[] {
  const own = `${rootDirectory}/pods/${pod.metadata.uid ?? ''}`;
  const folder = `${own}/volumes/kubernetes.io~empty-dir`;
  const emptyDirs = (pod.spec.volumes ?? []).flatMap(({ name, emptyDir }) =>
    emptyDir === undefined || Boolean(emptyDir.medium) ? [] : [`${folder}/${name}`],
  );
  return [...emptyDirs, `${own}/etc-hosts`, `${own}/containers`];
}
