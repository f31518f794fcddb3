import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinBytes, readAll, StreamCutError } from './duplex.ts';
import { createDuplexPair } from './duplex-pair.ts';

test('a stream is read whole, up to a bound', async () => {
  const [near, far] = createDuplexPair();
  await near.write(new Uint8Array([1, 2]));
  await near.write(new Uint8Array([3]));
  await near.end();
  assert.deepEqual(await readAll(far, 3), new Uint8Array([1, 2, 3]));
});

test('beyond the bound it is dropped', async () => {
  const [near, far] = createDuplexPair();
  await near.write(new Uint8Array(4));
  await assert.rejects(readAll(far, 3), StreamCutError);
  await assert.rejects(near.write(new Uint8Array(1)), StreamCutError);
});

test('one piece is not copied', () => {
  const piece = new Uint8Array(2);
  assert.equal(joinBytes([piece], 2), piece);
});
