import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import type { Node } from '@binnacle/api/core/v1';
import { EvictionPacer, paceMsOf, zoneOf } from './zones.ts';

const nodes = (zone: string, count: number): Node[] =>
  Array.from({ length: count }, (_, i) => ({
    metadata: { name: `${zone}${i}`, labels: { 'topology.kubernetes.io/zone': zone } },
    spec: {},
  }));

const rows: { name: string; here: number; lost: number; elsewhere: number; pace: number }[] = [
  { name: 'one of three', here: 3, lost: 1, elsewhere: 0, pace: 10_000 },
  { name: 'a small zone gone, another lives', here: 3, lost: 3, elsewhere: 2, pace: Infinity },
  { name: 'most of a large zone', here: 60, lost: 40, elsewhere: 0, pace: 100_000 },
  { name: 'half of a large zone', here: 60, lost: 30, elsewhere: 0, pace: 10_000 },
  { name: 'two of two, another zone lives', here: 2, lost: 2, elsewhere: 1, pace: 10_000 },
];
for (const row of rows) {
  test(`pace of evictions: ${row.name}`, () => {
    const here = nodes('a', row.here);
    const lost = new Set(here.slice(0, row.lost));
    const zone = zoneOf(here[0]!);
    const pace = paceMsOf(zone, [...here, ...nodes('b', row.elsewhere)], (node) => lost.has(node));
    assert.equal(pace, row.pace);
  });
}

test('one turn per pace and zone', async () => {
  const clock = new VirtualClock();
  const pacer = new EvictionPacer(clock);
  assert.equal(pacer.take('a', 10_000), 0);
  await clock.advance(4000);
  assert.equal(pacer.take('a', 10_000), 6000);
  assert.equal(pacer.soonest('a'), 6000);
  assert.equal(pacer.soonest('b'), 0);
  assert.equal(pacer.take('b', 10_000), 0);
  await clock.advance(6000);
  assert.equal(pacer.take('a', 10_000), 0);
});
