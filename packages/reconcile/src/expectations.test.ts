import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { Expectations } from './expectations.ts';

test('satisfied when every name and UID was seen, whatever else is seen or seen twice', () => {
  const expectations = new Expectations(new VirtualClock());
  assert.ok(expectations.isSatisfied('k'));
  expectations.expectCreation('k', 'a');
  expectations.expectCreation('k', 'b');
  expectations.expectDeletion('k', 'u1');
  for (const name of ['a', 'a', 'x']) expectations.settleCreation('k', name);
  expectations.settleDeletion('k', 'u2');
  assert.ok(!expectations.isSatisfied('k'));
  expectations.settleCreation('k', 'b');
  assert.ok(!expectations.isSatisfied('k'));
  expectations.settleDeletion('k', 'u1');
  assert.ok(expectations.isSatisfied('k'));
  assert.ok(expectations.isSatisfied('other'));
});

test('given up after five minutes', async () => {
  const clock = new VirtualClock();
  const expectations = new Expectations(clock);
  expectations.expectCreation('k', 'a');
  await clock.advance(299_999);
  assert.equal(expectations.remainingMs('k'), 1);
  await clock.advance(1);
  assert.equal(expectations.remainingMs('k'), 0);
});
