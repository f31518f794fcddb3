import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { csiAttachmentName, csiVolumeName } from '@binnacle/api';
import type { VolumeAttachment } from '@binnacle/api/storage/v1';
import { VolumeWait } from '../errors.ts';
import type { ObjectReader, ReferenceHolder } from '../ports.ts';
import { CsiAttachments } from './attachments.ts';

const KEY = { driver: 'd', handle: 'h' };
const NAME = csiVolumeName(KEY);

interface Bench {
  readonly attachments: CsiAttachments;
  readonly told: string[][];
  readonly followed: Set<ReferenceHolder>;
  attached: string[];
  attachment: VolumeAttachment['status'];
  readonly require: () => Promise<unknown>;
}

function bench(holder: ReferenceHolder = { changed: () => undefined }): Bench {
  const told: string[][] = [];
  const followed = new Set<ReferenceHolder>();
  const attachments: CsiAttachments = new CsiAttachments({
    nodeName: 'n',
    tell: async () => void told.push([...attachments.inUse]),
    log: silentLogger,
  });
  const made: Bench = {
    attachments,
    told,
    followed,
    attached: [],
    attachment: { attached: true, attachmentMetadata: { device: 'sdb' } },
    require: () => attachments.require(KEY, { objects, holder }),
  };
  const objects = {
    node: async (_: string, watcher: ReferenceHolder) => {
      followed.add(watcher);
      return { status: { volumesAttached: made.attached.map((name) => ({ name, devicePath: '' })) } };
    },
    volumeAttachment: async (name: string) =>
      name === csiAttachmentName(KEY, 'n') ? { metadata: {}, spec: {}, status: made.attachment } : undefined,
    release: (watcher: ReferenceHolder) => void followed.delete(watcher),
  } as unknown as ObjectReader;
  return made;
}

test('in use is told before it is waited for, once, and free when it is let go', async () => {
  const { attachments, told, require } = bench();
  await assert.rejects(require(), VolumeWait);
  await assert.rejects(require(), VolumeWait);
  assert.deepEqual(told, [[NAME]]);
  attachments.release(KEY);
  attachments.release(KEY);
  assert.deepEqual(told, [[NAME], []]);
});

test('who waits is told of a change, and follows the node once however often it asks', async () => {
  let changes = 0;
  const of = bench({ changed: () => void changes++ });
  await assert.rejects(of.require(), VolumeWait);
  await assert.rejects(of.require(), VolumeWait);
  assert.equal(of.followed.size, 1);
  of.attached = [NAME];
  for (const watcher of of.followed) watcher.changed();
  assert.equal(changes, 1);
  assert.deepEqual(await of.require(), { device: 'sdb' });
  assert.equal(of.followed.size, 0);
});

for (const [name, status, wanted] of [
  ['an error of the driver', { attached: false, attachError: { message: 'no slot left' } }, /no slot left/],
  ['not attached after all', { attached: false }, /is not attached/],
] as const)
  test(name, async () => {
    const of = bench();
    of.attached = [NAME];
    of.attachment = status;
    await assert.rejects(of.require(), wanted);
  });

test('what an earlier kubelet used stays in use', () => {
  const { attachments } = bench();
  attachments.recall(KEY);
  assert.deepEqual(attachments.inUse, [NAME]);
});
