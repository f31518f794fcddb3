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
  /** One question that takes so long once it runs, of `level/flow` or of a flow alone. */
  const ask = (flow: string, takes: number, share = 1): void => {
    const run = (): void => {
      ran.push(flow);
      ms += takes;
    };
    const [level = '', name] = flow.split('/');
    const later = turns.take(() => (name === undefined ? { name: flow } : { level, name, share }));
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
  const one = () => ({ name: 'one' });
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
  deepEqual(
    [
      ran.length,
      turns.waitingOf({ name: 'noisy' }),
      turns.waitingOf({ name: 'other' }),
      turns.waitingOf({ name: 'none' }),
    ],
    [2, 1, 1, 0],
  );
  await turn();
  deepEqual([ran.length, turns.waitingOf({ name: 'noisy' })], [4, 0]);
});

test('one of a quiet flow waits for nobody but the one that runs, however many flows there are', async () => {
  const { ask, turn, ran } = start();
  for (let n = 0; n < 50; n++) ask(`noisy${n % 5}`, 10);
  for (let n = 0; n < 12; n++) await turn();
  ask('quiet', 1);
  await turn();
  equal(ran.length, 15);
  equal(ran.indexOf('quiet'), 13);
});

test('a flow whose questions take long has as much time as others, not as many answers', async () => {
  const { ask, turn, ran } = start();
  for (let n = 0; n < 400; n++) {
    ask('short', 1);
    ask('long', 9);
  }
  while (ran.length < 400) await turn();
  const long = ran.filter((flow) => flow === 'long').length;
  equal(long >= 38 && long <= 44, true, `${long} of 400`);
});

test('who comes while others wait goes before who has had its time, and all are served in the end', async () => {
  const { ask, turn, ran, pending } = start();
  for (let n = 0; n < 4; n++) ask('noisy', 10);
  await turn();
  ask('late', 1);
  deepEqual(ran, ['noisy', 'noisy']);
  for (let n = 0; n < 4; n++) await turn();
  deepEqual(ran, ['noisy', 'noisy', 'late', 'noisy', 'noisy']);
  equal(pending(), 0);
});

test('the flows of a level have its part of the time, however many they are', async () => {
  const { ask, turn, ran } = start();
  for (let n = 0; n < 300; n++) ask(`many/${n}`, 1);
  for (let n = 0; n < 30; n++) ask('few/one', 1, 3);
  while (ran.length < 50) await turn();
  const few = ran.slice(10, 50).filter((flow) => flow === 'few/one').length;
  equal(few, 30, 'three of four');
});

test('where one takes a whole turn, few look whether there is time', async () => {
  const { ask, turn, ran, pending } = start();
  for (let n = 0; n < 100; n++) ask('one', 10);
  for (let n = 0; n < 10; n++) await turn();
  deepEqual([ran.length, pending() <= 3], [11, true], `${pending()} are on their way`);
});

test('what is known of flows and levels goes with them', async () => {
  const { ask, turn, turns, ran } = start();
  for (let n = 0; n < 500; n++) ask(`of ${n % 7}/${n}`, 1);
  while (ran.length < 500) await turn();
  await turn();
  equal(turns.levels, 0);
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
  // Who looked found little time in the turns before.
  deepEqual([await runs(), await runs(), await runs(), await runs()], [1, 1, 2, 1]);
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
    turns.take(() => ({ name: 'one' })),
    undefined,
  );
  others(10);
  const order: number[] = [];
  let asked = 0;
  const ask = (): void => {
    const which = asked++;
    const wait = turns.take(() => ({ name: 'one' }));
    notEqual(wait, undefined);
    void wait?.then(() => order.push(which));
  };
  for (let i = 0; i < 100; i++) ask();
  await turn();
  for (let i = 0; i < 100; i++) ask();
  for (let n = 0; n < 4; n++) await turn();
  deepEqual(order, [...Array(200).keys()]);
});
