import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObjectReader, TreeOwner } from '../../ports.ts';
import { testPod } from '../../testing/node.ts';
import type { VolumeCall } from '../driver.ts';
import { createMemoryFiles } from '../memory-files.ts';
import { configMapDriver, secretDriver } from './content.ts';

test('the group may read, never write, and has it before anybody sees it', async () => {
  const files = createMemoryFiles();
  const order: unknown[] = [];
  const link = files.link.bind(files);
  files.changeGroup = async (_: string, owner: TreeOwner) => void order.push(owner);
  files.link = async (target, path) => {
    order.push(path);
    await link(target, path);
  };
  const objects = { configMap: async () => ({ metadata: {}, data: { a: '1' } }) } as unknown as ObjectReader;
  const call = {
    pod: testPod({ spec: { securityContext: { fsGroup: 9 } } }),
    volume: { name: 'v', configMap: { name: 'c' } },
    directory: '/d',
    files,
    objects,
    now: 0,
    memory: new Map(),
  } as unknown as VolumeCall;
  assert.deepEqual(await configMapDriver.setUp(call), { hostPath: '/d', readOnly: true, refreshAt: Infinity });
  assert.deepEqual(order, [{ gid: 9, readOnly: true }, '/d/..data', '/d/a']);
  await configMapDriver.setUp(call);
  assert.equal(order.length, 3);
});

test('a secret lies in memory', async () => {
  const files = createMemoryFiles();
  const mounted: string[] = [];
  files.mountTmpfs = async (path) => mounted.push(path) > 0;
  const objects = { secret: async () => ({ metadata: {}, data: {} }) } as unknown as ObjectReader;
  const call = {
    pod: testPod(),
    volume: { name: 'v', secret: { secretName: 's' } },
    directory: '/d',
    files,
    objects,
    now: 0,
    memory: new Map(),
  };
  await secretDriver.setUp(call as unknown as VolumeCall);
  assert.deepEqual(mounted, ['/d']);
});
