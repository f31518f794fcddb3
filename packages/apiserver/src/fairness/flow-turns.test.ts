import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '@binnacle/base';
import { FlowTurns } from './flow-turns.ts';

const MANY = 100;

/** A clock whose turns end when the test says so. */
function start() {
  let elapsed = 0;
  let due: (() => void)[] = [];
  const clock = {
    monotonic: () => elapsed,
    soon(run: () => void) {
      due.push(run);
      return { cancel: () => undefined };
    },
  } as unknown as Clock;
  const turns = new FlowTurns(clock);
  const ran: string[] = [];
  /** One request that takes so long once it runs. */
  const ask = (flow: string, ms: number, executing = MANY): void => {
    const run = (): void => {
      ran.push(flow);
      elapsed += ms;
    };
    const later = turns.take(executing, () => flow);
    if (later === undefined) run();
    else void later.then(run);
  };
  const endTurn = async (): Promise<void> => {
    const now = due;
    due = [];
    for (const run of now) {
      run();
      await Promise.resolve();
    }
  };
  const others = (ms: number): void => void (elapsed += ms);
  return { ask, endTurn, others, ran, pending: () => due.length };
}

test('what a turn has time for runs at once, and the next turn is a new one', async () => {
  const { ask, endTurn, ran } = start();
  for (let n = 0; n < 3; n++) ask('noisy', 5);
  assert.equal(ran.length, 2);
  await endTurn();
  assert.equal(ran.length, 3);
  await endTurn();
  ask('noisy', 5);
  assert.equal(ran.length, 4);
});

test('one of a quiet flow waits for one of each other flow, however many of those wait', async () => {
  const { ask, endTurn, ran } = start();
  for (let n = 0; n < 50; n++) ask(n % 2 === 0 ? 'one' : 'two', 10);
  ask('quiet', 1);
  assert.deepEqual(ran, ['one']);
  for (let turn = 0; turn < 3; turn++) await endTurn();
  assert.deepEqual(ran.slice(1), ['two', 'one', 'quiet']);
});

test('who comes while others wait does not go past them, and all are served in the end', async () => {
  const { ask, endTurn, ran, pending } = start();
  for (let n = 0; n < 4; n++) ask('noisy', 10);
  await endTurn();
  ask('late', 1);
  assert.deepEqual(ran, ['noisy', 'noisy']);
  for (let turn = 0; turn < 4; turn++) await endTurn();
  assert.deepEqual(ran, ['noisy', 'noisy', 'noisy', 'late', 'noisy']);
  assert.equal(pending(), 0);
});

test('short ones run many a turn, long ones one', async () => {
  const { ask, endTurn, ran } = start();
  for (let n = 0; n < 200; n++) ask('long', n < 20 ? 10 : 0.1);
  for (let turn = 0; turn < 20; turn++) await endTurn();
  assert.equal(ran.length, 1 + 19 + 1);
  for (let turn = 0; turn < 3; turn++) await endTurn();
  assert.equal(ran.length, 21 + 2 + 4 + 8);
});

test('what others do in a turn makes nobody wait longer', async () => {
  const { ask, endTurn, others, ran } = start();
  ask('one', 10);
  for (let n = 0; n < 60; n++) ask('one', 0.1);
  for (let turn = 0; turn < 6; turn++) {
    others(50);
    await endTurn();
  }
  assert.equal(ran.length, 61);
});

test('where few are under way nothing waits, and no turn is watched', () => {
  const { ask, ran, pending } = start();
  for (let n = 0; n < 20; n++) ask('one', 10, 7);
  assert.deepEqual([ran.length, pending()], [20, 0]);
});
