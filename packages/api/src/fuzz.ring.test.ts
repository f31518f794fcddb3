import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fuzz } from './testing/fuzz.ts';

it('judges twenty thousand hostile objects without a crash', () => {
  const tally = fuzz(20_261_122, 20_000);
  // The generator earns its keep only while enough of its objects come through.
  assert.ok(tally.decoded > 5000, JSON.stringify(tally));
  assert.ok(tally.valid > 500, JSON.stringify(tally));
});
