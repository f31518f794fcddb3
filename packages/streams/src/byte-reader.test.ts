import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteReader } from './byte-reader.ts';
import { StreamProtocolError } from './errors.ts';

function reading(...chunks: readonly (readonly number[])[]): ByteReader {
  const left = chunks.map((chunk) => new Uint8Array(chunk));
  return new ByteReader({ read: async () => left.shift() });
}

test('pieces are joined and cut', async () => {
  const bytes = reading([1], [2, 3, 4], [5]);
  assert.deepEqual(await bytes.exactly(2), new Uint8Array([1, 2]));
  assert.deepEqual(await bytes.some(1), new Uint8Array([3]));
  assert.deepEqual(await bytes.some(9), new Uint8Array([4]));
  assert.deepEqual(await bytes.exactly(1), new Uint8Array([5]));
  assert.equal(await bytes.exactly(1), undefined);
});

test('an end in the middle is a fault', async () => {
  await assert.rejects(reading([1]).exactly(2), StreamProtocolError);
  await assert.rejects(reading().some(2), StreamProtocolError);
});
