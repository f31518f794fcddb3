import { messageOf, silentLogger } from '@binnacle/base';
import { realClock, startTicks } from '@binnacle/base/node';
import { bridgeName, removeContainerdNode, removeOwnPods } from '@binnacle/cluster/node/containerd-node';
import { removeDockerNode } from '@binnacle/cluster/node/docker-node';
import { CommandFailedError } from '../errors.ts';
import { PODS_GROUP } from '../host/cgroup-root.ts';
import { deleteDataDir, findDataDir } from '../host/data-dir.ts';
import type { DataDir } from '../host/data-dir.ts';
import { readDownRecord } from '../host/down-record.ts';
import { CHILD_STOP_MS_MAX } from '../host/kept-process.ts';
import { removeFromKubeconfig } from '../host/kubeconfig.ts';
import { runningProcesses } from '../host/processes.ts';
import { codeOf } from '../host/record-file.ts';
import { readRunning, removeRunning } from '../host/run-file.ts';
import type { RunRecord } from '../host/run-file.ts';
import { downWorkers } from '../host/worker-nodes.ts';
import { unmountBelow } from '../host/unmount-below.ts';

/** It gives the programs that it keeps their time first, and has its own things to put away, on a busy machine too. */
const STOP_MS_MAX = CHILD_STOP_MS_MAX + 20_000;
const LOOK_MS = 20;

/** A process that is not our child tells nobody when it ends: look until it is gone, or the deadline passes. */
async function stopProcess(record: Pick<RunRecord, 'pid' | 'startTicks'>): Promise<void> {
  try {
    process.kill(record.pid, 'SIGTERM');
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return;
    throw error;
  }
  const deadline = performance.now() + STOP_MS_MAX;
  while (startTicks(record.pid) === record.startTicks) {
    if (performance.now() > deadline) throw new CommandFailedError(`it does not end within ${STOP_MS_MAX / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Stops whatever runs with this data directory. Throws CommandFailedError with all that could not be stopped, and why. */
async function stopAll(dataDir: DataDir): Promise<readonly string[]> {
  const whole = readRunning(dataDir);
  const all = [...(whole === undefined ? [] : [{ ...whole, component: 'cluster' }]), ...runningProcesses(dataDir)];
  const results = await Promise.allSettled(all.map(stopProcess));
  const named = all.map(({ component, pid }) => `${component} (pid ${pid})`);
  const failures = results.flatMap((result, at) =>
    result.status === 'fulfilled' ? [] : [`${named[at] ?? ''}: ${messageOf(result.reason)}`],
  );
  if (failures.length > 0) throw new CommandFailedError(`could not stop ${failures.join('; ')}; nothing was removed`);
  return named;
}

/** `binnacle down`: stops the process, then removes the node's containers with their mounts, namespaces and cgroups. */
export async function down(options: { readonly dataDir: string; readonly delete?: boolean }): Promise<void> {
  const dataDir = findDataDir(options.dataDir);
  if (dataDir === undefined) {
    tell([]);
    return;
  }
  const stopped = await stopAll(dataDir);
  const { podCidr, endpoint, docker, kubeconfig, cgroupRoots = [], workers } = readDownRecord(dataDir);
  if (workers !== undefined) await downWorkers(dataDir, workers, options.delete === true);
  if (endpoint !== undefined) {
    await removeOwnPods({ endpoint, owner: dataDir.root, clock: realClock, log: silentLogger });
  }
  if (docker !== undefined) {
    await removeDockerNode({
      endpoint: docker.endpoint,
      podCidrs: docker.podCidr.split(','),
      stateDir: dataDir.docker,
      bridge: bridgeName(dataDir.containerd),
      owner: dataDir.root,
      clock: realClock,
      log: silentLogger,
    });
  }
  let leftOfPods: string | undefined;
  if (podCidr !== undefined) {
    leftOfPods = await removeContainerdNode({
      stateDir: dataDir.containerd,
      kubeletDir: dataDir.kubelet,
      podCidrs: podCidr.split(','),
      ...(cgroupRoots.length === 0 ? {} : { cgroupRoots }),
      clock: realClock,
      log: silentLogger,
      deleteState: options.delete === true,
    });
  }
  await removeOwnGroups(cgroupRoots);
  unmountBelow(dataDir.kubelet);
  removeRunning(dataDir);
  const left = options.delete === true ? deleteDataDir(dataDir) : [];
  if (options.delete === true) {
    if (kubeconfig !== undefined) await removeFromKubeconfig(kubeconfig, 'binnacle');
  }
  tell([
    ...stopped.map((name) => `stopped the ${name}`),
    ...((podCidr ?? endpoint ?? docker) === undefined ? [] : ['removed the containers of its node']),
    ...(options.delete === true ? ['deleted its data'] : []),
    ...(leftOfPods === undefined ? [] : [leftOfPods]),
    ...(left.length === 0 ? [] : [`left in ${dataDir.root} what is not ours (${left.join(', ')})`]),
  ]);
}

/**
 * Of pods on somebody else's engine, and of a start that failed before it had a containerd: the usual group may be another
 * kubelet's.
 */
async function removeOwnGroups(groups: readonly string[]): Promise<void> {
  const { removeCgroup } = await import('@binnacle/runtime/cri');
  for (const group of groups) if (group !== PODS_GROUP) await removeCgroup(group);
}

function tell(did: readonly string[]): void {
  process.stderr.write(`binnacle: ${did.length === 0 ? 'nothing ran here' : did.join(', ')}\n`);
}
