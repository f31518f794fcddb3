import { formatGoDuration, messageOf } from '@binnacle/base';
import type { Container, Pod } from '@binnacle/api/core/v1';
import type { ContainerConfig, ContainerStatus, ImageStatus } from '@binnacle/runtime';
import { type ContainerInput, containerConfig } from '../container/container-config.ts';
import { containerEnvironment } from '../container/env.ts';
import type { VolumeFile } from '../container/env.ts';
import { containerHash, restartCountOf } from '../container/labels.ts';
import { seccompFolder } from '../container/security.ts';
import { isStatic } from '../container/static-pod.ts';
import { podLogDirectory } from '../container/sandbox-config.ts';
import { ContainerConfigError, ContainerStartError } from '../errors.ts';
import type { ReferenceHolder } from '../ports.ts';
import { grantedDevices } from './granted-devices.ts';
import type { KnownImage } from '../image/puller.ts';
import { runHook } from './hooks.ts';
import { killContainer } from './killing.ts';
import { type MountPlace, mountsOf, podIPs, prepareFiles } from './mounts.ts';
import { sandboxOf } from './sandbox.ts';
import { podText } from './seen.ts';
import type { PodWorld } from './world.ts';

/** A file of variables is no larger. */
const ENV_FILE_BYTES_MAX = 1 << 20;

/** What starting containers of one pod works on. */
export interface StartPlace extends MountPlace {
  readonly holder: ReferenceHolder;
  /** The newest exited container of a name before this pass began: its end is what a back-off counts from. */
  lastExit(name: string): ContainerStatus | undefined;
  /** A pull began: it will take a while. */
  pulling(): void;
  /** Waits for the work; throws as soon as the pod is to end, and lets the work go on by itself. */
  orInterrupted<T>(work: Promise<T>): Promise<T>;
  /** Throws when the pod is to end meanwhile. */
  stillWanted(): void;
  /** By container; absent: nothing is done yet. */
  readonly readied?: ReadonlyMap<string, ReadiedStart>;
}

/** What of a container's start was done while its sandbox was made. */
interface ReadiedStart {
  readonly image: KnownImage;
  readonly attempt: number;
}

/**
 * Does what starting containers needs no sandbox for: a runtime takes its time to make one. What fails here is done again,
 * and told, in its turn: it never rejects.
 */
