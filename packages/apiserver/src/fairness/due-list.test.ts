import { createSeededRandom, randomBelow, VirtualClock } from '@binnacle/base';
import assert from 'node:assert/strict';
import test from 'node:test';
import { DueList } from './due-list.ts';

test('what is due runs in the order of its time, with one timer', async () => {
  const clock = new VirtualClock();
  const list = new DueList(clock);
  const random = createSeededRandom(3);
  const ran: number[] = [];
  const delays = Array.from({ length: 200 }, () => randomBelow(random, 1000));
  for (const delay of delays) list.after(delay, () => void ran.push(delay));
  assert.ok(clock.pending <= 1);
  await clock.advance(1000);
  assert.deepEqual(
    ran,
    delays.toSorted((a, b) => a - b),
  );
  assert.deepEqual([list.size, clock.pending], [0, 0]);
});

test('what was called off does not run, and leaves nothing behind', async () => {
  const clock = new VirtualClock();
  const list = new DueList(clock);
  const offs = Array.from({ length: 50 }, () => list.after(10, () => assert.fail('called off')));
  for (const off of offs) off();
  assert.deepEqual([list.size, clock.pending], [0, 0]);
  await clock.advance(20);
});

test('what runs may add more, and stop ends all', async () => {
  const clock = new VirtualClock();
  const list = new DueList(clock);
  const ran: string[] = [];
  list.after(5, () => {
    ran.push('first');
    list.after(0, () => void ran.push('at once'));
    list.after(5, () => void ran.push('later'));
    list.after(50, () => assert.fail('stopped'));
  });
  await clock.advance(10);
  assert.deepEqual(ran, ['first', 'at once', 'later']);
  list.stop();
  assert.equal(clock.pending, 0);
  await clock.advance(100);
});
