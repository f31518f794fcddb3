import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@binnacle/base';
import type { Clock, Logger } from '@binnacle/base';
import type { LogFiles } from '@binnacle/kubelet';
import type { Runtime } from '@binnacle/runtime';
import type { CleanOptions, CniFolders } from '@binnacle/runtime/cri';

/** What tells one private containerd from another; the same at `up` and `down`. */
export interface ContainerdNodeOptions {
  /** containerd's own folder. */
  readonly stateDir: string;
  /** The kubelet's folder: mounts made below must be seen by containers. */
  readonly kubeletDir: string;
  /** One range of each family that pods have addresses of. */
  readonly podCidrs: readonly string[];
  /** False: pods' traffic to the world is masqueraded by our own rules, since some of the world is other nodes' pods. */
  readonly masquerade?: boolean;
  /** Bytes of a packet of pods at the most. Absent: as links are made. */
  readonly podMtu?: number;
  /** Somebody else's CNI plugins, or their configuration too. */
  readonly cni?: CniFolders;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A runtime and where it listens. */
export interface NodeRuntime {
  /** A simulated one brings its containers' logs. */
  readonly runtime: Runtime & { readonly logs?: LogFiles };
  /** CRI endpoint, or a Docker Engine's as `dockerEndpoint` reads it; absent for simulated nodes. */
  readonly endpoint?: string;
}

/** Only what carries this is ours on a containerd that others use too, other clusters of this machine among them. */
export function ownershipLabel(owner: string): { readonly key: string; readonly value: string } {
  return { key: 'binnacle.dev/owner', value: createHash('sha256').update(owner).digest('hex').slice(0, 32) };
}

/** A runtime that somebody else runs, and whose pods on it are ours. */
export interface SharedRuntime {
  readonly endpoint: string;
  /** Tells clusters on one runtime apart: the data directory. */
  readonly owner: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A bridge per cluster, named after its folder: interface names have at most 15 letters. */
export function bridgeName(stateDir: string): string {
  return `bn${createHash('sha256').update(stateDir).digest('hex').slice(0, 10)}`;
}

function supervisorOptions(options: ContainerdNodeOptions): {
  stateDir: string;
  clock: Clock;
  log: Logger;
  network: { subnets: string[]; bridge: string; masquerade: boolean; mtu?: number };
  sharedFolders: string[];
  cni?: CniFolders;
} {
  return {
    stateDir: options.stateDir,
    clock: options.clock,
    log: options.log,
    network: {
      subnets: [...options.podCidrs],
      bridge: bridgeName(options.stateDir),
      masquerade: options.masquerade ?? true,
      ...(options.podMtu === undefined ? {} : { mtu: options.podMtu }),
    },
    sharedFolders: [options.kubeletDir],
    ...(options.cni === undefined ? {} : { cni: options.cni }),
  };
}

/** Whether this machine can run a private containerd, and what is missing if not. */
export async function missingForContainerd(cni: CniFolders = {}): Promise<readonly string[]> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return ['root on Linux'];
  const { detectContainerd } = await import('@binnacle/runtime/cri');
  const found = await detectContainerd(cni);
  return found.usable ? [] : found.missing;
}

/** Starts (or joins) the private containerd and loads images into it. */
export async function startContainerdNode(
  options: ContainerdNodeOptions,
  images: readonly string[],
): Promise<NodeRuntime> {
  const cri = await import('@binnacle/runtime/cri');
  const { connectCriRuntime, imageMounts, importImage, reviveContainerd, startContainerd } = cri;
  mkdirSync(join(options.kubeletDir, 'pods'), { recursive: true, mode: 0o750 });
  const supervised = supervisorOptions(options);
  const { endpoint } = await startContainerd(supervised);
  for (const image of images) await importImage(endpoint, image);
  const runtime = await connectCriRuntime({ endpoint, clock: options.clock, log: options.log });
  const { stateDir, network } = supervised;
  runtime.imageMounts = imageMounts({ endpoint, namespace: cri.containerdMountNamespace(stateDir) });
  // Before anybody asks for a pod: of one that is being made containerd does not tell yet.
  await cri.endLostShims({ stateDir, clock: options.clock, known: () => idsOf(runtime) }, options.log);
  await runtime.endHiddenTasks();
  const sandboxes = new Set((await runtime.listSandboxes()).map(({ id }) => id));
  await cri.removeLostPodRules({ ...network, sandboxes }, options.log);
  await cri.removeLostBandwidthLinks({ ...network, stateDir, sandboxes }, options.log);
  const revival = reviveContainerd(supervised, runtime);
  const close = runtime.close.bind(runtime);
  runtime.close = async () => {
    revival.stop();
    await close();
  };
  return { runtime, endpoint };
}

/** Of sandboxes and containers. */
async function idsOf(runtime: Runtime): Promise<ReadonlySet<string>> {
  const [sandboxes, containers] = await Promise.all([runtime.listSandboxes(), runtime.listContainers()]);
  return new Set([...sandboxes, ...containers].map(({ id }) => id));
}

/** Connects to a runtime that somebody else runs; only what carries our label is listed or touched. */
export async function joinRuntime(shared: SharedRuntime, images: readonly string[]): Promise<NodeRuntime> {
  const { connectCriRuntime, importImage } = await import('@binnacle/runtime/cri');
  const { endpoint, owner, clock, log } = shared;
  for (const image of images) await importImage(endpoint, image);
  const runtime = await connectCriRuntime({ endpoint, clock, log, ownershipLabel: ownershipLabel(owner) });
  await runtime.endHiddenTasks();
  return { runtime, endpoint };
}

/** Removes our pods from a runtime that somebody else runs, and nothing else. */
export async function removeOwnPods(shared: SharedRuntime): Promise<void> {
  const { runtime } = await joinRuntime(shared, []);
  await removeAllPods(runtime);
}

/** Removes all pods that a connection shows, and closes it. Throws the first failure, when all others are removed. */
export async function removeAllPods(runtime: Runtime): Promise<void> {
  const failures: unknown[] = [];
  const attempt = async (act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      failures.push(error);
    }
  };
  try {
    for (const { id } of await runtime.listContainers()) {
      await attempt(async () => {
        await runtime.stopContainer(id, 0);
        await runtime.removeContainer(id);
      });
    }
    for (const { id } of await runtime.listSandboxes()) {
      await attempt(async () => {
        await runtime.stopSandbox(id);
        await runtime.removeSandbox(id);
      });
    }
  } finally {
    await runtime.close();
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * Removes everything that a private containerd made: pods, mounts, network namespaces, bridge, cgroups. Resolves with what is
 * left of pods on somebody else's network, where that is more than nothing.
 */
export async function removeContainerdNode(
  options: ContainerdNodeOptions & Pick<CleanOptions, 'deleteState' | 'cgroupRoots'>,
): Promise<string | undefined> {
  const { cleanContainerd } = await import('@binnacle/runtime/cri');
  const { removeServiceNetwork } = await import('./service-network.ts');
  const { removePodLinks } = await import('./pod-network.ts');
  await removeServiceNetwork(bridgeName(options.stateDir), options.log).catch((error: unknown) =>
    options.log.warn('the rules of Services are left', { reason: messageOf(error) }),
  );
  await removePodLinks(bridgeName(options.stateDir)).catch((error: unknown) =>
    options.log.warn("the ways to other nodes' pods are left", { reason: messageOf(error) }),
  );
  const { deleteState, cgroupRoots } = options;
  const groups = cgroupRoots === undefined ? {} : { cgroupRoots };
  return cleanContainerd({ ...supervisorOptions(options), ...groups, deleteState });
}
