import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from './testing/virtual-clock.ts';
import { within } from './within.ts';

test('what comes in time is had, and leaves no timer behind', async () => {
  const clock = new VirtualClock();
  assert.equal(await within(Promise.resolve(7), { clock, ms: 1000 }), 7);
  assert.equal(clock.pending, 0);
  const failure = new RangeError('broken');
  await assert.rejects(within(Promise.reject(failure), { clock, ms: 1000 }), failure);
  assert.equal(clock.pending, 0);
});

test('what takes longer is not waited for, and may fail behind that', async () => {
  const clock = new VirtualClock();
  const awaited = Promise.withResolvers<number>();
  const waiting = within(awaited.promise, { clock, ms: 1000 });
  await clock.advance(1000);
  assert.equal(await waiting, undefined);
  awaited.reject(new RangeError('too late to matter'));
  await clock.advance(1);
});
