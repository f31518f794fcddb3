import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base64ToBytes, bytesOfLetters } from './base64.ts';

test('every byte comes back', () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, at) => at & 0xff);
  assert.deepEqual(base64ToBytes(Buffer.from(bytes).toString('base64')), bytes);
  assert.deepEqual(base64ToBytes(''), new Uint8Array(0));
  assert.deepEqual(base64ToBytes(' AQ I\n'), Uint8Array.of(1, 2));
});

test('what is no base64 is refused as the platform does', () => {
  for (const text of ['%', 'A', 'AAAA=A']) assert.throws(() => base64ToBytes(text), { name: 'InvalidCharacterError' });
});

test('letters are bytes', () => assert.deepEqual(bytesOfLetters('\x00\x7f\xff'), Uint8Array.of(0, 127, 255)));
