import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, VirtualClock } from '@binnacle/base';
import { createSimulatedNode } from '@binnacle/runtime/simulated';
import type { FilesystemUsage, NodeUsage } from '../figures.ts';
import { startTestNode, testMachine } from '../testing/node.ts';
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
