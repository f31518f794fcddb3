import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backoff } from './backoff.ts';

test('10 s, doubled up to 5 min', () => {
  const backoff = new Backoff(10_000, 300_000);
  let now = 0;
  const delays: number[] = [];
  for (let i = 0; i < 8; i++) {
    delays.push(backoff.remaining('k', now, now));
    now += backoff.remaining('k', now, now);
    backoff.advance('k', now, now);
  }
  assert.deepEqual(delays, [0, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
});

test('what went well for ten minutes starts anew', () => {
  const backoff = new Backoff(10_000, 300_000);
  backoff.advance('k', 0, 0);
  backoff.advance('k', 20_000, 20_000);
  assert.equal(backoff.delay('k'), 20_000);
  assert.equal(backoff.remaining('k', 630_000, 630_000), 0);
  backoff.advance('k', 630_000, 630_000);
  assert.equal(backoff.delay('k'), 10_000);
});

test('keys do not know each other; what is forgotten is gone', () => {
  const backoff = new Backoff(10_000, 300_000);
  backoff.advance('a', 0, 0);
  assert.deepEqual([backoff.remaining('a', 0, 4_000), backoff.remaining('b', 0, 4_000)], [6_000, 0]);
  backoff.forget('a');
  assert.equal(backoff.remaining('a', 0, 4_000), 0);
});

test('what failed once and was never heard of again is not kept', () => {
  const backoff = new Backoff(10_000, 300_000);
  for (let i = 0; i < 1_000; i++) backoff.advance(`pod-${i}`, i * 1_000, i * 1_000);
  assert.equal(backoff.size, 601, 'those of the last ten minutes');
  assert.equal(backoff.delay('pod-999'), 10_000);
});
