import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mountsBelow } from './unmount-below.ts';

test('deepest first, only what is below, escapes read', () => {
  const mountinfo = [
    '36 35 98:0 / /var/data rw - ext4 /dev/a rw',
    '37 36 0:5 / /var/data/kubelet/pods/u1/volumes/a rw - tmpfs tmpfs rw',
    '38 36 0:6 / /var/data/kubelet/pods/u1/volumes/a/b\\040c rw - tmpfs tmpfs rw',
    '39 36 0:7 / /var/data/kubelet-other rw - tmpfs tmpfs rw',
    '',
  ].join('\n');
  assert.deepEqual(mountsBelow('/var/data/kubelet', mountinfo), [
    '/var/data/kubelet/pods/u1/volumes/a/b c',
    '/var/data/kubelet/pods/u1/volumes/a',
  ]);
});
