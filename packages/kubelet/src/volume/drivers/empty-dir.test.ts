import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EmptyDirVolumeSource } from '@binnacle/api/core/v1';
import { testPod } from '../../testing/node.ts';
import type { VolumeCall } from '../driver.ts';
import { createMemoryFiles } from '../memory-files.ts';
import { emptyDirDriver } from './empty-dir.ts';

async function made(emptyDir: EmptyDirVolumeSource, memory?: string, fsGroup?: number): Promise<unknown[]> {
  const files = createMemoryFiles();
  const done: unknown[] = [];
  files.mountTmpfs = async (_, size) => void done.push(size);
  files.changeGroup = async (_, owner) => void done.push(owner);
  const pod = testPod({
    spec: { ...(fsGroup === undefined ? {} : { securityContext: { fsGroup } }) },
    container: memory === undefined ? {} : { resources: { limits: { memory } } },
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
