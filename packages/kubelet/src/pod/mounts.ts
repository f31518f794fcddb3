import type { Container, Pod } from '@binnacle/api/core/v1';
import type { Mount } from '@binnacle/runtime';
import { containerLogPath, mountSubPath, volumeMount } from '../container/container-config.ts';
import { hostsFile } from '../container/hosts-file.ts';
import { isRecursivelyReadOnly, wantsRecursiveReadOnly } from '../container/recursive-read-only.ts';
import { podLogDirectory } from '../container/sandbox-config.ts';
import type { KubeletConfig } from '../config.ts';
import { type MountedVolumes, SUB_PATHS } from '../volume/volumes.ts';
import type { RuntimeView } from './runtime-view.ts';
import { handlerOf } from './sandbox.ts';
import type { PodWorld } from './world.ts';
import { ContainerConfigError } from '../errors.ts';

const HOSTS_PATH = '/etc/hosts';

/** What mounts are made from. */
export interface MountPlace {
  readonly pod: Pod;
  readonly view: RuntimeView;
  readonly volumes: MountedVolumes;
}

/** Which start of which container mounts are made for. */
interface MountsOf {
  readonly container: Container;
  readonly attempt: number;
  readonly env: ReadonlyMap<string, string>;
  /** What `prepareFiles` makes is there. */
  readonly isReady: boolean;
}

/** Everything that is mounted into a container: its volumes, its hosts file, the file of its last words. */
export async function mountsOf(world: PodWorld, place: MountPlace, of: MountsOf): Promise<Mount[]> {
  const { container, attempt, env, isReady } = of;
  const mounts: Mount[] = [];
  const isSupported = await canBeReadOnlyBelow(world, place.pod, container);
  for (const [index, wanted] of (container.volumeMounts ?? []).entries()) {
    const volume = place.volumes.get(wanted.name);
    if (volume === undefined)
      throw new ContainerConfigError(`cannot find volume "${wanted.name}" to mount into container "${container.name}"`);
    const path = mountSubPath(wanted, env);
    const hostPath =
      path === ''
        ? volume.hostPath
        : await subPathMount(world, place.pod, { container, volume: { ...volume, name: wanted.name }, path, index });
    mounts.push(
      volumeMount(wanted, { ...volume, hostPath, isRecursivelyReadOnly: isRecursivelyReadOnly(wanted, isSupported) }),
    );
  }
  if (world.files !== undefined)
    mounts.push(...(await ownMounts(world, place, { container, attempt, mounts, isReady })));
  return mounts;
}

/** Whether the runtime can have mounts read only with all that is below them; it is asked only where it matters. */
async function canBeReadOnlyBelow(world: PodWorld, pod: Pod, { volumeMounts = [] }: Container): Promise<boolean> {
  if (!volumeMounts.some(wantsRecursiveReadOnly)) return false;
  const [name, { handlers }] = await Promise.all([handlerOf(world, pod), world.runtime.status()]);
  return handlers.some((handler) => handler.name === name && handler.recursiveReadOnlyMounts);
}

/**
 * Part of a volume, mounted where containers cannot reach it: what the runtime is told cannot turn into something else
 * between our look and its mount. Made anew for each start; gone with the pod's volumes.
 */
async function subPathMount(
  world: PodWorld,
  pod: Pod,
  of: {
    readonly container: Container;
    readonly volume: { readonly name: string; readonly hostPath: string };
    readonly path: string;
    readonly index: number;
  },
): Promise<string> {
  const { container, volume, path, index } = of;
  const target = `${podDirectory(world, pod)}/${SUB_PATHS}/${volume.name}/${container.name}/${index}`;
  try {
    await world.files?.bindBelow({ volume: volume.hostPath, path, target });
  } catch (error) {
    world.log.error(error, 'Could not prepare a subPath', { pod: pod.metadata.name, volume: volume.name, path });
    throw new ContainerConfigError(
      `failed to prepare subPath for volumeMount "${volume.name}" of container "${container.name}"`,
      error,
    );
  }
  return target;
}

/** The folders of a container and the file of its last words: what of its files needs no sandbox. */
export async function prepareFiles(
  world: Pick<PodWorld, 'config' | 'files'>,
  pod: Pod,
  of: { readonly container: Container; readonly attempt: number },
): Promise<void> {
  const { files, config } = world;
  const { name, terminationMessagePath } = of.container;
  const words = terminationFile(world, pod, { name, attempt: of.attempt });
  await Promise.all([
    terminationMessagePath
      ? files?.writeFile(words, new Uint8Array(), { mode: 0o666 })
      : files?.makeDirectory(`${podDirectory(world, pod)}/containers/${name}`, 0o755),
    files?.makeDirectory(`${podLogDirectory(pod, config)}/${name}`, 0o755),
  ]);
}

/** The managed hosts file and the termination message, where the pod mounts nothing of its own there. */
async function ownMounts(
  world: PodWorld,
  place: MountPlace,
  of: Omit<MountsOf, 'env'> & { readonly mounts: readonly Mount[] },
): Promise<Mount[]> {
  const { pod } = place;
  const { container, attempt, mounts } = of;
  const isFree = (path: string): boolean => !mounts.some((m) => m.containerPath === path);
  const mount = (containerPath: string, hostPath: string): Mount[] =>
    isFree(containerPath) ? [{ hostPath, containerPath, readOnly: false, propagation: 'private' }] : [];
  const hosts = `${podDirectory(world, pod)}/etc-hosts`;
  await Promise.all([
    of.isReady ? undefined : prepareFiles(world, pod, { container, attempt }),
    isFree(HOSTS_PATH) ? writeHosts(world, place, hosts) : undefined,
  ]);
  const path = container.terminationMessagePath;
  const words = terminationFile(world, pod, { name: container.name, attempt });
  return [...mount(HOSTS_PATH, hosts), ...(path ? mount(path, words) : [])];
}

async function writeHosts(world: PodWorld, place: MountPlace, file: string): Promise<void> {
  const { pod } = place;
  const nodeHosts = pod.spec?.hostNetwork === true ? await world.machine.hostsFile() : '';
  const { clusterDomain } = world.config;
  const content = hostsFile({ pod, podIPs: podIPs(world, place), clusterDomain, nodeHosts });
  await world.files?.writeFile(file, new TextEncoder().encode(content), { mode: 0o644 });
}

export function podDirectory(world: Pick<PodWorld, 'config'>, pod: Pod): string {
  return `${world.config.rootDirectory}/pods/${pod.metadata.uid ?? ''}`;
}

/** Where a container's termination message is written on the node. */
export function terminationFile(
  world: Pick<PodWorld, 'config'>,
  pod: Pod,
  of: { readonly name: string; readonly attempt: number },
): string {
  return `${podDirectory(world, pod)}/containers/${of.name}/${of.attempt}`;
}

/** Where the runtime writes a container's log. */
export function logFile(
  config: KubeletConfig,
  pod: Pod,
  of: { readonly name: string; readonly attempt: number },
): string {
  return `${podLogDirectory(pod, config)}/${containerLogPath(of.name, of.attempt)}`;
}

/** The addresses that containers of the pod have. */
export function podIPs(world: Pick<PodWorld, 'hostIPs'>, place: Pick<MountPlace, 'pod' | 'view'>): readonly string[] {
  return place.pod.spec.hostNetwork === true ? world.hostIPs : (place.view.sandboxes[0]?.ips ?? []);
}
