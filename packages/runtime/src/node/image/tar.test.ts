import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RuntimeError } from '../../errors.ts';
import { writeTar } from './tar.ts';

const text = (bytes: Uint8Array, from: number, length: number): string =>
  new TextDecoder().decode(bytes.subarray(from, from + length)).replace(/\0.*$/s, '');

test('the fields of a header', () => {
  const content = new TextEncoder().encode('hello\n');
  const tar = writeTar([{ kind: 'file', path: 'etc/greeting', content, mode: 0o600 }]);
  assert.equal(tar.length, 512 + 512 + 1024);
  assert.equal(text(tar, 0, 100), 'etc/greeting');
  assert.equal(text(tar, 100, 8), '0000600');
  assert.equal(text(tar, 124, 12), '00000000006');
  assert.equal(text(tar, 136, 12), '00000000000');
  assert.equal(text(tar, 156, 1), '0');
  assert.equal(text(tar, 257, 6), 'ustar');
  assert.equal(text(tar, 263, 2), '00');
  assert.equal(text(tar, 512, 6), 'hello\n');
  const header = Uint8Array.from(tar.subarray(0, 512)).fill(0x20, 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  assert.equal(parseInt(text(tar, 148, 7), 8), sum);
});

test('folders end with a slash, links name their target', () => {
  const tar = writeTar([
    { kind: 'directory', path: 'tmp', mode: 0o1777 },
    { kind: 'symlink', path: 'bin/sh', target: '/bin/busybox' },
  ]);
  assert.deepEqual([text(tar, 0, 100), text(tar, 156, 1), text(tar, 100, 8)], ['tmp/', '5', '0001777']);
  assert.deepEqual([text(tar, 512, 100), text(tar, 668, 1), text(tar, 669, 100)], ['bin/sh', '2', '/bin/busybox']);
});

test('long paths are split, and refused when they do not fit', () => {
  const folder = 'd'.repeat(90);
  const tar = writeTar([{ kind: 'directory', path: `${folder}/${'e'.repeat(90)}` }]);
  assert.equal(text(tar, 0, 100), `${'e'.repeat(90)}/`);
  assert.equal(text(tar, 345, 155), folder);
  for (const [name, entry] of [
    ['name', { kind: 'directory', path: 'x'.repeat(101) }],
    ['prefix', { kind: 'directory', path: `${'x'.repeat(156)}/y` }],
    ['target', { kind: 'symlink', path: 'a', target: 'x'.repeat(101) }],
  ] as const) {
    assert.throws(() => writeTar([entry]), RuntimeError, name);
  }
});
