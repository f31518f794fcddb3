import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VolumeMount } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import { containerConfig, mountSubPath, volumeMount } from './container-config.ts';

const image = { id: 'sha256:1', tags: [], digests: [], sizeBytes: 1 };

test('command and arguments see the environment', () => {
  const pod = testPod({ container: { command: ['sh', '-c', 'echo $(A)'], args: ['$$(A)', '$(B)'] } });
  const config = containerConfig({
    pod,
    container: pod.spec.containers[0]!,
    attempt: 2,
    image,
    env: new Map([['A', 'x']]),
    mounts: [],
    devices: [],
    nodeMemoryBytes: 2 ** 33,
    seccomp: { folder: '/k/seccomp', byDefault: false },
  });
  assert.deepEqual(config.command, ['sh', '-c', 'echo x']);
  assert.deepEqual(config.args, ['$(A)', '$(B)']);
  assert.deepEqual(
    [config.image, config.imageName, config.logPath, config.attempt],
    ['sha256:1', 'busybox:1', 'main/2.log', 2],
  );
  assert.deepEqual(config.env, [{ name: 'A', value: 'x' }]);
});

const ONLY = { image, attempt: 0, env: new Map(), mounts: [], devices: [], nodeMemoryBytes: 2 ** 33 };

test('where it runs, where its memory comes from, and how many huge pages it may use', () => {
  const own = { resources: { limits: { cpu: '1', 'hugepages-2Mi': '4Mi' } } };
  const pod = testPod({ container: own, spec: { resources: { limits: { 'hugepages-1Gi': '1Gi' } } } });
  const [container] = pod.spec.containers;
  assert.ok(container);
  const seccomp = { folder: '/k/seccomp', byDefault: false };
  const pages = (count: number) => [
    { sizeBytes: 2 << 20, count },
    { sizeBytes: 1 << 30, count: 0 },
  ];
  const of = { ...ONLY, pod, container, seccomp };
  const placed = containerConfig({ ...of, cpus: { list: '2', isAlone: true }, memoryNodes: '1', hugePages: pages(8) });
  const { cpusetCpus, cpusetMems, cpuQuota, hugePageLimits } = placed.resources;
  assert.deepEqual([cpusetCpus, cpusetMems, cpuQuota], ['2', '1', undefined]);
  assert.deepEqual(hugePageLimits, [
    { pageSize: '2MB', limitBytes: 4 << 20 },
    { pageSize: '1GB', limitBytes: 1 << 30 },
  ]);
  const anywhere = containerConfig({ ...of, memoryNodes: '0-1', hugePages: pages(0) }).resources;
  assert.deepEqual([anywhere.cpusetMems, anywhere.hugePageLimits, anywhere.cpuQuota], ['0-1', undefined, 100_000]);
});

const volume = { hostPath: '/v', readOnly: false };
const env = new Map([['POD', 'p']]);

const rows: readonly [string, Parameters<typeof volumeMount>[0], object][] = [
  [
    'whole',
    { name: 'v', mountPath: '/data' },
    { hostPath: '/v', containerPath: '/data', readOnly: false, propagation: 'private' },
  ],
  [
    'a part, read only',
    { name: 'v', mountPath: 'data', subPath: 'a/b', readOnly: true },
    { hostPath: '/v', containerPath: '/data', readOnly: true, propagation: 'private' },
  ],
  [
    'by expression',
    { name: 'v', mountPath: '/d', subPathExpr: '$(POD)/x', mountPropagation: 'HostToContainer' },
    { hostPath: '/v', containerPath: '/d', readOnly: false, propagation: 'hostToContainer' },
  ],
];

for (const [name, mount, wanted] of rows)
  test(`mount: ${name}`, () => assert.deepEqual(volumeMount(mount, volume), wanted));

const subPaths: readonly [Partial<VolumeMount>, string][] = [
  [{}, ''],
  [{ subPath: 'a/b' }, 'a/b'],
  [{ subPathExpr: '$(POD)/x' }, 'p/x'],
];

for (const [mount, wanted] of subPaths) {
  test(`sub path of ${JSON.stringify(mount)}`, () =>
    assert.equal(mountSubPath({ name: 'v', mountPath: '/d', ...mount }, env), wanted));
}

test('a volume that is read only stays so', () => {
  assert.equal(volumeMount({ name: 'v', mountPath: '/d' }, { hostPath: '/v', readOnly: true }).readOnly, true);
});

for (const mount of [{ subPath: '../x' }, { subPath: '/x' }, { subPath: 'a/../../b' }, { subPathExpr: '$(NO)' }]) {
  test(`mount refused: ${JSON.stringify(mount)}`, () => {
    assert.throws(() => mountSubPath({ name: 'v', mountPath: '/d', ...mount }, env), {
      reason: 'CreateContainerConfigError',
    });
  });
}
