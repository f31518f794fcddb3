import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDone } from './is-done.ts';

test('a failure is an answer, no rejection', async () => {
  assert.equal(await isDone(Promise.resolve()), true);
  assert.equal(await isDone(Promise.reject(new TypeError('gone'))), false);
});
