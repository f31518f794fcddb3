import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@binnacle/client';
import { createHttpWire, loadKubeconfig } from '@binnacle/client/node';
import type { BinnacleProcess } from './child.ts';
import type { ClusterWish, Harness, TestCluster } from './cluster.ts';
import { makeFolder, runBinnacle } from './folder.ts';
import type { TestFolder } from './folder.ts';
import { ProcessGroup } from './process-group.ts';

/** A cluster whose components are processes of their own. */
export interface ProcessCluster extends TestCluster {
  readonly kubeconfig: string;
  readonly server: string;
  readonly dataDir: string;
  /** A kubeconfig for a component with a certificate of its own. */
  kubeconfigFor(user: string, groups?: readonly string[]): Promise<string>;
  /** Starts a further component; it ends with the cluster. */
  start(args: readonly string[]): Promise<BinnacleProcess>;
  readonly controllerManager: () => BinnacleProcess;
  restartControllerManager(): Promise<void>;
}

/** How the parts of a process cluster differ from the ordinary. */
export interface ProcessWish extends ClusterWish {
  /** Flags of the API server that choose the store. */
  readonly storeFlags?: readonly string[];
}

interface IssueOrder {
  readonly dataDir: string;
  readonly server: string;
  readonly user: string;
  readonly groups: readonly string[];
}

async function issue(folder: TestFolder, { dataDir, server, user, groups }: IssueOrder): Promise<string> {
  const path = join(folder.path, `${user.replace(/[^a-z0-9-]/g, '_')}.kubeconfig`);
  const flags = groups.flatMap((g) => ['--group', g]);
  const text = await runBinnacle(['kubeconfig', '--data-dir', dataDir, '--server', server, '--user', user, ...flags]);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** Starts API server, controller manager, scheduler and one kubelet per node, each in its own process. */
export async function startProcesses(wish: ProcessWish): Promise<ProcessCluster> {
  const folder = makeFolder();
  const group = new ProcessGroup();
  try {
    return await startParts(wish, folder, group);
  } catch (error) {
    await group.kill();
    folder.remove();
    throw error;
  }
}

async function startParts(wish: ProcessWish, folder: TestFolder, group: ProcessGroup): Promise<ProcessCluster> {
  const dataDir = join(folder.path, 'server');
  const kubeconfig = join(folder.path, 'kubeconfig');
  const store = wish.storeFlags ?? ['--store', wish.store ?? 'sqlite'];
  const api = await group.start([
    'apiserver',
    ...['--data-dir', dataDir, '--kubeconfig', kubeconfig, '--listen', '127.0.0.1:0', '--output', 'json'],
    ...store,
  ]);
  const server = api.ready.server;
  const kubeconfigFor = (user: string, groups: readonly string[] = []): Promise<string> =>
    issue(folder, { dataDir, server, user, groups });
  const managerConfig = await kubeconfigFor('system:kube-controller-manager');
  // There is one: who replaces a dead one need not wait for a Lease to run out.
  const managerArgs = ['controller-manager', '--kubeconfig', managerConfig, '--leader-elect=false'];
  let manager = await group.start(managerArgs);
  await group.start(['scheduler', '--kubeconfig', await kubeconfigFor('system:kube-scheduler')]);
  const nodes = Array.from({ length: wish.nodes ?? 1 }, (_, i) => ({ name: `node-${i}`, podCidr: `10.212.${i}.0/24` }));
  for (const { name, podCidr } of nodes) {
    const config = await kubeconfigFor(`system:node:${name}`, ['system:nodes']);
    const place = ['--data-dir', join(folder.path, name), '--node-name', name, '--pod-cidr', podCidr];
    await group.start(['kubelet', '--kubeconfig', config, ...place, '--runtime', wish.runtime, '--output', 'json']);
  }
  const wire = createHttpWire((await loadKubeconfig(kubeconfig)).wire);
  return {
    client: createClient(wire),
    kubeconfig,
    server,
    dataDir,
    kubeconfigFor,
    start: (args) => group.start(args),
    controllerManager: () => manager,
    restartControllerManager: async () => {
      manager = await group.start(managerArgs);
    },
    stop: async () => {
      await wire.close();
      try {
        await group.stop();
      } finally {
        for (const { name } of nodes)
          await runBinnacle(['down', '--data-dir', join(folder.path, name)], { KUBECONFIG: kubeconfig });
        folder.remove();
      }
    },
  };
}

/** Every component in a process of its own, each with its own certificate. */
export const separateProcesses: Harness = { name: 'separate processes', start: (wish) => startProcesses(wish) };
