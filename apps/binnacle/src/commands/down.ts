import { rmSync } from 'node:fs';
import { silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { removeContainerdNode, removeOwnPods } from '@binnacle/cluster/node/containerd-node';
import { UsageError } from '../errors.ts';
import { openDataDir } from '../host/data-dir.ts';
import { readDownRecord } from '../host/down-record.ts';
import { removeFromKubeconfig } from '../host/kubeconfig.ts';
import { readRunning, removeRunning, startTicks } from '../host/run-file.ts';
import type { RunRecord } from '../host/run-file.ts';
import { unmountBelow } from '../host/unmount-below.ts';

const STOP_MS_MAX = 10_000;
const LOOK_MS = 20;

/** A process that is not our child tells nobody when it ends: look until it is gone, or the deadline passes. */
async function stopProcess(record: RunRecord): Promise<void> {
  process.kill(record.pid, 'SIGTERM');
  const deadline = performance.now() + STOP_MS_MAX;
  while (startTicks(record.pid) === record.startTicks) {
    if (performance.now() > deadline) throw new UsageError(`binnacle (pid ${record.pid}) does not stop`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** `binnacle down`: stops the process, then removes the node's containers with their mounts, namespaces and cgroups. */
export async function down(options: { readonly dataDir: string; readonly delete?: boolean }): Promise<void> {
  const dataDir = openDataDir(options.dataDir);
  const running = readRunning(dataDir);
  if (running !== undefined) await stopProcess(running);
  const { podCidr, endpoint, kubeconfig } = readDownRecord(dataDir);
  if (endpoint !== undefined) {
    await removeOwnPods({ endpoint, owner: dataDir.root, clock: realClock, log: silentLogger });
  }
  if (podCidr !== undefined) {
    await removeContainerdNode({
      stateDir: dataDir.containerd,
      kubeletDir: dataDir.kubelet,
      podCidr,
      clock: realClock,
      log: silentLogger,
      deleteState: options.delete === true,
    });
  }
  unmountBelow(dataDir.kubelet);
  removeRunning(dataDir);
  if (options.delete === true) {
    rmSync(dataDir.root, { recursive: true, force: true });
    if (kubeconfig !== undefined) await removeFromKubeconfig(kubeconfig, 'binnacle');
  }
  const did = [
    ...(running === undefined ? [] : [`stopped (pid ${running.pid})`]),
    ...(podCidr === undefined && endpoint === undefined ? [] : ['removed the containers of its node']),
    ...(options.delete === true ? ['deleted its data'] : []),
  ];
  process.stderr.write(`binnacle: ${did.length === 0 ? 'nothing ran here' : did.join(', ')}\n`);
}
