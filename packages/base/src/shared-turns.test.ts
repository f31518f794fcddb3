import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { SharedTurns } from './shared-turns.ts';

/** Time and turns by hand. */
function setUp() {
  let ms = 0;
  let soon: (() => void)[] = [];
  const clock = {
    monotonic: () => ms,
    soon(run: () => void) {
      soon.push(run);
      return { cancel: () => undefined };
    },
  };
  const turn = async (): Promise<void> => {
    const due = soon;
    soon = [];
    for (const run of due) run();
    await Promise.resolve();
  };
  return { turns: new SharedTurns(clock), turn, pass: (by: number) => (ms += by), asked: () => soon.length };
}

test('nobody waits in a turn that is short', async () => {
  const { turns, turn, pass, asked } = setUp();
  for (let i = 0; i < 1000; i++) equal(turns.take(), undefined);
  pass(9);
  equal(turns.take(), undefined);
  equal(asked(), 1);
  await turn();
  pass(1000);
  equal(turns.take(), undefined);
});

test('once a turn is long all go on in later ones, as they came, and what waits for nobody asks for no more turns', async () => {
  const { turns, turn, pass, asked } = setUp();
  equal(turns.take(), undefined);
  pass(10);
  const order: number[] = [];
  for (let i = 0; i < 40; i++) {
    const wait = turns.take();
    notEqual(wait, undefined);
    void wait?.then(() => order.push(i));
  }
  for (const seen of [16, 32, 40]) {
    await turn();
    equal(order.length, seen);
    // Who comes while others wait is behind them.
    if (seen < 40) notEqual(turns.take(), undefined);
  }
  deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
  await turn();
  await turn();
  equal(asked(), 0);
  equal(turns.take(), undefined);
});
