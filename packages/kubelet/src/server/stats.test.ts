import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, formatTime, VirtualClock } from '@binnacle/base';
import { createSimulatedNode } from '@binnacle/runtime/simulated';
import type { FilesystemUsage, NodeUsage } from '../figures.ts';
import { pass, startTestNode, testMachine, testPod } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { statsSummary } from './stats.ts';

const disk = (capacityBytes: number): FilesystemUsage => ({
  availableBytes: 1,
  capacityBytes,
  usedBytes: capacityBytes - 1,
  inodesFree: 2,
  inodes: 3,
  inodesUsed: 1,
});

const nodeUsage: NodeUsage = {
  startedAt: 0,
  cpuUsageNanos: 0,
  memoryAvailableBytes: 0,
  memoryUsageBytes: 0,
  memoryWorkingSetBytes: 0,
  filesystem: disk(100),
  pids: 1,
  maxPids: 2,
};

test('the disks of a node: that of pods, that of images with what the runtime has there, that of layers', async () => {
  const clock = new VirtualClock();
  const runtime = createSimulatedNode({ clock, random: createSeededRandom(1) }).connect();
  runtime.filesystems = async () => ({
    images: { folder: '/images', usedBytes: 7, inodesUsed: 5 },
    layers: { folder: '/layers' },
  });
  const sizes: { readonly [folder: string]: number } = { '/images': 200, '/layers': 300 };
  const machine = {
    ...testMachine,
    usage: async () => nodeUsage,
    filesystem: async (folder: string) => ({ device: folder, usage: disk(sizes[folder] ?? 100) }),
  };
  const t = await startTestNode({ clock, runtime, machine });
  const summary = (await statsSummary(t.kubelet, 0)) as { readonly node: { readonly [part: string]: unknown } };
  const time = '1970-01-01T00:00:00Z';
  assert.deepEqual(
    [summary.node['fs'], summary.node['runtime']],
    [
      { time, ...disk(100) },
      {
        imageFs: { time, ...disk(200), usedBytes: 7, inodesUsed: 5 },
        containerFs: { time, ...disk(300) },
      },
    ],
  );
  await t.scope.close();
});

test('what all pods use together, and the kubelet itself: by control group, where they can be told apart', async () => {
  const asked: string[] = [];
  const memory = { usageBytes: 9, workingSetBytes: 6, limitBytes: 10, rssBytes: 5, pageFaults: 4, majorPageFaults: 1 };
  let nanos = 1_000_000_000;
  const machine = {
    ...testMachine,
    ownGroup: async () => '/system.slice/kubelet.service',
    groupUsage: async (path: string) => {
      asked.push(path);
      return path === '/kubepods'
        ? { startedAt: 60_000, cpuUsageNanos: nanos, memory }
        : { startedAt: 60_000, memory: { ...memory, limitBytes: -1 } };
    },
  };
  const t = await startTestNode({ machine });
  const look = async (): Promise<unknown> =>
    ((await statsSummary(t.kubelet, 0)) as { readonly node: { readonly systemContainers?: unknown } }).node
      .systemContainers;
  await look();
  nanos += 500_000_000;
  await pass(t.clock, 1_000);
  const time = '1970-01-01T00:00:00Z';
  const { limitBytes, ...figures } = memory;
  assert.deepEqual(await look(), [
    { name: 'kubelet', startTime: formatTime(t.kubelet.startedAt), memory: { time, ...figures } },
    {
      name: 'pods',
      startTime: '1970-01-01T00:01:00Z',
      cpu: { time, usageNanoCores: 500_000_000, usageCoreNanoSeconds: 1_500_000_000 },
      memory: { time, availableBytes: limitBytes - 6, ...figures },
    },
  ]);
  assert.deepEqual(asked.slice(0, 2), ['/system.slice/kubelet.service', '/kubepods']);
  await t.scope.close();
});

test('a node whose groups are not to be read tells of none', async () => {
  const t = await startTestNode();
  const { node } = (await statsSummary(t.kubelet, 0)) as { readonly node: object };
  assert.equal('systemContainers' in node, false);
  await t.scope.close();
});

interface PodStats {
  readonly containers: readonly { readonly logs?: object }[];
  readonly volume?: readonly { readonly name: string; readonly usedBytes?: number; readonly inodesUsed?: number }[];
  readonly 'ephemeral-storage'?: { readonly usedBytes?: number; readonly inodesUsed?: number };
}

test('what pods have on the disk: logs, volumes of their own, and all of it together', async () => {
  const files = createMemoryFiles();
  // Its disk is nearly full; that is another tale.
  const config = { rootDirectory: '/k', podLogsDirectory: '/l', evictionHard: {} };
  const machine = {
    ...testMachine,
    usage: async () => nodeUsage,
    filesystem: async (folder: string) => ({ device: folder, usage: disk(300) }),
  };
  const t = await startTestNode({ files, config, machine });
  t.source.put(
    testPod({
      spec: {
        volumes: [
          { name: 'data', emptyDir: {} },
          { name: 'ram', emptyDir: { medium: 'Memory' } },
          { name: 'host', hostPath: { path: '/h' } },
        ],
      },
    }),
  );
  await pass(t.clock, 500);
  const folder = '/k/pods/uid-web/volumes/kubernetes.io~empty-dir';
  const name = testPod().spec.containers[0]?.name ?? '';
  await files.writeFile(`/l/default_web_uid-web/${name}/0.log`, new Uint8Array(7));
  await files.writeFile(`${folder}/data/file`, new Uint8Array(20));
  await files.writeFile(`${folder}/ram/file`, new Uint8Array(500));
  const look = async (): Promise<PodStats | undefined> =>
    ((await statsSummary(t.kubelet, 0)) as { readonly pods: readonly PodStats[] }).pods[0];
  const pod = await look();
  const time = '1970-01-01T00:00:00Z';
  const left = { time, availableBytes: 1, capacityBytes: 100, inodesFree: 2, inodes: 3 };
  assert.deepEqual(pod?.containers[0]?.logs, { ...left, usedBytes: 7, inodesUsed: 2 });
  assert.deepEqual(
    pod?.volume?.map((one) => [one.name, one.usedBytes, one.inodesUsed]),
    [
      ['data', 20, 2],
      ['ram', 500, 2],
    ],
  );
  const [stats] = await t.kubelet.stats();
  const own = await Promise.all(['etc-hosts', 'containers'].map((part) => files.usage(`/k/pods/uid-web/${part}`, 1e9)));
  const ephemeral = own.reduce((sum, bytes) => sum + bytes, 27);
  const layer = stats?.filesystem?.usedBytes;
  assert.equal(pod['ephemeral-storage']?.usedBytes, layer === undefined ? undefined : layer + ephemeral);
  await files.writeFile(`${folder}/data/more`, new Uint8Array(5));
  assert.equal((await look())?.volume?.[0]?.usedBytes, 20, 'files are not counted at each question');
  await t.clock.advance(60_000);
  assert.equal((await look())?.volume?.[0]?.usedBytes, 25);
  await t.scope.close();
});
