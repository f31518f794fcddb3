import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneWayMounts, parseMount, untilKept } from './mounts.ts';

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

test('what is shared goes one way, but below the folders that are to spread both ways', () => {
  const mount = (path: string, shared: boolean): { path: string; type: string; shared: boolean } => ({
    path,
    type: 'ext4',
    shared,
  });
  const mounts = [mount('/', true), mount('/sys', true), mount('/sys', true), mount('/tmp', false), mount('/k', true)];
  const below = [mount('/k/pods/a', true), mount('/kube', true)];
  assert.deepEqual(oneWayMounts([...mounts, ...below], ['/k']), ['/', '/sys', '/kube']);
});

const OLDER = 'unshare: mount /proc/7/ns/mnt on /x/ns/mnt failed: Invalid argument\n';

for (const [name, said, wanted] of [
  ['one that is kept', [], { tries: 1 }],
  ['one that counts as older', [OLDER, OLDER], { tries: 3 }],
  ['one that never is kept', Array.from({ length: 100 }, () => OLDER), { tries: 60, failed: OLDER }],
  ['another failure', ['unshare: unshare failed: Operation not permitted\n'], { tries: 1, failed: /not permitted/ }],
  ['a failure of what is run in it', ['mount: /y: mount failed: Invalid argument\n'], { tries: 1, failed: /^mount: / }],
] as const) {
  test(`a mount namespace is made until it can be kept: ${name}`, async () => {
    let tries = 0;
    const kept = untilKept(async () => {
      const stderr = said[tries++];
      if (stderr !== undefined) throw Object.assign(new RangeError('failed'), { stderr });
    });
    if ('failed' in wanted) await assert.rejects(kept, { stderr: wanted.failed });
    else await kept;
    assert.equal(tries, wanted.tries);
  });
}
