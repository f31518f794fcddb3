import assert from 'node:assert/strict';
import test from 'node:test';
import { createTimeFormatter, delayUntil, formatTime } from './clock.ts';
import { createSeededRandom, randomFloat } from './random.ts';
import { VirtualClock } from './testing/virtual-clock.ts';

test('a formatter that remembers says the same as the plain one, whichever way time goes', () => {
  const format = createTimeFormatter();
  const times = [0, 999, 1000, 1_795_300_000_123, 1_795_300_000_999, 1_795_299_999_000, -1, -1001, 0];
  assert.deepEqual(times.map(format), times.map(formatTime));
  assert.throws(() => format(Number.NaN), RangeError);
});

test('who waits until a moment is not woken before it, whatever the fractions', async () => {
  const random = createSeededRandom(5);
  for (let round = 0; round < 500; round++) {
    const clock = new VirtualClock();
    await clock.advance((randomFloat(random) * 1e6) / 3);
    const at = clock.monotonic() + 300_000 / 7;
    await clock.advance((randomFloat(random) * 40_000) / 3);
    let wokenAt = 0;
    clock.after(delayUntil(clock, at), () => (wokenAt = clock.monotonic()));
    await clock.advance(60_000);
    assert.ok(wokenAt >= at && wokenAt < at + 1.001, `${wokenAt} for ${at}`);
    assert.equal(delayUntil(clock, at), 0);
  }
});
