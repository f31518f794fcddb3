import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CounterFamily, HistogramFamily } from './series.ts';

function rendered(family: { render(out: string[]): void }): string[] {
  const out: string[] = [];
  family.render(out);
  return out;
}

test('counters', () => {
  const family = new CounterFamily({ name: 'n', help: 'H.', labels: ['a', 'b'] });
  assert.deepEqual(rendered(family), []);
  family.add(['x', '"\\\n']);
  family.add(['x', '"\\\n'], 2);
  assert.deepEqual(rendered(family), ['# HELP n H.', '# TYPE n counter', 'n{a="x",b="\\"\\\\\\n"} 3']);
});

test('bounds are written as Go does', () => {
  const bounds = [1e-8, 0.0000015, 0.0005, 0.005, 950_000, 1_050_000, 1e9];
  const family = new HistogramFamily({ name: 'n', help: 'H.', labels: [] }, bounds);
  family.observe([], 1);
  assert.deepEqual(
    rendered(family).flatMap((line) => /le="(.*)"/.exec(line)?.[1] ?? []),
    ['1e-08', '1.5e-06', '0.0005', '0.005', '950000', '1.05e+06', '1e+09', '+Inf'],
  );
});

test('histograms', () => {
  const family = new HistogramFamily({ name: 'n', help: 'H.', labels: [] }, [0.1, 1]);
  for (const seconds of [0.05, 0.5, 5]) family.observe([], seconds);
  assert.deepEqual(rendered(family), [
    '# HELP n H.',
    '# TYPE n histogram',
    'n_bucket{le="0.1"} 1',
    'n_bucket{le="1"} 2',
    'n_bucket{le="+Inf"} 3',
    'n_sum 5.55',
    'n_count 3',
  ]);
});

test('names without end do not fill the memory', () => {
  const counters = new CounterFamily({ name: 'n', help: 'H.', labels: ['a'] });
  const histograms = new HistogramFamily({ name: 'n', help: 'H.', labels: ['a'] }, [1]);
  for (let i = 0; i < 10_000; i++) {
    counters.add([String(i)]);
    histograms.observe([String(i)], 1);
  }
  assert.equal(rendered(counters).length, 4096 + 2);
  assert.equal(rendered(histograms).length, 4096 * 4 + 2);
});
