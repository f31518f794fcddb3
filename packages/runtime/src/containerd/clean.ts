import { readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, messageOf } from '@binnacle/base';
import { connectCriRuntime } from '../cri/connect.ts';
import { removeCgroup } from '../node/cgroups.ts';
import type { Runtime } from '../ports.ts';
import { removeLostBandwidthLinks } from './bandwidth-links.ts';
import { removeBridge } from './pod-bridge.ts';
import { type Layout, layoutOf } from './layout.ts';
import { dropMountNamespace } from './mounts.ts';
import { removeLostPodRules } from './pod-rules.ts';
import { removeIdlePortChains } from './port-chains.ts';
import { type ProcessInfo, endProcesses, readProcess } from './processes.ts';
import { findShims } from './shims.ts';
import {
  type ContainerdOptions,
  findContainerd,
  joinedFolder,
  othersNetworkOf,
  startContainerd,
  stopContainerd,
} from './supervisor.ts';

const PARALLEL = 8;

/** What cleaning needs: the options that `startContainerd` had. */
export interface CleanOptions extends ContainerdOptions {
  /** Deletes the state folder too: images, logs, configuration. */
  readonly deleteState: boolean;
  /** Cgroups under which pods were made; default `/kubepods` alone. Removed when empty. */
  readonly cgroupRoots?: readonly string[];
}

/**
 * Removes everything that the private containerd made: pods, containers, mounts, network namespaces and addresses, the
 * bridge, cgroups, itself. Containerd is started for it when it does not run, so that CNI can take back its rules; when
 * it cannot, processes are killed and the rest is removed all the same. Nothing there: nothing done. Resolves with what is
 * left of pods where somebody else's plugins would have had to take it back and did not, a sentence.
 */
export async function cleanContainerd(options: CleanOptions): Promise<string | undefined> {
  const layout = layoutOf(options.stateDir);
  let left: string | undefined;
  // A start that failed early leaves its mounts, and no containerd.
  if (await isUntouched(layout)) await dropMountNamespace(layout, options.sharedFolders);
  else left = await removeAll(layout, options);
  if (options.deleteState) await rm(layout.base, { recursive: true, force: true });
  return left;
}

async function removeAll(layout: Layout, options: CleanOptions): Promise<string | undefined> {
  const othersNetwork = await othersNetworkOf(layout);
  let left: string | undefined;
  try {
    const { endpoint } = await startContainerd({ ...options, keepsNetwork: true });
    await removePods(await connectCriRuntime({ ...options, endpoint }));
  } catch (error) {
    const reason = messageOf(error);
    options.log.error(error, 'cleaning without containerd', { reason });
    if (othersNetwork !== undefined)
      left = `pods did not leave the network of ${othersNetwork} (${reason}): what its plugins keep of them is left`;
  }
  await stopContainerd(options);
  await endSurvivors(layout, options.clock);
  await dropMountNamespace(layout, options.sharedFolders);
  await removeBridge(options.network.bridge, options.log);
  const nobody = { ...options.network, sandboxes: new Set<string>() };
  await removeLostPodRules(nobody, options.log);
  await removeLostBandwidthLinks({ ...nobody, stateDir: options.stateDir }, options.log);
  await removeIdlePortChains(options.log);
  // Nobody is joined any more, whatever is noted: the next pods may join another network, and have those addresses.
  await rm(joinedFolder(layout), { recursive: true, force: true });
  await rm(layout.cniIpamDir, { recursive: true, force: true });
  for (const group of options.cgroupRoots ?? ['/kubepods']) await removeCgroup(group);
  return left;
}

async function isUntouched(layout: Layout): Promise<boolean> {
  // Absent or unreadable: no containerd of ours was ever started by it.
  const config = await readFile(layout.config).catch(() => undefined);
  return config === undefined && (await findContainerd(layout)) === undefined;
}

/** Throws the first failure, when all others are removed. */
async function removePods(runtime: Runtime): Promise<void> {
  const waiting = [...(await runtime.listSandboxes())];
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      try {
        await runtime.stopSandbox(next.id);
        await runtime.removeSandbox(next.id);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: PARALLEL }, work));
  } finally {
    await runtime.close();
  }
  if (failures.length > 0) throw failures[0];
}

/** Shims that containerd did not end, and the containers under them. */
async function endSurvivors(layout: Layout, clock: Clock): Promise<void> {
  const shims = await findShims(layout.socket);
  const containers = await findContainers(layout);
  await endProcesses(clock, shims, 0);
  await endProcesses(clock, containers, 0);
}

/** First processes of containers by containerd's bundles; the cgroup shows that a pid was not given to another. */
async function findContainers(layout: Layout): Promise<ProcessInfo[]> {
  const bundles = join(layout.state, 'io.containerd.runtime.v2.task/k8s.io');
  const found: ProcessInfo[] = [];
  // Each of these may go while it is read: what is gone needs no clean-up.
  for (const id of await readdir(bundles).catch(() => [])) {
    // As above: gone.
    const pid = Number(await readFile(join(bundles, id, 'init.pid'), 'utf8').catch(() => ''));
    // As above: gone.
    const cgroup = pid > 0 ? await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '') : '';
    const info = cgroup.includes(id) ? await readProcess(pid) : undefined;
    if (info !== undefined) found.push(info);
  }
  return found;
}
