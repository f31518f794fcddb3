import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Timer } from './clock.ts';
import { TurnBudget } from './turn-budget.ts';

/** Turns that come when they are called. */
function turns() {
  const due: (() => void)[] = [];
  const soon = (run: () => void): Timer => {
    due.push(run);
    return { cancel: () => undefined };
  };
  const next = async (): Promise<void> => {
    for (const run of due.splice(0)) run();
    // What was let go on does so in microtasks.
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { soon, next, due };
}

test('senders share a turn, and go on in the order in which they asked', async () => {
  const { soon, next } = turns();
  const budget = new TurnBudget({ soon }, 3);
  const done: string[] = [];
  const work = async (name: string): Promise<void> => {
    for (let at = 0; at < 4; at++) {
      const wait = budget.take();
      if (wait !== undefined) await wait;
      done.push(name);
    }
  };
  const all = Promise.all([work('a'), work('b')]);
  assert.equal(done.join(''), 'aaa');
  await next();
  assert.equal(done.join('').slice(3), 'abb', 'those that waited come first, and count for the turn');
  for (let turn = 0; turn < 8 && done.length < 8; turn++) await next();
  await all;
  assert.equal(done.filter((name) => name === 'b').length, 4);
});

test('a turn in which nobody asks costs nothing', async () => {
  const { soon, next, due } = turns();
  const budget = new TurnBudget({ soon }, 2);
  assert.equal(budget.take(), undefined);
  await next();
  assert.equal(due.length, 0);
  assert.equal(budget.take(), undefined);
  assert.equal(budget.take(), undefined);
  assert.notEqual(budget.take(), undefined);
});
