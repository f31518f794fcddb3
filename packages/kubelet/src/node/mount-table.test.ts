import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mountPoints } from './mount-table.ts';

const TABLE = [
  '21 1 0:19 / / rw shared:1 - ext4 /dev/vda rw',
  '40 21 0:31 / /k/pods rw shared:2 - ext4 /dev/vda rw',
  '41 40 0:32 / /k/pods/a\\040b rw - tmpfs tmpfs rw',
  '42 41 0:33 / /k/pods/a\\040b/c rw - tmpfs tmpfs rw',
  '43 21 0:34 / /k/podsother rw - tmpfs tmpfs rw',
  '',
].join('\n');

const rows: readonly [string, readonly string[]][] = [
  ['/k/pods', ['/k/pods/a b/c', '/k/pods/a b', '/k/pods']],
  ['/k/pods/a b/c', ['/k/pods/a b/c']],
  ['/k/none', []],
];

for (const [path, points] of rows) {
  test(`mounts from ${path}`, () => assert.deepEqual(mountPoints(TABLE, path), points));
}
