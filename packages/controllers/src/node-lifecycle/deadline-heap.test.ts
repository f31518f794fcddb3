import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import { DeadlineHeap } from './deadline-heap.ts';

function dueAt(heap: DeadlineHeap, now: number): string[] {
  const due: string[] = [];
  for (let name = heap.takeDue(now); name !== undefined; name = heap.takeDue(now)) due.push(name);
  return due;
}

test('put off, brought forward, cancelled: each name comes once, at its last deadline', () => {
  const heap = new DeadlineHeap();
  for (const name of ['late', 'soon', 'never', 'still']) heap.schedule(name, 100);
  heap.schedule('late', 200);
  heap.schedule('soon', 50);
  heap.cancel('never');
  assert.deepEqual(dueAt(heap, 49), []);
  assert.deepEqual(dueAt(heap, 50), ['soon']);
  assert.deepEqual(dueAt(heap, 199), ['still']);
  assert.deepEqual(dueAt(heap, 300), ['late']);
  assert.deepEqual(dueAt(heap, 9999), []);
});

test('the same as a plain table, whatever is done', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const random = createSeededRandom(seed);
    const heap = new DeadlineHeap();
    const model = new Map<string, number>();
    for (let now = 0; now < 300; now++) {
      const name = `n${randomBelow(random, 12)}`;
      if (randomBelow(random, 4) === 0) {
        heap.cancel(name);
        model.delete(name);
      } else {
        const at = now + randomBelow(random, 40);
        heap.schedule(name, at);
        model.set(name, at);
      }
      const expected = [...model].filter(([, at]) => at <= now).map(([due]) => due);
      for (const due of expected) model.delete(due);
      assert.deepEqual(dueAt(heap, now).toSorted(), expected.toSorted(), `seed ${seed}, at ${now}`);
    }
  }
});
