import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { gatherMs } from './gather.ts';

for (const [count, ms] of [
  [0, 0],
  [49, 0],
  [50, 1],
  [5000, 100],
  [1_000_000, 500],
] as const) {
  test(`${count} objects wait ${ms} ms`, () => assert.equal(gatherMs(count), ms));
}
