import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { RuleKeeper } from './rule-keeper.ts';

/** A machine that takes a while, and fails when told to. */
function start() {
  const clock = new VirtualClock();
  const scope = new Scope('keeper', { log: silentLogger });
  const seen: string[] = [];
  const machine = { wanted: 0, has: 0, failing: 0 };
  const take = async (what: string): Promise<void> => {
    const { wanted } = machine;
    seen.push(`${what} ${wanted}`);
    await new Promise<void>((resolve) => clock.after(50, resolve));
    if (machine.failing-- > 0) throw new TypeError('the kernel said no');
    machine.has = wanted;
  };
  const keeper = new RuleKeeper({
    world: { clock, random: createSeededRandom(1), log: silentLogger },
    minSyncMs: 100,
    replace: () => take('replace'),
    change: async () => {
      if (machine.wanted === machine.has) return 'untouched';
      return take('change');
    },
    complaint: 'not taken',
  });
  scope.run('keeper', (signal) => keeper.run(signal));
  return { clock, keeper, machine, seen, stop: () => scope.close() };
}

test('who waits has what came before they asked, also when the machine is at it or fails', async () => {
  const { clock, keeper, machine, stop } = start();
  const { signal } = new AbortController();
  const hasAt: number[] = [];
  const ask = (): void => {
    machine.wanted++;
    keeper.wake();
    void keeper.settled(signal).then(() => hasAt.push(machine.has));
  };
  ask();
  await clock.advance(20);
  // The machine is asked already, with what was wanted before.
  ask();
  machine.failing = 1;
  ask();
  await clock.advance(5000);
  assert.equal(machine.has, 3);
  assert.deepEqual(hasAt, [3, 3, 3]);
  const settled = keeper.settled(signal);
  await settled;
  await stop();
});

test('nothing to wait for where nothing came', async () => {
  const { clock, keeper, seen, stop } = start();
  await clock.advance(1000);
  await keeper.settled(new AbortController().signal);
  assert.deepEqual(seen, ['replace 0']);
  await stop();
});

test('what asks nothing of the machine is not waited for', async () => {
  const { clock, keeper, machine, seen, stop } = start();
  await clock.advance(1000);
  keeper.wake();
  await clock.advance(10);
  machine.wanted++;
  keeper.wake();
  await clock.advance(51);
  assert.deepEqual(seen, ['replace 0', 'change 1']);
  assert.equal(machine.has, 1);
  await stop();
});

test('who gives up hears so', async () => {
  const { clock, keeper, machine, stop } = start();
  machine.failing = 100;
  const gone = new AbortController();
  const settled = keeper.settled(gone.signal);
  await clock.advance(500);
  gone.abort(new RangeError('enough'));
  await assert.rejects(settled, RangeError);
  await stop();
});

test('a machine that refuses is asked again after a second, then after twice as long, half a minute at the most', async () => {
  const { clock, machine, seen, stop } = start();
  machine.failing = 8;
  const began = clock.monotonic();
  assert.equal(seen.length, 1);
  const askedAt = [0];
  while (machine.failing >= 0) {
    const asked = seen.length;
    await clock.advance(50);
    if (seen.length > asked) askedAt.push(clock.monotonic() - began);
  }
  const pauses = askedAt.map((at, i) => Math.round((at - (askedAt[i - 1] ?? at)) / 1000));
  assert.deepEqual(pauses.slice(1), [1, 2, 4, 8, 16, 30, 30, 30]);
  await stop();
});

test('tells since when the machine lacks what came, over refusals too', async () => {
  const { clock, keeper, machine, stop } = start();
  const { report } = keeper;
  assert.equal(report.pendingSince, clock.now(), 'it is being asked');
  await clock.advance(1000);
  assert.equal(keeper.report.pendingSince, undefined);
  machine.wanted++;
  machine.failing = 2;
  const came = clock.now();
  keeper.wake();
  for (const ms of [10, 500, 2000]) {
    await clock.advance(ms);
    // What came later is no younger.
    keeper.wake();
    assert.equal(keeper.report.pendingSince, came);
  }
  await clock.advance(10_000);
  assert.equal(keeper.report.pendingSince, undefined);
  await stop();
});
