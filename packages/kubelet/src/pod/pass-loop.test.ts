import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base/testing';
import { PassLoop } from './pass-loop.ts';

/** A loop whose passes end when told to. */
function loop() {
  const clock = new VirtualClock();
  const passes: PromiseWithResolvers<void>[] = [];
  const failures: unknown[] = [];
  let hold: PromiseWithResolvers<void> | undefined;
  const made = new PassLoop(clock, {
    held: () => hold?.promise,
    pass: () => {
      const pass = Promise.withResolvers<void>();
      passes.push(pass);
      return pass.promise;
    },
    failed: (error) => failures.push(error),
  });
  const end = async (error?: Error): Promise<void> => {
    if (error === undefined) passes.at(-1)?.resolve();
    else passes.at(-1)?.reject(error);
    await clock.advance(0);
  };
  const setHold = (to: PromiseWithResolvers<void> | undefined): void => void (hold = to);
  return { clock, passes, failures, loop: made, end, setHold };
}

test('any number of wakes during a pass make one more', async () => {
  const t = loop();
  t.loop.wake();
  t.loop.wake();
  t.loop.again();
  await t.end();
  assert.equal(t.passes.length, 2, 'those before the first pass had begun are in it');
  t.loop.wake();
  t.loop.wake();
  await t.end();
  assert.equal(t.passes.length, 3);
  await t.end();
  assert.equal(t.passes.length, 3, 'nobody woke it');
});

test('one more pass is asked for by the pass itself, and starts nothing alone', async () => {
  const t = loop();
  t.loop.again();
  await t.clock.advance(0);
  assert.equal(t.passes.length, 0);
  t.loop.wake();
  t.loop.again();
  await t.end();
  assert.equal(t.passes.length, 2);
});

test('of several times the earliest counts; after it a later one may be asked for', async () => {
  const t = loop();
  t.loop.wakeIn(500);
  t.loop.wakeIn(100);
  t.loop.wakeIn(300);
  await t.clock.advance(100);
  assert.equal(t.passes.length, 1);
  await t.end();
  await t.clock.advance(1_000);
  assert.equal(t.passes.length, 1, 'the others were let go');
  t.loop.wakeIn(50);
  await t.clock.advance(50);
  assert.equal(t.passes.length, 2);
});

test('while it is held no pass begins, and wakes make one', async () => {
  const t = loop();
  const hold = Promise.withResolvers<void>();
  t.setHold(hold);
  t.loop.wake();
  t.loop.wake();
  await t.clock.advance(0);
  assert.equal(t.passes.length, 0);
  t.setHold(undefined);
  hold.resolve();
  await t.clock.advance(0);
  assert.equal(t.passes.length, 1);
});

test('a pass that fails is told, and the next wake runs again', async () => {
  const t = loop();
  t.loop.wake();
  const failure = new RangeError('no');
  await t.end(failure);
  assert.deepEqual(t.failures, [failure]);
  t.loop.wake();
  assert.equal(t.passes.length, 2);
});

test('closed: no pass begins, held or timed or woken, and a failure is nobody’s', async () => {
  const t = loop();
  t.loop.wake();
  t.loop.wakeIn(100);
  t.loop.close();
  t.loop.wake();
  t.loop.wakeIn(50);
  await t.end(new RangeError('no'));
  await t.clock.advance(1_000);
  assert.deepEqual([t.passes.length, t.failures, t.clock.pending], [1, [], 0]);

  const held = loop();
  const hold = Promise.withResolvers<void>();
  held.setHold(hold);
  held.loop.wake();
  held.loop.close();
  hold.resolve();
  await held.clock.advance(0);
  assert.equal(held.passes.length, 0);
});
