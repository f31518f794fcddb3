import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { coalesced, SerialQueue } from './serial-queue.ts';

void test('one acts after the other, whatever became of the first', async () => {
  const queue = new SerialQueue();
  const said: string[] = [];
  const first = Promise.withResolvers<void>();
  const failing = queue.run(async () => {
    said.push('begun');
    await first.promise;
    throw new Error('broken');
  });
  const second = queue.run(() => Promise.resolve(said.push('second')));
  await Promise.resolve();
  deepEqual(said, ['begun']);
  first.resolve();
  await rejects(failing, /broken/);
  equal(await second, 2);
});

void test('all are over when it has settled, the failed ones too', async () => {
  const queue = new SerialQueue();
  let ended = 0;
  const failing = queue.run(() => Promise.reject(new Error(`${++ended}`)));
  failing.catch(() => undefined);
  void queue.run(() => Promise.resolve(++ended));
  await queue.settled();
  equal(ended, 2);
});

void test('who asks while it runs is served by one more run', async () => {
  const open: (() => void)[] = [];
  const look = coalesced(() => new Promise((resolve) => open.push(resolve)));
  const first = look();
  await Promise.resolve();
  equal(open.length, 1);
  const [second, third] = [look(), look()];
  equal(second, third);
  open[0]?.();
  await first;
  await new Promise((resolve) => setImmediate(resolve));
  equal(open.length, 2);
  open[1]?.();
  await second;
  equal(open.length, 2);
});

void test('who asks after a failed run has another', async () => {
  let runs = 0;
  const look = coalesced(() => (++runs === 1 ? Promise.reject(new Error('broken')) : Promise.resolve()));
  await rejects(look(), /broken/);
  await look();
  equal(runs, 2);
});
