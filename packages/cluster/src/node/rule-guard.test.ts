import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { guardRules } from './rule-guard.ts';

test('rules that somebody took are made anew, all of them once an hour, until the scope ends', async () => {
  const clock = new VirtualClock();
  const scope = new Scope('guard', { log: silentLogger });
  const told: string[] = [];
  let isThere = true;
  const rules = {
    isThere: async () => isThere,
    resync: () => told.push('resync'),
    lookAround: async () => void told.push('look'),
  };
  const look = guardRules([rules], { clock, scope, each: async () => void told.push('each') });
  await clock.advance(31_000);
  assert.deepEqual(told, ['each', 'look', 'each']);
  isThere = false;
  await look();
  assert.deepEqual(told.slice(3), ['resync', 'look'], 'whenever it is called');
  isThere = true;
  await clock.advance(3_600_000);
  assert.equal(told.filter((one) => one === 'resync').length, 2);
  const closed = scope.close();
  await clock.advance(0);
  await closed;
  const before = told.length;
  await clock.advance(60_000);
  assert.equal(told.length, before);
});
