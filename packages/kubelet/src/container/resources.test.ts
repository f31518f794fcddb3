import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceRequirements } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import {
  cgroupParent,
  inheritedLimits,
  cpuQuota,
  cpuShares,
  linuxResources,
  oomScoreAdj,
  qosClass,
} from './resources.ts';

const GI = 2 ** 30;

function podWith(resources: ResourceRequirements | undefined): ReturnType<typeof testPod> {
  return testPod({ container: resources === undefined ? {} : { resources }, status: {} });
}

const rows: readonly [string, ResourceRequirements | undefined, string, number][] = [
  ['nothing', undefined, 'BestEffort', 1000],
  ['zero is nothing', { requests: { cpu: '0' } }, 'BestEffort', 1000],
  [
    'both limits, requests equal',
    { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1000m', memory: '1Gi' } },
    'Guaranteed',
    -997,
  ],
  ['limits only', { limits: { cpu: '1', memory: '1Gi' } }, 'Guaranteed', -997],
  [
    'a request below its limit',
    { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m', memory: '1Gi' } },
    'Burstable',
    875,
  ],
  ['one resource only', { limits: { memory: '4Gi' } }, 'Burstable', 500],
  ['a tiny request', { requests: { memory: '1Mi' } }, 'Burstable', 999],
  ['almost the whole node', { requests: { memory: '8Gi' } }, 'Burstable', 3],
];

for (const [name, resources, qos, oom] of rows) {
  test(`qos and oom score: ${name}`, () => {
    const pod = podWith(resources);
    assert.equal(qosClass(pod), qos);
    assert.equal(oomScoreAdj(pod, pod.spec.containers[0]!, 8 * GI), oom);
  });
}

test('the class that the server gave wins', () => {
  assert.equal(qosClass(testPod({ status: { qosClass: 'Guaranteed' } })), 'Guaranteed');
});

test('node-critical pods are the last to be killed', () => {
  const pod = testPod({ spec: { priority: 2_000_001_000 } });
  assert.equal(oomScoreAdj(pod, pod.spec.containers[0]!, GI), -997);
});

test('cpu in shares and quota', () => {
  assert.deepEqual([0, 1, 100, 1000, 2500, 1_000_000].map(cpuShares), [2, 2, 102, 1024, 2560, 262_144]);
  assert.deepEqual([1, 10, 100, 1500].map(cpuQuota), [1000, 1000, 10_000, 150_000]);
});

test('a container with limits', () => {
  const pod = podWith({ limits: { cpu: '200m', memory: '64Mi' }, requests: { cpu: '100m' } });
  assert.deepEqual(linuxResources(pod, pod.spec.containers[0]!, 8 * GI), {
    cpuShares: 102,
    cpuQuota: 20_000,
    cpuPeriod: 100_000,
    memoryLimitBytes: 64 * 2 ** 20,
    oomScoreAdj: 993,
  });
});

test('limits of its pod are those of a container where it has none of its own, and no claim', () => {
  const resources = { requests: { cpu: '2' }, limits: { cpu: '3', memory: '2Gi', 'hugepages-2Mi': '2Mi' } };
  const container = { name: 'main', resources: { limits: { memory: '1Gi' } } };
  const pod = testPod({ spec: { containers: [container], resources }, status: { qosClass: 'Burstable' } });
  assert.deepEqual(inheritedLimits(pod, container), { cpu: '3' });
  assert.deepEqual(
    [container, { name: 'b' }].map((one) => {
      const { oomScoreAdj: _oomScoreAdj, ...set } = linuxResources(pod, one, 8 * GI);
      return set;
    }),
    [
      { cpuShares: 2, cpuQuota: 300_000, cpuPeriod: 100_000, memoryLimitBytes: GI },
      { cpuShares: 2, cpuQuota: 300_000, cpuPeriod: 100_000, memoryLimitBytes: 2 * GI },
    ],
  );
});

test('without limits nothing is capped', () => {
  const pod = podWith(undefined);
  assert.deepEqual(linuxResources(pod, pod.spec.containers[0]!, 8 * GI), { cpuShares: 2, oomScoreAdj: 1000 });
});

test('control groups by class', () => {
  assert.equal(cgroupParent('/kubepods', podWith(undefined)), '/kubepods/besteffort/poduid-web');
  assert.equal(cgroupParent('/kubepods', podWith({ limits: { cpu: '1', memory: '1' } })), '/kubepods/poduid-web');
  assert.equal(cgroupParent('/kubepods', podWith({ limits: { cpu: '1' } })), '/kubepods/burstable/poduid-web');
});

const asking = (memory: string): { readonly resources: ResourceRequirements } => ({
  resources: { requests: { memory } },
});

test('a sidecar is killed no sooner than those that it is there for', () => {
  const sidecar = { name: 'beside', restartPolicy: 'Always' as const };
  const score = (own: object, others: readonly object[]): number => {
    const initContainers = [{ ...sidecar, ...own }];
    const containers = others.map((one, i) => ({ name: `c${i}`, ...one }));
    const pod = testPod({ spec: { initContainers, containers }, status: { qosClass: 'Burstable' } });
    return oomScoreAdj(pod, initContainers[0]!, 8 * GI);
  };
  assert.deepEqual(
    [
      score(asking('1Gi'), [asking('4Gi'), asking('2Gi')]),
      score(asking('4Gi'), [asking('2Gi')]),
      score({}, [asking('2Gi'), {}]),
    ],
    [750, 500, 999],
  );
});

test('what only the pod as a whole asks for counts for its containers, in equal parts', () => {
  const containers = [{ name: 'a', ...asking('1Gi') }, { name: 'b' }];
  const pod = testPod({ spec: { containers, resources: asking('3Gi').resources }, status: { qosClass: 'Burstable' } });
  assert.deepEqual(
    containers.map((container) => oomScoreAdj(pod, container, 8 * GI)),
    [750, 875],
  );
});

test('a static pod of the class of what the node cannot do without has it by its name', () => {
  const metadata = { annotations: { 'kubernetes.io/config.source': 'file' } };
  const spec = { priorityClassName: 'system-node-critical' };
  const pod = testPod({ metadata, spec, status: {} });
  assert.deepEqual(
    [pod, testPod({ spec, status: {} })].map((one) => oomScoreAdj(one, one.spec.containers[0]!, GI)),
    [-997, 1000],
  );
});
