import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { Rates } from './rates.ts';

test('a rate is known from the second question on, and as long as somebody asks', async () => {
  const clock = new VirtualClock();
  const rates = new Rates(clock);
  assert.equal(rates.of('a', 1_000), undefined);
  await clock.advance(2_000);
  assert.equal(rates.of('a', 3_000), 1_000);
  await clock.advance(100);
  assert.equal(rates.of('a', 3_001), 1_000, 'too soon for another');
  await clock.advance(61_000);
  assert.equal(rates.of('a', 9_000), undefined, 'too long ago');
  await clock.advance(1_000);
  assert.equal(rates.of('a', 5), undefined, 'it began anew');
});

test('readings are bounded', () => {
  const rates = new Rates(new VirtualClock());
  for (let i = 0; i < 10_000; i++) rates.of(String(i), i);
});
