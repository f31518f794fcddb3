import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { volumeDevicesOf } from './volume-devices.ts';

const volumes = new Map([
  ['disk', { hostPath: '/dev/loop3', readOnly: false, isBlock: true }],
  ['archive', { hostPath: '/dev/loop4', readOnly: true, isBlock: true }],
  ['folder', { hostPath: '/v', readOnly: false }],
]);
const of = (...volumeDevices: { name: string; devicePath: string }[]) =>
  volumeDevicesOf({ files: createMemoryFiles() }, { volumes }, { name: 'main', volumeDevices });

test('block volumes are devices, read-only ones to be read', async () => {
  assert.deepEqual(await of({ name: 'disk', devicePath: '/dev/xvda' }, { name: 'archive', devicePath: '/dev/xvdb' }), [
    { hostPath: '/dev/loop3', containerPath: '/dev/xvda', permissions: 'mrw' },
    { hostPath: '/dev/loop4', containerPath: '/dev/xvdb', permissions: 'r' },
  ]);
});

for (const name of ['folder', 'none'])
  test(`${name} is no device`, () =>
    assert.rejects(of({ name, devicePath: '/dev/x' }), { reason: 'CreateContainerConfigError' }));
