import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from '../clock.ts';
import { VirtualClock } from './virtual-clock.ts';

test('due calls run in the order of their time, then of their making', async () => {
  const clock = new VirtualClock();
  const ran: string[] = [];
  clock.after(20, () => ran.push('c'));
  clock.after(10, () => ran.push('a'));
  clock.after(10, () => ran.push('b'));
  clock.after(30, () => ran.push('late'));
  await clock.advance(20);
  assert.deepEqual(ran, ['a', 'b', 'c']);
  assert.equal(clock.pending, 1);
});

test('a call made by a due call runs in the same advance when it falls due', async () => {
  const clock = new VirtualClock();
  const at: number[] = [];
  clock.after(5, () => {
    at.push(clock.monotonic());
    clock.after(5, () => at.push(clock.monotonic()));
  });
  await clock.advance(10);
  assert.deepEqual(at, [5, 10]);
});

test('a cancelled call does not run', async () => {
  const clock = new VirtualClock();
  let ran = false;
  clock.after(1, () => (ran = true)).cancel();
  await clock.advance(10);
  assert.equal(ran, false);
});

test('sleep rejects with the reason of the abort and leaves no timer', async () => {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const sleeping = sleep(clock, 1000, stop.signal);
  stop.abort(new RangeError('enough'));
  await assert.rejects(sleeping, RangeError);
  assert.equal(clock.pending, 0);
});

test('between two calls every promise that can settle has, however long its chain', async () => {
  const clock = new VirtualClock();
  const ran: string[] = [];
  const long = async (): Promise<void> => {
    for (let i = 0; i < 5000; i++) await Promise.resolve();
    ran.push('chain');
  };
  clock.after(1, () => void long());
  clock.after(1, () => ran.push('next'));
  await clock.advance(1);
  assert.deepEqual(ran, ['chain', 'next']);
});
