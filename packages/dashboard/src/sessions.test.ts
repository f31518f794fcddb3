import { equal, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, silentLogger, VirtualClock } from '@binnacle/base';
import type { Wire } from '@binnacle/machinery';
import { Sessions } from './sessions.ts';

const HOUR = 60 * 60 * 1000;

function world() {
  const clock = new VirtualClock();
  const closed: number[] = [];
  const wire = (id: number): Wire => ({ close: async () => void closed.push(id) }) as unknown as Wire;
  return { clock, closed, wire, sessions: new Sessions({ clock, random: createSeededRandom(1), log: silentLogger }) };
}

test('a code opens one session, once', async () => {
  const { sessions, wire } = world();
  const code = sessions.issueCode(async () => wire(1));
  const secret = await sessions.redeem(code);
  notEqual(secret, undefined);
  notEqual(secret, code);
  equal(await sessions.redeem(code), undefined);
  equal(await sessions.redeem('constructor'), undefined);
  notEqual(sessions.find(secret ?? ''), undefined);
});

test('a code that nobody used in an hour is none', async () => {
  const { clock, sessions, wire } = world();
  const code = sessions.issueCode(async () => wire(1));
  await clock.advance(HOUR + 1);
  equal(await sessions.redeem(code), undefined);
});

test('a session ends when told, and when it was not used for half a day', async () => {
  const { clock, closed, sessions, wire } = world();
  const first = await sessions.start(wire(1), 'alice');
  const second = await sessions.start(wire(2), 'alice');
  await clock.advance(11 * HOUR);
  notEqual(sessions.find(second), undefined);
  await clock.advance(2 * HOUR);
  equal(sessions.find(first), undefined);
  notEqual(sessions.find(second), undefined);
  await sessions.end(second);
  equal(sessions.find(second), undefined);
  equal(closed.join(), '1,2');
  await sessions.close();
  equal(closed.join(), '1,2');
});

test('a session that nobody used for half a day ends by itself, and what it opened with it', async () => {
  const { clock, closed, sessions, wire } = world();
  const [first, second] = [await sessions.start(wire(1), 'alice'), await sessions.start(wire(2), 'bob')];
  const ended: string[] = [];
  sessions.find(first)?.scope.signal.addEventListener('abort', () => ended.push('first'));
  sessions.find(second)?.scope.signal.addEventListener('abort', () => ended.push('second'));
  await clock.advance(6 * HOUR);
  sessions.find(second);
  await clock.advance(6 * HOUR - 1);
  equal(ended.join(), '');
  await clock.advance(1);
  equal(ended.join(), 'first');
  equal(closed.join(), '1');
  await clock.advance(6 * HOUR);
  equal(ended.join(), 'first,second');
  equal(closed.join(), '1,2');
});

test('a session that is used ever so often does not end, and none that is closed leaves a timer', async () => {
  const { clock, closed, sessions, wire } = world();
  const secret = await sessions.start(wire(1), 'alice');
  for (let hours = 0; hours < 100; hours += 11) {
    await clock.advance(11 * HOUR);
    notEqual(sessions.find(secret), undefined);
  }
  equal(closed.length, 0);
  await sessions.close();
  equal(clock.pending, 0);
});

test('of very many sessions the one that was used longest ago makes room', async () => {
  const { closed, sessions, wire } = world();
  const first = await sessions.start(wire(0), 'alice');
  const second = await sessions.start(wire(1), 'alice');
  for (let id = 2; id < 64; id++) await sessions.start(wire(id), 'alice');
  sessions.find(first);
  await sessions.start(wire(64), 'alice');
  equal(closed.join(), '1');
  equal(sessions.find(second), undefined);
  notEqual(sessions.find(first), undefined);
});

test('who opens very many sessions pushes out his own, by whatever names of one namespace', async () => {
  const { sessions, wire } = world();
  const link = await sessions.redeem(sessions.issueCode(async () => wire(0)));
  const alice = await sessions.start(wire(1), 'alice');
  const taken: string[] = [];
  for (let id = 2; id < 300; id++) {
    taken.push(await sessions.start(wire(id), `system:serviceaccount:tenant:${id}`));
  }
  notEqual(sessions.find(link ?? ''), undefined);
  notEqual(sessions.find(alice), undefined);
  equal(taken.filter((secret) => sessions.find(secret) !== undefined).length, 62);
  const bob = await sessions.start(wire(300), 'bob');
  notEqual(sessions.find(bob), undefined);
  notEqual(sessions.find(alice), undefined);
});

test('sessions that nobody uses any more make room before those of the one with the most', async () => {
  const { clock, sessions, wire } = world();
  await sessions.start(wire(0), 'bob');
  await clock.advance(7 * HOUR);
  const first = await sessions.start(wire(1), 'alice');
  for (let id = 2; id < 64; id++) await sessions.start(wire(id), 'alice');
  await clock.advance(6 * HOUR);
  await sessions.start(wire(64), 'alice');
  notEqual(sessions.find(first), undefined);
});
