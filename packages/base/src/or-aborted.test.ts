import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { AbortedError } from './error.ts';
import { orAborted } from './or-aborted.ts';

test('whoever waits no more hears why, and leaves the others waiting', async () => {
  const awaited = Promise.withResolvers<number>();
  const [one, other] = [new AbortController(), new AbortController()];
  const [first, second] = [orAborted(awaited.promise, one.signal), orAborted(awaited.promise, other.signal)];
  const reason = new AbortedError('the first');
  one.abort(reason);
  await assert.rejects(first, reason);
  awaited.resolve(7);
  assert.equal(await second, 7);
  assert.deepEqual(getEventListeners(other.signal, 'abort'), [], 'nothing is left at the signal');
});

test('a signal that has aborted before, and a failure', async () => {
  const reason = new AbortedError('all');
  await assert.rejects(orAborted(new Promise(() => undefined), AbortSignal.abort(reason)), reason);
  const failure = new RangeError('broken');
  await assert.rejects(orAborted(Promise.reject(failure), new AbortController().signal), failure);
});