export async function readyStarts(
  world: PodWorld,
  place: StartPlace,
  containers: readonly Container[],
): Promise<ReadonlyMap<string, ReadiedStart>> {
  // Simulated ones have no files, and are asked at once.
  if (world.files === undefined) return new Map();
  const readied = await Promise.allSettled(containers.map((container) => readyStart(world, place, container)));
  return new Map(readied.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
}

async function readyStart(
  world: PodWorld,
  place: StartPlace,
  container: Container,
): Promise<readonly [string, ReadiedStart]> {
  const [image, attempt] = await Promise.all([
    world.images.look(place.pod, container),
    nextAttempt(world, place, container),
  ]);
  await prepareFiles(world, place.pod, { container, attempt });
  return [container.name, { image, attempt }];
}

/** Milliseconds until a container that ended may be started again; 0: now. */
export function restartDelay(world: PodWorld, place: StartPlace, container: Container): number {
  const last = place.lastExit(container.name);
  return last === undefined
    ? 0
    : world.restarts.remaining(restartKey(place.pod, container), last.finishedAt, world.clock.now());
}

/** The waiting state of a container in back-off; upstream's words. */
export function crashLoop(world: PodWorld, pod: Pod, container: Container): ContainerStartError {
  const delay = formatGoDuration(world.restarts.delay(restartKey(pod, container)));
  return new ContainerStartError(
    'CrashLoopBackOff',
    `back-off ${delay} restarting failed container=${container.name} pod=${podText(pod)}`,
  );
}

/** Pulls, makes and starts one container and runs its postStart hook. Throws ContainerStartError; events are said. */
export async function startContainer(world: PodWorld, place: StartPlace, container: Container): Promise<void> {
  const { pod, view } = place;
  const last = place.lastExit(container.name);
  if (last !== undefined) world.restarts.advance(restartKey(pod, container), last.finishedAt, world.clock.now());
  const known = place.readied?.get(container.name)?.image;
  const image = await place.orInterrupted(
    world.images.ensure(pod, container, { pulling: () => place.pulling(), known }),
  );
  place.stillWanted();
  const sandbox = view.sandboxes[0];
  if (sandbox === undefined) throw new ContainerStartError('CreateContainerError', 'the sandbox is gone');
  const config = await configured(world, place, { container, image });
  const id = await step(world, place, {
    container,
    reason: 'CreateContainerError',
    act: async () => world.runtime.createContainer(sandbox.id, config, await sandboxOf(world, pod, sandbox.attempt)),
  });
  view.expect(id);
  world.events.pod(pod, 'Normal', { reason: 'Created', message: 'Container created', container: container.name });
  try {
    await step(world, place, { container, reason: 'RunContainerError', act: () => world.runtime.startContainer(id) });
  } finally {
    await view.refreshContainer(id);
  }
  const { list } = cpusOf(world, place, container) ?? {};
  // Somebody may have got CPUs for itself while it was made.
  if (list !== undefined && list !== config.resources.cpusetCpus) {
    await world.runtime.updateResources(id, { cpusetCpus: list });
  }
  world.events.pod(pod, 'Normal', { reason: 'Started', message: 'Container started', container: container.name });
  await postStart(world, place, { container, id });
}

async function step<T>(
  world: PodWorld,
  place: StartPlace,
  of: { readonly container: Container; readonly reason: string; readonly act: () => Promise<T> },
): Promise<T> {
  try {
    return await of.act();
  } catch (error) {
    sayFailed(world, place.pod, { container: of.container, message: messageOf(error) });
    throw new ContainerStartError(of.reason, messageOf(error), error);
  }
}

function sayFailed(world: PodWorld, pod: Pod, of: { readonly container: Container; readonly message: string }): void {
  const { container, message } = of;
  world.events.pod(pod, 'Warning', { reason: 'Failed', message: `Error: ${message}`, container: container.name });
}

async function configured(
  world: PodWorld,
  place: StartPlace,
  of: { readonly container: Container; readonly image: ImageStatus },
): Promise<ContainerConfig> {
  const { container, image } = of;
  try {
    const readied = place.readied?.get(container.name);
    const [attempt, env] = await Promise.all([
      readied?.attempt ?? nextAttempt(world, place, container),
      environment(world, place, container),
    ]);
    const granted = await grantedDevices(world, place, container);
    const mounts = await mountsOf(world, place, { container, attempt, env, isReady: readied !== undefined });
    return containerConfig({
      pod: place.pod,
      container,
      attempt,
      image,
      env: new Map([...granted.env, ...env, ...granted.envOver]),
      mounts: [...mounts, ...granted.mounts],
      devices: granted.devices,
      groups: [...granted.groups, ...[...place.volumes.values()].flatMap(({ group }) => group ?? [])],
      annotations: granted.annotations,
      nodeMemoryBytes: world.machine.memoryBytes,
      hugePages: world.machine.hugePages,
      cpus: cpusOf(world, place, container),
      memoryNodes: world.given.memory?.groupNodes(place.pod.metadata.uid ?? '', container.name),
      seccomp: { folder: seccompFolder(world.config.rootDirectory), byDefault: world.config.seccompDefault },
      joinsProcessesOf: targetOf(place, container),
    });
  } catch (error) {
    sayFailed(world, place.pod, { container, message: messageOf(error) });
    throw error instanceof ContainerStartError ? error : new ContainerConfigError(messageOf(error), error);
  }
}

function cpusOf({ given: { cpus } }: PodWorld, { pod }: StartPlace, { name }: Container): ContainerInput['cpus'] {
  const uid = pod.metadata.uid ?? '';
  const list = cpus?.groupCpus(uid, name);
  return list === undefined ? undefined : { list, isAlone: cpus?.own(uid, name) !== undefined };
}

/** A container for debugging sees the processes of the one that it names. */
function targetOf(
  place: StartPlace,
  container: Container & { readonly targetContainerName?: string },
): string | undefined {
  const name = container.targetContainerName ?? '';
  if (name === '') return undefined;
  const target = place.view.containers.find((c) => c.name === name && c.state === 'running');
  if (target !== undefined) return target.id;
  throw new ContainerConfigError(`unable to find target container "${name}"`);
}

/** The restart count goes on from what the runtime holds, else from what the API was told, else from the logs. */
async function nextAttempt(world: PodWorld, place: StartPlace, container: Container): Promise<number> {
  const latest = place.view.containers.find((c) => c.name === container.name);
  if (latest !== undefined) return restartCountOf(latest.annotations) + 1;
  const taken = place.view.takenAway?.get(container.name);
  const beyondTaken = taken === undefined ? 0 : restartCountOf(taken.annotations) + 1;
  const { initContainerStatuses = [], containerStatuses = [] } = place.pod.status ?? {};
  const told = [...initContainerStatuses, ...containerStatuses].find((s) => s.name === container.name);
  if (told?.containerID !== undefined) return Math.max(beyondTaken, told.restartCount + 1);
  return Math.max(beyondTaken, told?.restartCount ?? 0, await loggedAttempts(world, place.pod, container));
}

/** A runtime that lost its containers leaves their logs, one per attempt. */
async function loggedAttempts(world: PodWorld, pod: Pod, container: Container): Promise<number> {
  const names = (await world.files?.list(`${podLogDirectory(pod, world.config)}/${container.name}`)) ?? [];
  const numbers = names.flatMap((name) => /^(\d{1,9})\.log$/.exec(name)?.[1] ?? []).map(Number);
  // Not as arguments: a container that may write there can make more of them than a call can have.
  return numbers.reduce((next, n) => Math.max(next, n + 1), 0);
}

async function environment(world: PodWorld, place: StartPlace, container: Container): Promise<Map<string, string>> {
  const { pod } = place;
  const namespace = pod.metadata.namespace ?? '';
  const { objects } = world;
  return containerEnvironment({
    pod,
    container,
    // A static pod may be what the API server itself runs in.
    services: isStatic(pod) ? [] : ((await objects?.services(namespace)) ?? []),
    addresses: { podIPs: podIPs(world, place), hostIPs: world.hostIPs },
    node: world.allocatable,
    configMap: async (name) => objects?.configMap(namespace, name, place.holder),
    secret: async (name) => objects?.secret(namespace, name, place.holder),
    volumeFile: async (name, path) => volumeFile(world, place, { name, path }),
  });
}

function volumeFile(
  world: PodWorld,
  { volumes }: StartPlace,
  of: { readonly name: string; readonly path: string },
): VolumeFile | undefined {
  const volume = volumes.get(of.name);
  if (volume === undefined) return undefined;
  const text = async (): Promise<string | undefined> => {
    const bytes = await world.files?.readBelow({
      volume: volume.hostPath,
      path: of.path,
      bytesMax: ENV_FILE_BYTES_MAX,
    });
    // A mark at its beginning is part of the first name, as upstream reads it.
    return bytes === undefined ? undefined : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  };
  return { hostPath: `${volume.hostPath}/${of.path}`, text };
}

async function postStart(
  world: PodWorld,
  place: StartPlace,
  of: { readonly container: Container; readonly id: string },
): Promise<void> {
  const handler = of.container.lifecycle?.postStart;
  if (handler === undefined) return;
  const podIP = podIPs(world, place)[0] ?? '127.0.0.1';
  const failure = await place.orInterrupted(
    runHook(world, handler, { pod: place.pod, container: of.container, containerId: of.id, podIP }),
  );
  if (failure === undefined) return;
  world.log.warn('PostStart hook failed', { container: of.container.name, failure });
  world.events.pod(place.pod, 'Warning', {
    reason: 'FailedPostStartHook',
    message: 'PostStartHook failed',
    container: of.container.name,
  });
  const status = place.view.container(of.id);
  if (status?.state === 'running') {
    await killContainer(world, status, {
      pod: place.pod,
      view: place.view,
      graceSeconds: place.pod.spec?.terminationGracePeriodSeconds ?? 30,
      message: 'FailedPostStartHook',
    });
  }
  throw new ContainerStartError('PostStartHookError', failure);
}

function restartKey(pod: Pod, container: Container): string {
  return `${pod.metadata.uid ?? ''}_${container.name}_${containerHash(container)}`;
}
