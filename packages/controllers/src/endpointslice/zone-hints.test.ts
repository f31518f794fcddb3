import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import { decideZoneHints } from './zone-hints.ts';
import type { HintedEndpoint } from './zone-hints.ts';

const shares = (...parts: readonly number[]) => {
  const total = parts.reduce((sum, one) => sum + one, 0);
  return new Map(parts.map((part, i) => ['abcd'[i] ?? '', part / total]));
};
/** One letter an endpoint: its zone; `-` for none. The letter after a colon is whom it was for. */
const endpoints = (text: string): readonly HintedEndpoint[] =>
  text.split(' ').map((one) => {
    const [zone, hinted] = one.split(':');
    return { zone: zone === '-' ? undefined : zone, hinted };
  });

for (const [name, given, zones, expected] of [
  ['each its own zone', 'a b a b', shares(1, 1), 'a b a b'],
  ['all in one zone: half of them for the other', 'a a a a', shares(1, 1), 'b b a a'],
  ['in proportion to CPU', 'a a a b b b', shares(1, 2), 'b a a b b b'],
  ['what is within limits stays', 'a:b a:a b:a b:b', shares(1, 1), 'b a a b'],
  ['a zone that is no more gives its own away', 'c a b c', shares(1, 1), 'a a b b'],
  ['for a zone that is no more', 'a:c b:c', shares(1, 1), 'a b'],
  ['too many for one zone', 'a:a a:a a:a a:a a:a b:b', shares(1, 1), 'a a a b b b'],
] as const) {
  test(name, () => {
    const decided = decideZoneHints(endpoints(given), zones);
    assert.deepEqual(decided, { zones: expected.split(' ') });
  });
}

for (const [name, given, zones, refused] of [
  ['nodes say too little', 'a b', undefined, 'Insufficient Node information: allocatable CPU or zone not specified'],
  ['fewer endpoints than zones', 'a', shares(1, 1), 'Insufficient number of endpoints (1 endpoints, 2 zones)'],
  ['no way to share', 'a b', shares(5, 1), 'Unable to allocate minimum required endpoints to each zone'],
  ['an endpoint without a zone', 'a -', shares(1, 1), 'One or more endpoints do not have a zone specified'],
] as const) {
  test(`refused: ${name}`, () => {
    const decided = decideZoneHints(endpoints(given), zones);
    assert.ok('refused' in decided && decided.refused.startsWith(refused), JSON.stringify(decided));
  });
}

test('at random: whoever was placed stays placed, and nobody is far from the share', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const random = createSeededRandom(seed);
    const parts = Array.from({ length: 2 + randomBelow(random, 3) }, () => 1 + randomBelow(random, 8));
    const zones = shares(...parts);
    const given = Array.from({ length: 1 + randomBelow(random, 40) }, () => ({
      zone: 'abcd'[randomBelow(random, parts.length)] ?? 'a',
      hinted: [undefined, 'a', 'b', 'z'][randomBelow(random, 4)],
    }));
    const decided = decideZoneHints(given, zones);
    if ('refused' in decided) continue;
    const again = given.map(({ zone }, i) => ({ zone, hinted: decided.zones[i] }));
    assert.deepEqual(decideZoneHints(again, zones), decided, `seed ${seed}`);
    for (const [zone, share] of zones) {
      const count = decided.zones.filter((one) => one === zone).length;
      const least = Math.ceil((given.length * share) / 1.2) - 1;
      assert.ok(count >= least, `seed ${seed}: ${count} for ${zone}, at least ${least}`);
    }
  }
});
