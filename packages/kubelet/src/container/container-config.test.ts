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
