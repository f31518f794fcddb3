import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atOnce, VirtualClock } from '@binnacle/base';
import { AT_ONCE, inTurns, SharedWork, Turns } from './turns.ts';

test('what takes longer than five milliseconds waits for its turn, and then has five more', async () => {
  const clock = new VirtualClock();
  const turns = new Turns(clock);
  assert.equal(turns.next(), undefined);
  await clock.advance(6);
  const waiting = turns.next();
  assert.ok(waiting instanceof Promise);
  await clock.advance(0);
  await waiting;
  assert.equal(turns.next(), undefined);
});

test('what is small goes on at once', () => {
  assert.equal(AT_ONCE.next(), undefined);
});

test('pieces are done one after the other, with turns for the others where they take long, or all at once', async () => {
  let turns = 0;
  function* pieces() {
    for (let piece = 0; piece < 4; piece++) yield;
    return 'done';
  }
  const next = (): Promise<void> | undefined => (++turns % 2 === 0 ? Promise.resolve() : undefined);
  assert.equal(await inTurns(pieces(), { next }), 'done');
  assert.equal(turns, 4);
  assert.equal(atOnce(pieces()), 'done');
});

test('what several wait for is made once, piece by piece by whoever has its turn, and anew after a failure', () => {
  let pieces = 0;
  let failing = true;
  const shared = new SharedWork(function* () {
    for (let piece = 0; piece < 4; piece++) {
      pieces++;
      yield;
    }
    if (failing) throw new Error('not yet');
    return 'made';
  });
  const [one, other] = [shared.rest(), shared.rest()];
  for (let turn = 0; turn < 2; turn++) {
    one.next();
    other.next();
  }
  assert.equal(pieces, 4);
  assert.throws(() => one.next(), /not yet/);
  failing = false;
  assert.equal(atOnce(other), 'made');
  assert.equal(pieces, 8);
  assert.equal(atOnce(shared.rest()), 'made');
  assert.equal(shared.value, 'made');
  assert.equal(pieces, 8);
});
