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
  expectations.madeCreation('k', 'a', 'ua');
  for (const name of ['a', 'a', 'x']) expectations.settleCreation('k', name, 'ua');
  expectations.settleDeletion('k', 'u2');
  assert.ok(!expectations.isSatisfied('k'));
  expectations.failedCreation('k', 'b');
  assert.ok(!expectations.isSatisfied('k'));
  expectations.settleDeletion('k', 'u1');
  assert.ok(expectations.isSatisfied('k'));
  assert.ok(expectations.isSatisfied('other'));
});

const ROWS: readonly (readonly [
  what: string,
  seenBefore: readonly string[],
  seenAfter: readonly string[],
  settled: boolean,
])[] = [
  ['it is seen behind the answer', [], ['u'], true],
  ['it is seen before the answer', ['u'], [], true],
  ['it is not seen', [], [], false],
  ['one that had its name came and went before the answer', ['old'], [], false],
  ['so it did, and it is seen', ['old'], ['u'], true],
  ['another one is seen', [], ['other'], false],
];
for (const [what, before, after, settled] of ROWS) {
  test(`a creation: ${what}`, () => {
    const expectations = new Expectations(new VirtualClock());
    expectations.expectCreation('k', 'a');
    for (const uid of before) expectations.settleCreation('k', 'a', uid);
    assert.ok(!expectations.isSatisfied('k'), 'nobody answered yet');
    expectations.madeCreation('k', 'a', 'u');
    for (const uid of after) expectations.settleCreation('k', 'a', uid);
    assert.equal(expectations.isSatisfied('k'), settled);
  });
}

test('given up after five minutes', async () => {
  const clock = new VirtualClock();
  const expectations = new Expectations(clock);
  expectations.expectCreation('k', 'a');
  await clock.advance(299_999);
  assert.equal(expectations.remainingMs('k'), 1);
  await clock.advance(1);
  assert.equal(expectations.remainingMs('k'), 0);
});
