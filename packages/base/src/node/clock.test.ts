import assert from 'node:assert/strict';
import { test } from 'node:test';
import { realClock } from './index.ts';

/** The longest that Node's own timers wait. */
const NODE_MS_MAX = 2 ** 31 - 1;

for (const delayMs of [NODE_MS_MAX + 1, NODE_MS_MAX * 3, 2 ** 53, Infinity]) {
  test(`a timer of ${delayMs} ms does not ring before one of a millisecond, and can be cancelled`, async () => {
    let rings = 0;
    const timer = realClock.after(delayMs, () => rings++, { background: true });
    // Timers of Node that ring at once are due by the second of these.
    for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => realClock.after(2, resolve));
    timer.cancel();
    assert.equal(rings, 0);
  });
}

test('a timer of more than 24 days rings once, when its time has come and not before', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let rings = 0;
  realClock.after(NODE_MS_MAX * 2 + 5, () => rings++);
  for (let day = 0; day < 2; day++) t.mock.timers.tick(NODE_MS_MAX);
  t.mock.timers.tick(4);
  assert.equal(rings, 0);
  t.mock.timers.tick(1);
  assert.equal(rings, 1);
  const cancelled = realClock.after(NODE_MS_MAX + 5, () => rings++);
  t.mock.timers.tick(NODE_MS_MAX + 1);
  cancelled.cancel();
  t.mock.timers.tick(100);
  assert.equal(rings, 1);
});
