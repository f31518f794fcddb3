import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container } from '@binnacle/api/core/v1';
import { NotWanted, VolumeError } from '../../errors.ts';
import { testPod } from '../../testing/node.ts';
import type { VolumeCall } from '../driver.ts';
import { createMemoryFiles } from '../memory-files.ts';
import { imageDriver } from './image.ts';

function bench(of: { canMount?: boolean; isOver?: boolean } = {}) {
  const files = createMemoryFiles();
  const calls: unknown[] = [];
  const mounts = { mount: async (...args: unknown[]) => void calls.push(args), unmount: async () => undefined };
  const puller = {
    ensure: async (_pod: unknown, { image, imagePullPolicy }: Container) => {
      calls.push([image, imagePullPolicy]);
      return { id: 'sha256:1' };
    },
  };
  const call = {
    pod: testPod(),
    volume: { name: 'v', image: { reference: 'data:1', pullPolicy: 'Always' } },
    directory: '/pods/v',
    files,
    images: { puller, mounts: of.canMount === false ? undefined : mounts },
    memory: new Map(),
    orInterrupted: of.isOver === true ? () => Promise.reject(new NotWanted()) : <T>(work: Promise<T>) => work,
  } as unknown as VolumeCall;
  return { files, call, calls };
}

test('an image is pulled as it says, and mounted once', async () => {
  const { call, calls } = bench();
  assert.deepEqual(await imageDriver.setUp(call), { hostPath: '/pods/v', readOnly: true });
  await imageDriver.setUp(call);
  assert.deepEqual(calls, [
    ['data:1', 'Always'],
    ['sha256:1', '/pods/v'],
  ]);
});

test('what is mounted from before is not mounted again', async () => {
  const { files, call, calls } = bench();
  await files.writeFile('/pods/v/file', new Uint8Array());
  await imageDriver.setUp(call);
  assert.deepEqual(calls, [['data:1', 'Always']]);
});

test('a pull that takes long is not waited for by a pod that is to end, and nothing is mounted behind it', async () => {
  const { call, calls } = bench({ isOver: true });
  await assert.rejects(imageDriver.setUp(call), NotWanted);
  assert.deepEqual(calls, [['data:1', 'Always']]);
});

test('a runtime that cannot is told of', () =>
  assert.rejects(imageDriver.setUp(bench({ canMount: false }).call), VolumeError));

test('nothing is on the disk of a node without one', async () => {
  const { call, calls } = bench();
  await imageDriver.setUp({ ...call, files: undefined });
  assert.deepEqual(calls, []);
});
