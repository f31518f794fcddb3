import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { gatherMs, Pace } from './gather.ts';

for (const [count, ms] of [
  [0, 0],
  [49, 0],
  [50, 1],
  [5000, 100],
  [1_000_000, 500],
] as const) {
  test(`${count} objects wait ${ms} ms`, () => assert.equal(gatherMs(count), ms));
}

test('what is urgent goes at once, and not again before as long as others are gathered', async () => {
  const clock = new VirtualClock();
  const pace = new Pace(clock);
  const wait = (urgent: boolean, count = 1000): number => pace.waitMs('a', { count, urgent });
  assert.deepEqual([wait(true), wait(false)], [0, 20]);
  pace.synced('a', true);
  assert.deepEqual([wait(true), wait(false), wait(true, 10)], [20, 20, 0]);
  assert.equal(pace.waitMs('b', { count: 1000, urgent: true }), 0);
  await clock.advance(15);
  assert.deepEqual([wait(true), wait(false)], [5, 20]);
  await clock.advance(15);
  assert.equal(wait(true), 0);
  pace.synced('a', true);
  pace.synced('a', false);
  assert.equal(wait(true), 0, 'it is gone');
});
