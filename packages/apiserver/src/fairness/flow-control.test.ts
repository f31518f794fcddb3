import { VirtualClock } from '@binnacle/base';
import assert from 'node:assert/strict';
import test from 'node:test';
import type { RequestInfo } from '../request/info.ts';
import { NoSeatError } from './errors.ts';
import { FlowControl } from './flow-control.ts';
import type { Release, SeatRequest, TurnRequest } from './flow-control.ts';
import { plainWork } from './work-estimate.ts';

const USER = { name: 'jane', groups: ['system:authenticated'] };
const INFO = { isResource: false, verb: 'get', path: '/version' } as RequestInfo;

/** One level, `own`, for everybody, with one queue and two seats that nobody lends or borrows. */
function start(clock = new VirtualClock()) {
  const control = new FlowControl({ clock, seats: 2 });
  const queuing = { queues: 1, handSize: 1, queueLengthLimit: 3 };
  const rule = { verbs: ['*'], nonResourceURLs: ['*'] };
  const subjects = [{ kind: 'Group', group: { name: '*' } }];
  control.configure(
    [
      {
        metadata: { name: 'own' },
        spec: {
          type: 'Limited',
          limited: {
            nominalConcurrencyShares: 1000,
            borrowingLimitPercent: 0,
            limitResponse: { type: 'Queue', queuing },
          },
        },
      },
    ],
    [
      {
        metadata: { name: 'own' },
        spec: {
          priorityLevelConfiguration: { name: 'own' },
          matchingPrecedence: 2,
          rules: [{ subjects, nonResourceRules: [rule] }],
        },
      },
    ],
  );
  const enter = (more: Partial<SeatRequest> = {}): Release | Promise<Release> => {
    const flow = control.classify(USER, INFO);
    return control.enter({
      flow,
      user: USER,
      info: INFO,
      work: plainWork(),
      watchers: undefined,
      waitMs: 15_000,
      whenGone: () => () => undefined,
      ...more,
    });
  };
  return { clock, control, enter };
}

test('who waits is let in when a seat is free, and a seat is given back once', async () => {
  const { control, enter } = start();
  const first = enter();
  const second = enter();
  assert.ok(!(first instanceof Promise) && !(second instanceof Promise));
  const third = enter();
  assert.ok(third instanceof Promise);
  assert.equal(control.executing.reading, 2);
  first();
  first();
  const release = await third;
  assert.equal(control.executing.reading, 2);
  release();
  second();
  assert.equal(control.executing.reading, 0);
});

test('a full queue, a long wait and a caller that goes away are refused, each with its reason', async () => {
  const { clock, control, enter } = start();
  for (const release of [enter(), enter()]) assert.ok(!(release instanceof Promise));
  let leave = (): void => undefined;
  let forgotten = 0;
  const whenGone = (run: () => void): (() => void) => {
    leave = run;
    return () => void forgotten++;
  };
  const [slow, gone] = [enter(), enter({ whenGone })];
  const third = enter();
  assert.throws(
    () => enter(),
    (error) => error instanceof NoSeatError && error.facts['reason'] === 'queue-full',
  );
  leave();
  await assert.rejects(Promise.resolve(gone), { facts: { reason: 'cancelled' } });
  assert.equal(forgotten, 1);
  await Promise.all([
    assert.rejects(Promise.resolve(slow), { facts: { reason: 'time-out' } }),
    assert.rejects(Promise.resolve(third), { facts: { reason: 'time-out' } }),
    clock.advance(15_000),
  ]);
  const [stats] = control.levels.all.get('own')?.stats.values() ?? [];
  assert.deepEqual([stats?.waiting, stats?.waitingSeats, stats?.executing], [0, 0, 2]);
  assert.deepEqual([...(stats?.refused ?? [])].sort(), [
    ['cancelled', 1],
    ['queue-full', 1],
    ['time-out', 2],
  ]);
});

