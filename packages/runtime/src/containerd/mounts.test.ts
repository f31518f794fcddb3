import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMount } from './mounts.ts';

test('lines of mountinfo', () => {
  for (const [name, line, found] of [
    ['plain', '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw', [{ path: '/', type: 'ext4', shared: false }]],
    [
      'shared, with a blank',
      '90 27 0:50 / /a\\040b rw shared:7 - tmpfs tmpfs rw',
      [{ path: '/a b', type: 'tmpfs', shared: true }],
    ],
    ['slave', '90 27 0:50 / /s rw master:7 - tmpfs tmpfs rw', [{ path: '/s', type: 'tmpfs', shared: false }]],
    ['namespace', '9 8 0:4 mnt:[4026532] /x/mnt rw - nsfs nsfs rw', [{ path: '/x/mnt', type: 'nsfs', shared: false }]],
    ['empty', '', []],
  ] as const) {
    assert.deepEqual(parseMount(line), found, name);
  }
});
