import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { runInSlowStartBatches } from './slow-start.ts';

test('all in batches of 1, 2, 4, …', async () => {
  let running = 0;
  const together: number[] = [];
  const result = await runInSlowStartBatches(10, async (index) => {
    together[index] = ++running;
    await Promise.resolve();
    running--;
  });
  assert.deepEqual(result, { succeeded: 10, started: 10, error: undefined });
  assert.deepEqual(together, [1, 1, 2, 1, 2, 3, 4, 1, 2, 3]);
});

test('stops after the batch that failed', async () => {
  const error = new TypeError('no');
  const result = await runInSlowStartBatches(100, (index) => (index === 2 ? Promise.reject(error) : Promise.resolve()));
  assert.deepEqual(result, { succeeded: 2, started: 3, error });
});
