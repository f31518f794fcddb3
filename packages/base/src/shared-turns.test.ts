import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { SharedTurns } from './shared-turns.ts';

/** Time and turns by hand. */
function start(turnMs?: number) {
  let ms = 0;
  let due: (() => void)[] = [];
  const clock = {
    monotonic: () => ms,
    soon(run: () => void) {
      due.push(run);
      return { cancel: () => undefined };
    },
  };
  const turns = new SharedTurns(clock, turnMs);
  const ran: string[] = [];
  /** One question that takes so long once it runs. */
  const ask = (flow: string, takes: number): void => {
    const run = (): void => {
      ran.push(flow);
      ms += takes;
    };
    const later = turns.take(() => flow);
    if (later === undefined) run();
    else void later.then(run);
  };
  const turn = async (): Promise<void> => {
    const now = due;
    due = [];
    for (const run of now) {
      run();
      // As in Node: what one lets go on runs before the next.
      await Promise.resolve();
    }
  };
  return { turns, ask, turn, ran, others: (by: number) => void (ms += by), pending: () => due.length };
}

test('nobody waits in a turn that is short, and it is watched once', async () => {
  const { turns, turn, others, pending } = start();
  const one = (): string => 'one';
  for (let i = 0; i < 1000; i++) equal(turns.take(one), undefined);
  others(9);
  equal(turns.take(one), undefined);
  equal(pending(), 1);
  await turn();
  others(1000);
  equal(turns.take(one), undefined);
});

test('what a turn has time for runs at once, and the next turn is a new one', async () => {
  const { ask, turn, ran } = start();
  for (let n = 0; n < 3; n++) ask('noisy', 5);
  equal(ran.length, 2);
  await turn();
  equal(ran.length, 3);
  await turn();
  ask('noisy', 5);
  equal(ran.length, 4);
});

test('a turn may be shorter, and it is known how many of a flow wait', async () => {
  const { ask, turn, turns, ran } = start(3);
  for (let n = 0; n < 4; n++) ask(n === 3 ? 'other' : 'noisy', 2);
  deepEqual([ran.length, turns.waitingOf('noisy'), turns.waitingOf('other'), turns.waitingOf('none')], [2, 1, 1, 0]);
  await turn();
  deepEqual([ran.length, turns.waitingOf('noisy')], [4, 0]);
});

test('one of a quiet flow waits for one of each other flow, however many of those wait', async () => {
  const { ask, turn, ran } = start();
  for (let n = 0; n < 50; n++) ask(n % 2 === 0 ? 'one' : 'two', 10);
  ask('quiet', 1);
  deepEqual(ran, ['one']);
  for (let n = 0; n < 3; n++) await turn();
  deepEqual(ran.slice(1, 4), ['two', 'one', 'quiet']);
});

test('who comes while others wait does not go past them, and all are served in the end', async () => {
  const { ask, turn, ran, pending } = start();
  for (let n = 0; n < 4; n++) ask('noisy', 10);
  await turn();
  ask('late', 1);
  deepEqual(ran, ['noisy', 'noisy']);
  for (let n = 0; n < 4; n++) await turn();
  deepEqual(ran, ['noisy', 'noisy', 'noisy', 'late', 'noisy']);
  await turn();
  equal(pending(), 0);
});

test('short ones run many a turn, long ones one, and long ones behind short ones one too', async () => {
  const { ask, turn, ran } = start();
  const runs = async (): Promise<number> => {
    const before = ran.length;
    await turn();
    return ran.length - before;
  };
  ask('one', 10);
  for (let n = 0; n < 150; n++) ask('one', 0.1);
  for (let n = 0; n < 3; n++) ask('one', 500);
  for (let n = 0; n < 3; n++) ask('one', 1);
  deepEqual([await runs(), await runs(), await runs()], [64, 64, 22 + 1]);
  deepEqual([await runs(), await runs(), await runs(), await runs()], [1, 1, 3, 0]);
});

test('what others do in a turn makes nobody wait longer', async () => {
  const { ask, turn, others, ran } = start();
  ask('one', 10);
  for (let n = 0; n < 60; n++) ask('one', 0.1);
  others(50);
  await turn();
  equal(ran.length, 61);
});

test('the order of a flow holds over many turns', async () => {
  const { turns, turn, others } = start();
  equal(
    turns.take(() => 'one'),
    undefined,
  );
  others(10);
  const order: number[] = [];
  let asked = 0;
  const ask = (): void => {
    const which = asked++;
    const wait = turns.take(() => 'one');
    notEqual(wait, undefined);
    void wait?.then(() => order.push(which));
  };
  for (let i = 0; i < 100; i++) ask();
  await turn();
  for (let i = 0; i < 100; i++) ask();
  for (let n = 0; n < 4; n++) await turn();
  deepEqual(order, [...Array(200).keys()]);
});
