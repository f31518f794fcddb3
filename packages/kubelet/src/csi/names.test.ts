import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { ephemeralHandle, isDriverName, supportsVersion } from './names.ts';

test('the handle of a volume for one pod is made of both', () => {
  const wanted = createHash('sha256').update('uidv').digest('hex');
  assert.equal(ephemeralHandle('uid', 'v'), `csi-${wanted}`);
});

for (const [versions, wanted] of [
  [['1.0.0'], true],
  [['v1.12.0'], true],
  [['0.3.0'], true],
  [['0.2.9'], false],
  [['2.0.0'], false],
  [['2.0.0', '1.1.0'], true],
  [['1'], true],
  [['one'], false],
  [[], false],
] as const)
  test(`versions ${versions.join(' ')}`, () => assert.equal(supportsVersion(versions), wanted));

for (const [name, wanted] of [
  ['csi.example.com', true],
  ['UPPER', true],
  ['../x', false],
  ['', false],
  ['x'.repeat(64), false],
] as const)
  test(`driver name ${name}`, () => assert.equal(isDriverName(name), wanted));
