import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frameWork, percentile } from './frame-work.ts';
import type { BrowserTraceEvent } from './frame-work.ts';

const at = (name: string, ts: number, dur?: number, tid = 1): BrowserTraceEvent => ({
  ...{ name, ph: 'X', pid: 1, tid, ts },
  ...(dur === undefined ? {} : { dur }),
});

test('tasks count for the frame in which they end, nested ones once, those of other threads not', () => {
  const events = [
    at('RunTask', 0, 500),
    at('RunTask', 900, 2000),
    at('FireAnimationFrame', 1000),
    at('RunTask', 1100, 300),
    at('RunTask', 5000, 1000),
    at('RunTask', 16_900, 4000),
    at('FireAnimationFrame', 17_000),
    at('RunTask', 1000, 99_000, 2),
    at('FireAnimationFrame', 1000, undefined, 2),
  ];
  assert.deepEqual(frameWork(events), [3, 4]);
  assert.deepEqual(frameWork([]), []);
});

test('percentiles', () => {
  const values = Array.from({ length: 100 }, (_, value) => value);
  assert.deepEqual([percentile(values, 0.95), percentile([7], 0.95), percentile([], 0.5)], [95, 7, Number.NaN]);
});
