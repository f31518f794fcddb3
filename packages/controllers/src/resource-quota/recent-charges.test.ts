import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { ResourceQuota } from '@binnacle/api/core/v1';
import { quotaAmounts } from '@binnacle/api';
import { RecentCharges } from './recent-charges.ts';

const quota = (pods?: string): ResourceQuota => ({
  metadata: { name: 'q' },
  spec: {},
  ...(pods !== undefined && { status: { used: { pods } } }),
});

test('charges of the last one to two seconds are known, by quota; later they are forgotten', () => {
  let now = 0;
  const charges = new RecentCharges({ monotonic: () => now });
  const shown = (key: string): readonly [string, number] | undefined => {
    const charged = charges.of(key);
    return charged && [quotaAmounts.shownAmounts(charged.amounts), charged.forMs];
  };
  charges.saw('ns/q', quota(), quota('2'));
  charges.saw('ns/q', quota('2'), quota('1'));
  charges.saw('ns/q', quota('1'), quota());
  assert.deepEqual(shown('ns/q'), ['pods=2', 2000], 'what is taken back is no charge');
  assert.equal(shown('ns/constructor'), undefined);
  now = 1500;
  charges.saw('ns/q', quota('1'), quota('4'));
  assert.deepEqual(shown('ns/q'), ['pods=5', 1500]);
  now = 2100;
  assert.deepEqual(shown('ns/q'), ['pods=3', 900], 'the first is forgotten');
  now = 3000;
  assert.equal(shown('ns/q'), undefined);
  charges.saw('ns/q', quota('4'), quota('5'));
  charges.forget('ns/q');
  assert.equal(shown('ns/q'), undefined);
});
