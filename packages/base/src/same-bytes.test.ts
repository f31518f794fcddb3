import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameBytes } from './same-bytes.ts';

test('the same bytes, wherever they are', () => {
  const bytes = Uint8Array.of(1, 2, 3);
  assert.ok(sameBytes(bytes, bytes));
  assert.ok(sameBytes(bytes, Uint8Array.of(0, 1, 2, 3).subarray(1)));
  assert.ok(sameBytes(new Uint8Array(0), new Uint8Array(0)));
  for (const other of [[1, 2], [1, 2, 4], [1, 2, 3, 4], []]) assert.ok(!sameBytes(bytes, Uint8Array.from(other)));
});
