import assert from 'node:assert/strict';
import test from 'node:test';
import { createTimeFormatter, formatTime } from './clock.ts';

test('a formatter that remembers says the same as the plain one, whichever way time goes', () => {
  const format = createTimeFormatter();
  const times = [0, 999, 1000, 1_795_300_000_123, 1_795_300_000_999, 1_795_299_999_000, -1, -1001, 0];
  assert.deepEqual(times.map(format), times.map(formatTime));
  assert.throws(() => format(Number.NaN), RangeError);
});
