import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { EvictionTurns, paceMsOf } from './eviction-turns.ts';

for (const [name, members, lost, pace] of [
  ['one of three', 3, 1, 10_000],
  ['a small zone gone, another lives', 3, 3, 10_000],
  ['a large zone gone, another lives', 60, 60, 10_000],
  ['most of a small zone', 4, 3, Infinity],
  ['most of a large zone', 60, 40, 100_000],
  ['half of a large zone', 60, 30, 10_000],
  ['two of two, another zone lives', 2, 2, 10_000],
] as const) {
  test(`pace of evictions: ${name}`, () => assert.equal(paceMsOf({ members, lost }), pace));
}

test('one turn per pace and zone, first come, first served', async () => {
  const clock = new VirtualClock();
  const turns = new EvictionTurns(clock);
  assert.equal(turns.ask('a', '1', 10_000), 0);
  assert.equal(turns.ask('a', '2', 10_000), 10_000);
  assert.equal(turns.ask('a', '3', 10_000), Infinity, 'waits behind 2');
  assert.equal(turns.ask('b', '4', 10_000), 0, 'another zone');
  await clock.advance(4000);
  assert.equal(turns.ask('a', '2', 10_000), 6000);
  await clock.advance(6000);
  assert.equal(turns.ask('a', '3', 10_000), Infinity);
  assert.equal(turns.ask('a', '2', 10_000), 0);
  assert.equal(turns.first('a'), '3');
});

test('who leaves makes way; nobody’s turn comes while the zone’s evictions stand still', async () => {
  const clock = new VirtualClock();
  const turns = new EvictionTurns(clock);
  for (const name of ['1', '2', '3']) assert.equal(turns.ask('a', name, Infinity), Infinity);
  await clock.advance(1e9);
  assert.equal(turns.ask('a', '1', Infinity), Infinity);
  assert.equal(turns.leave('2'), undefined, 'was not first');
  assert.equal(turns.leave('1'), 'a');
  assert.equal(turns.first('a'), '3');
  assert.equal(turns.leave('3'), 'a');
  assert.equal(turns.first('a'), undefined);
  assert.equal(turns.leave('nobody'), undefined);
});

test('the pace of evictions is what was asked for', () => {
  const rates = { normal: 2, disrupted: 0.5, unhealthyShare: 0.8, largeZone: 5 };
  const paces = [
    [10, 7],
    [10, 9],
    [5, 4],
    [4, 4],
  ].map(([members = 0, lost = 0]) => paceMsOf({ members, lost }, rates));
  assert.deepEqual(paces, [500, 2000, Number.POSITIVE_INFINITY, 500]);
});

test('who was away comes back at the end, not where it was before', () => {
  const turns = new EvictionTurns(new VirtualClock());
  for (const name of ['1', '2', '3']) turns.ask('a', name, Infinity);
  turns.leave('2');
  turns.ask('a', '2', Infinity);
  turns.leave('1');
  assert.equal(turns.first('a'), '3');
});

test('nodes that come and go behind one that stands still leave nothing behind', () => {
  const turns = new EvictionTurns(new VirtualClock());
  turns.ask('a', 'first', Infinity);
  for (let i = 0; i < 10_000; i++) {
    turns.ask('a', `n${i % 10}`, Infinity);
    turns.leave(`n${i % 10}`);
  }
  assert.ok(turns.size < 100, `${turns.size} places`);
  assert.equal(turns.first('a'), 'first');
});

test('a node that tells another zone each time leaves no zones behind, and none is forgotten before its pace is over', async () => {
  const clock = new VirtualClock();
  const turns = new EvictionTurns(clock);
  assert.equal(turns.ask('a', 'x', 10_000), 0);
  for (let i = 0; i < 10_000; i++) {
    turns.ask(`z${i}`, 'n', i % 2 === 0 ? Infinity : 10_000);
    if (i === 100) assert.equal(turns.ask('a', 'y', 10_000), 9000, 'a is remembered');
    await clock.advance(i < 100 ? 10 : 1000);
  }
  assert.ok(turns.size < 100, `${turns.size} places`);
});
