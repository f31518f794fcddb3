import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GrowingBytes } from './growing-bytes.ts';

const of = (...bytes: number[]): Uint8Array => Uint8Array.from(bytes);

test('pieces come out as one, in their order, and once', () => {
  const bytes = new GrowingBytes();
  assert.deepEqual([bytes.length, bytes.take()], [0, of()]);
  for (const piece of [of(1), of(), of(2, 3), of(4, 5, 6, 7, 8)]) bytes.add(piece);
  assert.equal(bytes.length, 8);
  assert.deepEqual(bytes.take(), of(1, 2, 3, 4, 5, 6, 7, 8));
  assert.equal(bytes.length, 0);
  bytes.add(of(9));
  assert.deepEqual(bytes.take(), of(9));
});

test('a piece that came is never written to, nor copied where it is the only one', () => {
  const whole = of(1, 2, 3, 4);
  const bytes = new GrowingBytes();
  bytes.add(whole.subarray(0, 2));
  assert.equal(bytes.take().buffer, whole.buffer);
  bytes.add(whole.subarray(0, 2));
  bytes.add(of(9));
  assert.deepEqual(bytes.take(), of(1, 2, 9));
  assert.deepEqual(whole, of(1, 2, 3, 4));
});

test('what comes byte by byte takes memory by its length', () => {
  const bytes = new GrowingBytes();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 1 << 20; n++) bytes.add(of(0x61));
  // An object for each piece would be some hundred bytes of it, all alive.
  assert.ok(process.memoryUsage().heapUsed - before < 64 << 20);
  assert.equal(bytes.take().length, 1 << 20);
});
