import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { FailedPods } from './failed-pods.ts';

test('1 s doubling to 15 minutes, forgotten after twice that', async () => {
  const clock = new VirtualClock();
  const failed = new FailedPods(clock);
  assert.equal(failed.waitMs('a'), 0);
  const waits: number[] = [];
  for (let i = 0; i < 12; i++) {
    failed.note('a');
    waits.push(failed.waitMs('a') / 1000);
    await clock.advance(failed.waitMs('a'));
    assert.equal(failed.waitMs('a'), 0);
  }
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  await clock.advance(31 * 60_000);
  failed.note('a');
  assert.equal(failed.waitMs('a'), 1000);
  assert.equal(failed.waitMs('b'), 0);
});
