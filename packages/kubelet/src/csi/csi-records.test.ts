import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { CsiRecords } from './csi-records.ts';
import { digest } from '../digest.ts';

const KEY = { driver: 'd.example', handle: 'h/../1' };
const RECORD = { ...KEY, podUid: 'uid', name: 'pv', lifecycle: 'Persistent', isBlock: false } as const;

test('what was written is read, and removed', async () => {
  const files = createMemoryFiles();
  const records = new CsiRecords({ files, root: '/k' });
  const block = { ...RECORD, name: 'disk', isBlock: true };
  await records.savePod(RECORD, 'n');
  await records.savePod(block, 'n');
  assert.deepEqual(await records.ofAllPods(), [RECORD, block]);
  assert.equal(records.target(RECORD), '/k/pods/uid/volumes/kubernetes.io~csi/pv/mount');
  assert.equal(records.target(block), '/k/plugins/kubernetes.io/csi/volumeDevices/publish/disk/uid');
  const stage = records.stage(KEY, RECORD);
  const device = records.stage(KEY, block);
  assert.equal(stage.stagingPath, `/k/plugins/kubernetes.io/csi/d.example/${digest('h/../1')}/globalmount`);
  assert.equal(device.stagingPath, '/k/plugins/kubernetes.io/csi/volumeDevices/staging/disk/device');
  await records.saveStage(stage);
  await records.saveStage(device);
  assert.deepEqual(await records.stages(), [stage, device]);
  await records.removePod(RECORD);
  await records.removeStage(stage);
  assert.deepEqual([await records.ofPod('uid'), await records.stages()], [[block], [device]]);
});

for (const text of ['', '{', 'null', '[1]', '{"driverName":7}'])
  test(`half a record (${text}) was never acted on`, async () => {
    const files = createMemoryFiles();
    const records = new CsiRecords({ files, root: '/k' });
    await files.writeFile('/k/pods/uid/volumes/kubernetes.io~csi/pv/vol_data.json', new TextEncoder().encode(text));
    await files.writeFile('/k/plugins/kubernetes.io/csi/d/x/vol_data.json', new TextEncoder().encode(text));
    assert.deepEqual([(await records.ofPod('uid'))[0]?.driver, await records.stages()], ['', []]);
  });
