import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EmptyDirVolumeSource } from '@binnacle/api/core/v1';
import { testPod } from '../../testing/node.ts';
import type { VolumeCall } from '../driver.ts';
import { createMemoryFiles } from '../memory-files.ts';
import { emptyDirDriver, pageBytes } from './empty-dir.ts';

async function made(emptyDir: EmptyDirVolumeSource, memory?: string, fsGroup?: number): Promise<unknown[]> {
  const files = createMemoryFiles();
  const done: unknown[] = [];
  files.mountTmpfs = async (_, size) => done.push(size) > 0;
  files.mountHugePages = async (_, size) => done.push(`pages of ${size}`) > 0;
  files.changeGroup = async (_, owner) => void done.push(owner);
  const pod = testPod({
    spec: { ...(fsGroup === undefined ? {} : { securityContext: { fsGroup } }) },
    container: { resources: { limits: { 'hugepages-2Mi': '4Mi', ...(memory === undefined ? {} : { memory }) } } },
  });
  const call = {
    pod,
    volume: { name: 'v', emptyDir },
    directory: '/d',
    files,
    node: { memoryBytes: 1000 },
    memory: new Map(),
  } as unknown as VolumeCall;
  for (let i = 0; i < 2; i++) assert.deepEqual(await emptyDirDriver.setUp(call), { hostPath: '/d', readOnly: false });
  return done;
}

const rows: readonly [string, EmptyDirVolumeSource, string | undefined, unknown[]][] = [
  ['on disk', {}, undefined, []],
  ['in huge pages', { medium: 'HugePages' }, undefined, ['pages of 2097152']],
  ['in huge pages of a size', { medium: 'HugePages-2Mi' }, undefined, ['pages of 2097152']],
  ['in memory: the node', { medium: 'Memory' }, undefined, [1000]],
  ['in memory: the pod', { medium: 'Memory' }, '500', [500]],
  ['in memory: its own limit', { medium: 'Memory', sizeLimit: '100' }, '500', [100]],
  ['in memory: a limit above all', { medium: 'Memory', sizeLimit: '9000' }, undefined, [1000]],
];

for (const [name, source, memory, wanted] of rows)
  test(`emptyDir ${name}`, async () => assert.deepEqual(await made(source, memory), wanted));

test('the group gets an emptyDir once: what containers make of it stays', async () => {
  assert.deepEqual(await made({}, undefined, 5), [{ gid: 5, readOnly: false }]);
});

for (const medium of ['', 'Memory', 'HugePages']) {
  test(`the next kubelet does not give it to the group again, medium "${medium}"`, async () => {
    const files = createMemoryFiles();
    const given: unknown[] = [];
    files.changeGroup = async (path, { gid }) => void given.push([path, gid]);
    const directory = '/k/pods/u/volumes/kubernetes.io~empty-dir/v';
    const setUp = (): Promise<unknown> =>
      emptyDirDriver.setUp({
        pod: testPod({
          spec: { securityContext: { fsGroup: 5 } },
          container: { resources: { limits: { 'hugepages-2Mi': '4Mi' } } },
        }),
        volume: { name: 'v', emptyDir: { medium } },
        directory,
        files,
        node: { memoryBytes: 1000 },
        memory: new Map(),
      } as unknown as VolumeCall);
    for (let i = 0; i < 3; i++) await setUp();
    assert.deepEqual(given.splice(0), [[directory, 5]]);
    assert.ok(files.paths().includes('/k/pods/u/plugins/kubernetes.io~empty-dir/v/ready'));
    // The machine was off: what was in memory is a new one.
    await files.unmount('/k/pods/u/volumes');
    await setUp();
    assert.deepEqual(given, medium === '' ? [] : [[directory, 5]]);
  });
}

const pageRows: readonly [string, readonly string[], string, number | RegExp][] = [
  ['the only ones asked for', ['hugepages-1Gi'], 'HugePages', 1 << 30],
  ['as it says', ['hugepages-1Gi', 'hugepages-2Mi'], 'HugePages-2Mi', 2 << 20],
  [
    'two sizes',
    ['hugepages-1Gi', 'hugepages-2Mi'],
    'HugePages',
    /can't be used if container requests multiple huge page sizes/,
  ],
  ['others than are asked for', ['hugepages-1Gi'], 'HugePages-2Mi', /there is no resource request for huge pages/],
  ['none asked for', [], 'HugePages', /there is no resource request for huge pages/],
];

for (const [name, asked, medium, wanted] of pageRows) {
  test(`pages of a volume: ${name}`, () => {
    const limits = Object.fromEntries(asked.map((resource) => [resource, '1Gi']));
    const pod = testPod({ spec: { initContainers: [{ name: 'i', resources: { limits } }] } });
    const read = (): number => pageBytes(pod, { name: 'v', medium });
    if (typeof wanted === 'number') assert.equal(read(), wanted);
    else assert.throws(read, { message: wanted });
  });
}
