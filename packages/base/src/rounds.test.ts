import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { startRounds } from './rounds.ts';
import { VirtualClock } from './testing/virtual-clock.ts';

test('rounds come so long after the end of the last, and a failed one is told and followed', async () => {
  const clock = new VirtualClock();
  const told: unknown[] = [];
  const begun: number[] = [];
  const start = clock.monotonic();
  const rounds = startRounds({
    clock,
    everyMs: () => 10 * begun.length,
    failed: (error) => told.push(error),
    run: () => {
      begun.push(clock.monotonic() - start);
      return begun.length === 2 ? Promise.reject(new RangeError('two')) : Promise.resolve();
    },
  });
  await rounds.first;
  await clock.advance(100);
  await rounds.stop();
  deepEqual(begun, [0, 10, 30, 60, 100]);
  deepEqual(told.map(String), ['RangeError: two']);
});

test('stop waits for the round that runs; none comes after it', async () => {
  const clock = new VirtualClock();
  const gate = Promise.withResolvers<void>();
  let rounds = 0;
  const running = startRounds({
    clock,
    everyMs: 1,
    failed: () => undefined,
    run: async () => {
      await gate.promise;
      rounds++;
    },
  });
  const stopped = running.stop().then(() => rounds);
  gate.resolve();
  equal(await stopped, 1);
  await clock.advance(10);
  equal(rounds, 1);
});

test('a first round that was to come later does not keep who waits for it once stopped', async () => {
  const clock = new VirtualClock();
  let rounds = 0;
  const running = startRounds({
    clock,
    everyMs: 5,
    firstMs: 5,
    failed: () => undefined,
    run: async () => void rounds++,
  });
  await running.stop();
  await running.first;
  equal(rounds, 0);
});
