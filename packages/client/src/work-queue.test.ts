import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { createWorkQueue } from './work-queue.ts';

test('a key waits once, and is not worked on twice at a time', async () => {
  const queue = createWorkQueue({ name: 't', clock: new VirtualClock() });
  queue.add('a');
  queue.add('b');
  queue.add('a');
  assert.equal(queue.length, 2);
  assert.equal(await queue.next(), 'a');
  queue.add('a');
  assert.equal(await queue.next(), 'b');
  assert.equal(queue.length, 0);
  queue.done('a');
  assert.equal(await queue.next(), 'a');
});

test('a waiting worker gets the key when it comes; shutting down ends all waiting', async () => {
  const queue = createWorkQueue({ name: 't', clock: new VirtualClock() });
  const first = queue.next();
  const second = queue.next();
  queue.add('a');
  assert.equal(await first, 'a');
  queue.shutDown();
  assert.equal(await second, undefined);
  assert.equal(await queue.next(), undefined);
});

test('delays: the earliest counts, one timer serves all', async () => {
  const clock = new VirtualClock();
  const queue = createWorkQueue({ name: 't', clock });
  queue.addAfter('late', 1000);
  queue.addAfter('soon', 10);
  queue.addAfter('late', 500);
  queue.addAfter('late', 2000);
  assert.equal(clock.pending, 1);
  await clock.advance(9);
  assert.equal(queue.length, 0);
  await clock.advance(1);
  assert.equal(await queue.next(), 'soon');
  await clock.advance(490);
  assert.equal(await queue.next(), 'late');
  queue.done('late');
  await clock.advance(5000);
  assert.equal(queue.length, 0);
  assert.equal(clock.pending, 0);
});

test('retries double from 5 ms to 1000 s and start again after forget', async () => {
  const clock = new VirtualClock();
  const queue = createWorkQueue({ name: 't', clock });
  const delays: number[] = [];
  for (let i = 0; i < 20; i++) {
    const from = clock.monotonic();
    queue.addRateLimited('a');
    while (queue.length === 0) await clock.advance(delays.length < 4 ? 1 : 1000);
    delays.push(clock.monotonic() - from);
    queue.done((await queue.next()) ?? '');
  }
  assert.deepEqual(delays.slice(0, 4), [5, 10, 20, 40]);
  assert.equal(delays[19], 1_000_000);
  assert.equal(queue.retries('a'), 20);
  queue.forget('a');
  assert.equal(queue.retries('a'), 0);
});

test('the whole queue retries 100 at once and 10 a second after that', async () => {
  const clock = new VirtualClock();
  const queue = createWorkQueue({ name: 't', clock });
  for (let i = 0; i < 120; i++) queue.addRateLimited(`k${i}`);
  await clock.advance(5);
  assert.equal(queue.length, 100);
  await clock.advance(1000);
  assert.equal(queue.length, 110);
  await clock.advance(1000);
  assert.equal(queue.length, 120);
});

test('a meter hears of each key that comes, is taken, is done and is put off', async () => {
  const clock = new VirtualClock();
  const heard: string[] = [];
  const meter = {
    added: (key: string) => void heard.push(`+${key}`),
    taken: (key: string) => void heard.push(`>${key}`),
    done: (key: string) => void heard.push(`-${key}`),
    retried: () => void heard.push('again'),
    ended: () => void heard.push('end'),
  };
  const queue = createWorkQueue({ name: 't', clock, meter });
  queue.add('a');
  queue.add('a');
  await queue.next();
  queue.add('a');
  queue.done('a');
  await queue.next();
  queue.addRateLimited('b');
  await clock.advance(5);
  queue.shutDown();
  assert.deepEqual(heard, ['+a', '>a', '+a', '-a', '>a', 'again', '+b', 'end']);
});
