import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';
import { PathError } from '../errors.ts';
import type { GroupValues } from '../ports.ts';
import { testMachine, testPod } from '../testing/node.ts';
import { NodeGroups } from './node-groups.ts';

function bench(pods: readonly Pod[] = []): { groups: NodeGroups; set: [string, GroupValues][] } {
  const set: [string, GroupValues][] = [];
  const machine = {
    ...testMachine,
    setCgroup: async (path: string, values: GroupValues) => {
      set.push([path, values]);
    },
  };
  const allocatable = { milliCpu: 4000, memoryBytes: 1, ephemeralStorageBytes: 1 };
  return {
    groups: new NodeGroups({
      ...{ machine, root: '/kubepods', allocatable, pods: () => pods, log: silentLogger },
      memoryBytes: 7,
    }),
    set,
  };
}

const burstable = (name: string, cpu: string, memory = '1Gi'): Pod =>
  testPod({
    name,
    container: { resources: { requests: { cpu }, limits: { cpu, memory } } },
    status: { phase: 'Running', qosClass: 'Burstable' },
  });

test('a pod has its weight and limits, its class the weight of all its pods, all pods what is for pods', async () => {
  const pods = [burstable('a', '500m'), burstable('b', '1500m')];
  const { groups, set } = bench(pods);
  await groups.apply(burstable('a', '500m'));
  assert.deepEqual(set, [
    [
      '/kubepods/burstable/poduid-a',
      {
        cpuShares: 512,
        cpuQuotaUs: 50_000,
        cpuPeriodUs: 100_000,
        memoryLimitBytes: 2 ** 30,
        processesMax: -1,
        hugePageLimits: [],
      },
    ],
    ['/kubepods', { cpuShares: 4096 }],
    ['/kubepods', { memoryLimitBytes: 7 }],
    ['/kubepods/besteffort', { cpuShares: 2 }],
    ['/kubepods/burstable', { cpuShares: 2048 }],
  ]);
});

test('a group grows before its containers and shrinks after them', async () => {
  const { groups, set } = bench();
  await groups.apply(burstable('a', '1', '2Gi'));
  set.length = 0;
  const other = burstable('a', '2', '1Gi');
  await groups.grow(other);
  await groups.apply(other);
  const own = set.filter(([path]) => path.endsWith('uid-a')).map(([, v]) => [v.cpuQuotaUs, v.memoryLimitBytes]);
  assert.deepEqual(own, [
    [200_000, 2 ** 31],
    [200_000, 2 ** 30],
  ]);
});

test('many pods at once are one more look at the classes, not one each', async () => {
  const { groups, set } = bench();
  await Promise.all(Array.from({ length: 20 }, () => groups.refresh()));
  assert.ok(set.filter(([path]) => path === '/kubepods/besteffort').length <= 2, String(set.length));
});

test('pods that have more already than they may hold up no other one', async () => {
  const machine = {
    ...testMachine,
    setCgroup: async (path: string, { memoryLimitBytes }: GroupValues) => {
      if (path === '/k' && memoryLimitBytes === 7) throw new PathError(path, 'cannot be set to 7: EBUSY');
    },
  };
  const allocatable = { milliCpu: 1, memoryBytes: 1, ephemeralStorageBytes: 1 };
  const of = { machine, root: '/k', allocatable, memoryBytes: 7, pods: () => [], log: silentLogger };
  const groups = new NodeGroups(of);
  await groups.apply(burstable('a', '1'));
  await assert.rejects(groups.enforce(), /cannot be set to 7: EBUSY/);
  of.memoryBytes = 8;
  await new NodeGroups(of).enforce();
});

test('a node without control groups of its own has none set', async () => {
  const allocatable = { milliCpu: 1, memoryBytes: 1, ephemeralStorageBytes: 1 };
  const of = { machine: testMachine, root: '/k', allocatable, memoryBytes: 1, pods: () => [], log: silentLogger };
  const groups = new NodeGroups(of);
  await groups.apply(burstable('a', '1'));
  await groups.forget(burstable('a', '1'));
});
