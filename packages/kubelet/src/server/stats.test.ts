import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, formatTime, VirtualClock } from '@binnacle/base';
import { createSimulatedNode } from '@binnacle/runtime/simulated';
import type { FilesystemUsage, NodeUsage } from '../figures.ts';
import { pass, startTestNode, testMachine } from '../testing/node.ts';
import { statsSummary } from './stats.ts';

const disk = (capacityBytes: number): FilesystemUsage => ({
  availableBytes: 1,
  capacityBytes,
  usedBytes: capacityBytes - 1,
  inodesFree: 2,
  inodes: 3,
  inodesUsed: 1,
});

test('the disks of a node: that of pods, that of images with what the runtime has there, that of layers', async () => {
  const clock = new VirtualClock();
  const runtime = createSimulatedNode({ clock, random: createSeededRandom(1) }).connect();
  runtime.filesystems = async () => ({
    images: { folder: '/images', usedBytes: 7, inodesUsed: 5 },
    layers: { folder: '/layers' },
  });
  const sizes: { readonly [folder: string]: number } = { '/images': 200, '/layers': 300 };
  const usage: NodeUsage = {
    startedAt: 0,
    cpuUsageNanos: 0,
    memoryAvailableBytes: 0,
    memoryUsageBytes: 0,
    memoryWorkingSetBytes: 0,
    filesystem: disk(100),
    pids: 1,
    maxPids: 2,
  };
  const machine = {
    ...testMachine,
    usage: async () => usage,
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
