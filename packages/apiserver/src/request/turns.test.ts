import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { AT_ONCE, Turns } from './turns.ts';

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
