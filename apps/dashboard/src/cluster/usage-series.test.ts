import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { linePath, withSample } from './usage-series.ts';
import type { UsageSample } from './usage-series.ts';

const sample = (atMs: number): UsageSample => ({ atMs, amount: { milliCpu: atMs, memoryBytes: 0 } });

test('samples are kept in their order, each once, the last ten minutes of them', () => {
  let series: readonly UsageSample[] = [];
  for (let at = 1; at <= 100; at++) series = withSample(withSample(series, sample(at)), sample(at));
  equal(series.length, 40);
  equal(series[0]?.atMs, 61);
  equal(withSample(series, sample(50)), series);
});

const BOX = { width: 100, height: 10 };
const point = (atMs: number, value: number): { atMs: number; value: number } => ({ atMs, value });
const ROWS: readonly (readonly [name: string, points: readonly ReturnType<typeof point>[], path: string])[] = [
  ['nothing', [], ''],
  ['one', [point(5, 3)], 'M0.0,0.0'],
  ['up', [point(0, 0), point(10, 4)], 'M0.0,10.0L100.0,0.0'],
  ['idle', [point(0, 0), point(10, 0)], 'M0.0,10.0L100.0,10.0'],
  ['times that are not even', [point(0, 2), point(1, 1), point(4, 2)], 'M0.0,0.0L25.0,5.0L100.0,0.0'],
];
for (const [name, points, path] of ROWS) test(`a line of ${name}`, () => equal(linePath(points, BOX), path));
