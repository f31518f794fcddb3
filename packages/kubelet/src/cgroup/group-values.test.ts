import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, PodQOSClass, PodSpec, ResourceRequirements } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import { burstableShares, envelope, podGroupValues } from './group-values.ts';

const sized = (name: string, resources: ResourceRequirements, more: Partial<Container> = {}): Container => ({
  name,
  image: 'i',
  resources,
  ...more,
});
const pod = (containers: Container[], more: Partial<PodSpec> = {}, qos: PodQOSClass = 'Burstable') =>
  testPod({ spec: { containers, ...more }, status: { phase: 'Pending', qosClass: qos } });
const both = (cpu: string, memory: string): ResourceRequirements => ({
  requests: { cpu, memory },
  limits: { cpu, memory },
});

const rows: readonly [string, ReturnType<typeof pod>, readonly [shares: number, quota: number, memory: number]][] = [
  ['it asks for nothing', pod([sized('a', {})], {}, 'BestEffort'), [2, -1, -1]],
  ['requests are a weight', pod([sized('a', { requests: { cpu: '1500m' } })]), [1536, -1, -1]],
  [
    'limits of all are one of the pod',
    pod([sized('a', both('1', '1Ki')), sized('b', both('500m', '1Ki'))]),
    [1536, 150_000, 2048],
  ],
  [
    'one without a limit frees the pod',
    pod([sized('a', both('1', '1Ki')), sized('b', { limits: { cpu: '1' } })]),
    [1024, 200_000, -1],
  ],
  [
    'an init container that is larger',
    pod([sized('a', both('100m', '1Ki'))], { initContainers: [sized('i', both('2', '4Ki'))] }),
    [2048, 200_000, 4096],
  ],
  [
    'sidecars stay',
    pod([sized('a', both('1', '1Ki'))], {
      initContainers: [sized('s', both('1', '1Ki'), { restartPolicy: 'Always' })],
    }),
    [2048, 200_000, 2048],
  ],
  [
    'limits of the pod as a whole',
    pod([sized('a', {})], { resources: { requests: { cpu: '1' }, limits: { cpu: '2', memory: '1Mi' } } }),
    [1024, 200_000, 2 ** 20],
  ],
  [
    'overhead is on top',
    pod([sized('a', both('1', '1Ki'))], { overhead: { cpu: '250m', memory: '1Ki' } }),
    [1280, 125_000, 2048],
  ],
];
for (const [name, given, wanted] of rows)
  test(`group of a pod: ${name}`, () => {
    const { cpuShares, cpuQuotaUs, memoryLimitBytes } = podGroupValues(given);
    assert.deepEqual([cpuShares, cpuQuotaUs, memoryLimitBytes], wanted);
  });

test('burstable pods weigh together what they request', () => {
  const one = pod([sized('a', { requests: { cpu: '500m' } })]);
  assert.equal(burstableShares([one, one, pod([sized('g', both('3', '1'))], {}, 'Guaranteed')]), 1024);
  assert.equal(burstableShares([]), 2);
});

test('between two sizes there is room for both', () => {
  const small = podGroupValues(pod([sized('a', both('1', '1Ki'))]));
  const large = podGroupValues(pod([sized('a', both('2', '1Gi'))]));
  const free = podGroupValues(pod([sized('a', {})]));
  assert.deepEqual(envelope(large, small), large);
  assert.deepEqual([envelope(free, large).cpuQuotaUs, envelope(large, free).memoryLimitBytes], [-1, -1]);
});

test('a pod has as many processes as the node says', () => {
  assert.equal(podGroupValues(pod([sized('a', {})])).processesMax, -1);
  assert.equal(podGroupValues(pod([sized('a', {})]), 1024).processesMax, 1024);
});

test('a pod uses no more huge pages than it asked for, and none of other sizes', () => {
  const machine = [
    { sizeBytes: 2 << 20, count: 8 },
    { sizeBytes: 1 << 30, count: 0 },
  ];
  const asking = pod([
    sized('a', { limits: { 'hugepages-2Mi': '4Mi' } }),
    sized('b', { limits: { 'hugepages-2Mi': '2Mi' } }),
  ]);
  assert.deepEqual(podGroupValues(asking, -1, machine).hugePageLimits, [
    { pageSize: '2MB', limitBytes: 6 << 20 },
    { pageSize: '1GB', limitBytes: 0 },
  ]);
  assert.deepEqual(podGroupValues(asking).hugePageLimits, [], 'a machine without any');
});
