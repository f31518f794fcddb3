import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBelow, isWireName, labelBytes, labelsAbove, labelText } from './names.ts';

test('a label is text and back, whatever its bytes', () => {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte < 0x41 || byte > 0x5a);
  assert.deepEqual(labelBytes(labelText(all)), all);
  assert.equal(labelText(Buffer.from('We.b')), 'we\\046b');
});

test('below a zone', () => {
  for (const [name, zone, wanted] of [
    ['a.b', 'b', true],
    ['b', 'b', true],
    ['ab', 'b', false],
    ['a.b', '', true],
    ['b', 'a.b', false],
  ] as const)
    assert.equal(isBelow(name, zone), wanted, `${name} ${zone}`);
  assert.deepEqual(labelsAbove('x.y.b', 'b'), ['y', 'x']);
  assert.deepEqual(labelsAbove('b', 'b'), []);
});

test('what fits into a message', () => {
  assert.equal(isWireName(''), true);
  assert.equal(isWireName('a'.repeat(63)), true);
  assert.equal(isWireName('a'.repeat(64)), false);
  assert.equal(isWireName('a..b'), false);
  assert.equal(isWireName(Array.from({ length: 127 }, () => 'a').join('.')), true);
  assert.equal(isWireName(Array.from({ length: 128 }, () => 'a').join('.')), false);
});
