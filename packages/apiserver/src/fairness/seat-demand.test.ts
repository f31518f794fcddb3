import assert from 'node:assert/strict';
import test from 'node:test';
import { NO_DEMAND, SeatDemand, smooth } from './seat-demand.ts';

test('average and deviation are weighted by time, the highest is kept', () => {
  const demand = new SeatDemand(0);
  demand.set(4, 5);
  demand.set(9, 10);
  demand.set(0, 10);
  assert.deepEqual(demand.read(10), { seconds: 10, average: 2, deviation: 2, highest: 9 });
});

test('a new period begins with what stands', () => {
  const demand = new SeatDemand(0);
  demand.set(3, 0);
  demand.read(10);
  assert.deepEqual(demand.read(20), { seconds: 10, average: 3, deviation: 0, highest: 3 });
  assert.equal(demand.read(20).seconds, 0);
});

test('demand rises at once and falls by half in five minutes', () => {
  let smoothed = smooth(NO_DEMAND, { seconds: 10, average: 80, deviation: 20, highest: 130.4 });
  assert.deepEqual([smoothed.smoothed, smoothed.highest], [100, 130]);
  for (let period = 0; period < 30; period++) {
    smoothed = smooth(smoothed, { seconds: 10, average: 0, deviation: 0, highest: 0 });
  }
  assert.ok(Math.abs(smoothed.smoothed - 50) < 1, String(smoothed.smoothed));
});
