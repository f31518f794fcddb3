import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { TestkitError } from './errors.ts';
import { lookUntil } from './look-until.ts';

/** Runs a wait to its end in virtual time. */
async function outcomeOf<T>(clock: VirtualClock, waiting: Promise<T>): Promise<T> {
  let isOver = false;
  const settle = (): void => void (isOver = true);
  waiting.then(settle, settle);
  while (!isOver) await clock.advance(10);
  return waiting;
}

test('it looks again until what it sees is wanted, and answers with that', async () => {
  const clock = new VirtualClock();
  let looks = 0;
  const look = (): number => ++looks;
  const seen = lookUntil({ what: 'the third look', look, until: (n) => n === 3, everyMs: 100, clock });
  assert.equal(await outcomeOf(clock, seen), 3);
  assert.equal(looks, 3);
});

test('what is there already is waited for by nobody', async () => {
  const clock = new VirtualClock();
  assert.equal(await lookUntil({ what: 'it', look: async () => 'there', until: () => true, clock }), 'there');
});

test('what never comes fails with what was wanted and what there is instead', async () => {
  const clock = new VirtualClock();
  const began = clock.monotonic();
  let looks = 0;
  const look = (): { looks: number } => ({ looks: ++looks });
  const waiting = lookUntil({ what: 'a miracle', look, until: () => false, deadlineMs: 500, everyMs: 200, clock });
  await assert.rejects(outcomeOf(clock, waiting), (error: Error) => {
    assert.ok(error instanceof TestkitError);
    assert.match(error.message, /^waited 500 ms for a miracle; there is: \{\s*"looks": 4\s*\}$/);
    return true;
  });
  // The last look is behind the deadline: what came in the last moment counts.
  assert.equal(looks, 4);
  assert.ok(clock.monotonic() - began >= 500);
});

test('a look that fails is no reason to look again', async () => {
  const broken = lookUntil({ what: 'it', look: () => Promise.reject(new RangeError('broken')), until: () => true });
  await assert.rejects(broken, RangeError);
});
