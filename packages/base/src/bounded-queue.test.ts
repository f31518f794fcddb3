import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedQueue, QueueFullError } from './bounded-queue.ts';

test('keeps order across growth and wrap-around', () => {
  const queue = new BoundedQueue<number>('q', 1000);
  const out: (number | undefined)[] = [];
  for (let i = 0; i < 10; i++) queue.push(i);
  for (let i = 0; i < 5; i++) out.push(queue.shift());
  for (let i = 10; i < 100; i++) queue.push(i);
  while (queue.length > 0) out.push(queue.shift());
  assert.deepEqual(
    out,
    Array.from({ length: 100 }, (_, i) => i),
  );
  assert.equal(queue.shift(), undefined);
});

test('refuses what is over its bound', () => {
  const queue = new BoundedQueue<number>('q', 2);
  queue.push(1);
  queue.push(2);
  assert.equal(queue.offer(3), false);
  assert.throws(() => queue.push(3), QueueFullError);
});