test('seats linger for what a write sets going', async () => {
  const { clock, control, enter } = start();
  const work = { initialSeats: 1, finalSeats: 2, lingerSeconds: 0.005 };
  const release = enter({ work, watchers: 20 });
  assert.ok(!(release instanceof Promise));
  release();
  const next = enter();
  assert.ok(next instanceof Promise, 'not yet');
  await clock.advance(5);
  (await next)();
  const [stats] = control.levels.all.get('own')?.stats.values() ?? [];
  assert.equal(stats?.executingSeats, 0);
});

test('where nobody waits, seats that linger are freed by whoever looks, and wake nobody', async () => {
  const { clock, control, enter } = start();
  const before = clock.pending;
  const seats = (): number | undefined => control.levels.all.get('own')?.queues.seatsInUse;
  const work = { initialSeats: 1, finalSeats: 2, lingerSeconds: 0.005 };
  for (let write = 0; write < 3; write++) {
    const release = enter({ work, watchers: 20 });
    assert.ok(!(release instanceof Promise), 'the seats of the write before are free');
    release();
    assert.deepEqual([seats(), clock.pending], [2, before]);
    await clock.advance(4);
    assert.equal(seats(), 2);
    await clock.advance(1);
  }
  assert.equal(seats(), 0);
});

/** A turn of the event loop that has lasted too long already: whoever asks now waits. */
function startLate() {
  let ms = 0;
  let due: (() => void)[] = [];
  const soon = (run: () => void) => {
    due.push(run);
    return { cancel: () => undefined };
  };
  const { control } = start(Object.assign(new VirtualClock(), { soon, monotonic: () => ms }));
  const request = { flow: control.classify(USER, INFO), user: USER, info: INFO, waitMs: 15_000 };
  const turn = (more: Partial<TurnRequest> = {}) =>
    control.turnOf({ ...request, whenGone: () => () => undefined, ...more });
  assert.equal(turn(), undefined);
  ms += 10;
  return {
    turn,
    pass: (by: number) => void (ms += by),
    /** Begins another turn. */
    next: () => {
      const now = due;
      due = [];
      for (const run of now) run();
    },
  };
}

test('no more wait for a turn than have room in queues, and room comes back', async () => {
  const { turn, pass, next } = startLate();
  const waiting = [turn(), turn(), turn()];
  await assert.rejects(Promise.resolve(turn()), { facts: { reason: 'queue-full' } });
  next();
  for (const one of waiting) await one;
  next();
  assert.equal(turn(), undefined);
  pass(10);
  assert.ok(turn() instanceof Promise);
});

test('who waited too long for a turn, or has gone meanwhile, is not served', async () => {
  const { turn, pass, next } = startLate();
  let leave = (): void => undefined;
  let forgotten = 0;
  const whenGone = (run: () => void): (() => void) => {
    leave = run;
    return () => void forgotten++;
  };
  const [slow, gone] = [turn({ waitMs: 5 }), turn({ whenGone })];
  leave();
  pass(6);
  next();
  await Promise.all([
    assert.rejects(Promise.resolve(slow), { facts: { reason: 'time-out' } }),
    assert.rejects(Promise.resolve(gone), { facts: { reason: 'cancelled' } }),
  ]);
  assert.equal(forgotten, 1);
});

test('nothing is left behind', () => {
  const { clock, control } = start();
  control.stop();
  assert.equal(clock.pending, 0);
});

test('requests of one schema are of the same flow, until the objects change', () => {
  const { control } = start();
  const flow = control.classify(USER, INFO);
  assert.equal(control.classify(USER, INFO), flow);
  assert.deepEqual([flow.schema.name, flow.level.settings.name], ['own', 'own']);
  const level = { metadata: { name: 'catch-all', uid: 'anew' }, spec: { type: 'Limited' as const, limited: {} } };
  control.configure([level], []);
  const next = control.classify(USER, INFO);
  assert.deepEqual([next.schema.name, next.levelUid], ['catch-all', 'anew']);
  assert.equal(control.has(flow), false, 'its level is gone');
});
