import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResetBudget } from './reset-budget.ts';

test('a thousand at once, a hundred each second', () => {
  let now = 5;
  const budget = new ResetBudget({ monotonic: () => now });
  const taken = (): number => {
    let count = 0;
    while (budget.take()) count++;
    return count;
  };
  assert.equal(taken(), 1000);
  now += 2000;
  assert.equal(taken(), 199);
  now += 3_600_000;
  assert.equal(taken(), 1000);
});
