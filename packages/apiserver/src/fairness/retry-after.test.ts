import assert from 'node:assert/strict';
import test from 'node:test';
import { RetryAfter } from './retry-after.ts';

function refuse(retry: RetryAfter, second: number, times: number): number {
  let answer = 0;
  for (let n = 0; n < times; n++) answer = retry.refuse(second);
  return answer;
}

test('few refusals: come again in a second', () => {
  const retry = new RetryAfter();
  for (let second = 100; second < 120; second++) assert.equal(refuse(retry, second, 1), 1);
});

test('many refusals double the time, up to half a minute; few bring it back', () => {
  const retry = new RetryAfter();
  let second = 1000;
  const seen = new Set<number>();
  for (; second < 1200; second++) seen.add(refuse(retry, second, 200));
  assert.deepEqual([...seen], [1, 2, 4, 8, 16, 32]);
  for (; second < 3000; second += 40) refuse(retry, second, 1);
  assert.equal(retry.seconds, 1);
});
