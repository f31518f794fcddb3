import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RuntimeStatus } from '@binnacle/runtime';
import { kubeletConfig } from '../config.ts';
import { testMachine } from '../testing/node.ts';
import { newNode, nodeStatus } from './node-object.ts';

const fine = { ready: true, reason: '', message: '' };
const config = kubeletConfig({
  nodeName: 'node-1',
  port: 10250,
  nodeLabels: { tier: 'x' },
  nodeTaints: [{ key: 'k', effect: 'NoSchedule' }],
});

function statusOf(
  status: RuntimeStatus,
  before?: ReturnType<typeof nodeStatus>,
  machine = testMachine,
): ReturnType<typeof nodeStatus> {
  const images = [
    { id: 'a', tags: ['small:1'], digests: [], sizeBytes: 1 },
    { id: 'b', tags: ['large:1'], digests: ['large@sha256:1'], sizeBytes: 9 },
  ];
  return nodeStatus({
    config,
    machine,
    allocatable: { milliCpu: 3500, memoryBytes: 4 * 2 ** 30, ephemeralStorageBytes: 1024 },
    version: { name: 'containerd', version: 'v1.6.20' },
    status,
    images,
    pressure: undefined,
    before,
    nowMs: 0,
  });
}

test('a node that is well', () => {
  const status = statusOf({ runtime: fine, network: fine, handlers: [] });
  assert.deepEqual(
    (status.conditions ?? []).map((c) => `${c.type}=${c.status ?? ''} ${c.reason ?? ''}: ${c.message ?? ''}`),
    [
      'MemoryPressure=False KubeletHasSufficientMemory: kubelet has sufficient memory available',
      'DiskPressure=False KubeletHasNoDiskPressure: kubelet has no disk pressure',
      'PIDPressure=False KubeletHasSufficientPID: kubelet has sufficient PID available',
      'Ready=True KubeletReady: kubelet is posting ready status',
    ],
  );
  assert.deepEqual(status.capacity, {
    cpu: '4',
    'ephemeral-storage': '100Gi',
    'hugepages-1Gi': '0',
    'hugepages-2Mi': '0',
    memory: '8Gi',
    pods: '110',
  });
  const { cpu, memory, pods, 'ephemeral-storage': storage } = status.allocatable ?? {};
  assert.deepEqual([cpu, memory, pods, storage], ['3500m', '4Gi', '110', '1024']);
  assert.deepEqual(status.declaredFeatures, [
    'ExtendWebSocketsToKubelet',
    'InPlacePodLevelResourcesVerticalScaling',
    'InPlacePodVerticalScalingInitContainers',
    'RestartAllContainersOnContainerExits',
  ]);
  assert.equal(status.nodeInfo?.containerRuntimeVersion, 'containerd://1.6.20');
  assert.equal(status.daemonEndpoints?.kubeletEndpoint?.Port, 10250);
  assert.deepEqual(status.images, [
    { names: ['large@sha256:1', 'large:1'], sizeBytes: 9 },
    { names: ['small:1'], sizeBytes: 1 },
  ]);
});

test('what is missing is told', () => {
  const bad = { ready: false, reason: 'NetworkPluginNotReady', message: 'cni config uninitialized' };
  const ready = (status: RuntimeStatus): string | undefined =>
    statusOf(status).conditions?.find((c) => c.type === 'Ready')?.message;
  assert.equal(
    ready({ runtime: fine, network: bad, handlers: [] }),
    'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:cni config uninitialized',
  );
  assert.match(
    ready({ runtime: bad, network: bad, handlers: [] }) ?? '',
    /^\[container runtime not ready: .*, container runtime network not ready: .*\]$/,
  );
});

test('a transition keeps its time while the status stays', () => {
  const before = { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: 'then' }] };
  const since = (status: RuntimeStatus): string | undefined =>
    statusOf(status, before).conditions?.find((c) => c.type === 'Ready')?.lastTransitionTime;
  assert.equal(since({ runtime: fine, network: fine, handlers: [] }), 'then');
  assert.notEqual(since({ runtime: { ...fine, ready: false }, network: fine, handlers: [] }), 'then');
});

test('a new node has its labels and taints', () => {
  const node = newNode(config, testMachine, {});
  assert.deepEqual(node.metadata.labels, {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': 'node-1',
    'kubernetes.io/os': 'linux',
    tier: 'x',
  });
  assert.deepEqual(node.spec, { taints: [{ key: 'k', effect: 'NoSchedule' }] });
});

test('huge pages that the machine has set aside, by size', () => {
  const hugePages = [
    { sizeBytes: 2 << 20, count: 512 },
    { sizeBytes: 32 << 20, count: 3 },
  ];
  const { capacity, allocatable } = statusOf({ runtime: fine, network: fine, handlers: [] }, undefined, {
    ...testMachine,
    hugePages,
  });
  for (const amounts of [capacity, allocatable]) {
    assert.deepEqual(
      ['hugepages-2Mi', 'hugepages-32Mi', 'hugepages-1Gi'].map((name) => amounts?.[name]),
      ['1Gi', '96Mi', '0'],
    );
  }
});

test('what the runtime says that it can do, by handler', () => {
  const handlers = [
    { name: '', recursiveReadOnlyMounts: true, userNamespaces: true },
    { name: 'kata', recursiveReadOnlyMounts: false, userNamespaces: false },
  ];
  const able = statusOf({ runtime: fine, network: fine, handlers });
  assert.deepEqual(able.runtimeHandlers, [
    { name: '', features: { recursiveReadOnlyMounts: true, userNamespaces: true } },
    { name: 'kata', features: { recursiveReadOnlyMounts: false, userNamespaces: false } },
  ]);
  const old = { runtime: fine, network: fine, handlers: [] };
  assert.equal(statusOf(old).runtimeHandlers, undefined, 'an old one says nothing');
  assert.deepEqual(statusOf(old, able).runtimeHandlers, [], 'an old one in place of a newer one');
});

for (const [supportsGroupsPolicy, wanted] of [
  [undefined, undefined],
  [false, { supplementalGroupsPolicy: false }],
  [true, { supplementalGroupsPolicy: true }],
] as const) {
  test(`what the runtime can in all of its ways: groups policies ${supportsGroupsPolicy ?? 'untold'}`, () => {
    const status = { runtime: fine, network: fine, handlers: [] };
    const told = supportsGroupsPolicy === undefined ? status : { ...status, supportsGroupsPolicy };
    assert.deepEqual(statusOf(told).features, wanted);
  });
}
