import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTimers } from './counted-clock.ts';
import { VirtualClock } from './virtual-clock.ts';

test('only what was set by way of it counts, until it ran or was cancelled', async () => {
  const clock = new VirtualClock();
  const counted = countTimers(clock);
  const ran: string[] = [];
  clock.after(1, () => ran.push('another'));
  counted.after(1, () => ran.push('ours'));
  const late = counted.after(100, () => ran.push('late'));
  assert.deepEqual([counted.pending, clock.pending], [2, 3]);
  await clock.advance(1);
  assert.deepEqual([ran, counted.pending], [['another', 'ours'], 1]);
  late.cancel();
  assert.equal(counted.pending, 0);
  await clock.advance(1000);
  assert.deepEqual([ran.length, counted.now(), counted.monotonic()], [2, clock.now(), clock.monotonic()]);
});
