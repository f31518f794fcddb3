import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { assert as hold, createLogger, createSeededRandom, Scope, sleep, VirtualClock } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import { runController, triggerOf } from './run-controller.ts';
import type { SyncContext } from './run-controller.ts';

const ADDED = { what: 'ADDED' };

function setUp(sync: (key: string, context: SyncContext, clock: VirtualClock) => Promise<void>, workers = 2) {
  const clock = new VirtualClock();
  const scope = new Scope('test');
  const lines: string[] = [];
  const log = createLogger({ component: 'test', verbosity: 0, clock, write: (line) => lines.push(line) });
  const world = { clock, random: createSeededRandom(1), log };
  const synced = Promise.withResolvers<void>();
  const controller = runController({
    name: 'c',
    world,
    scope,
    workers,
    caches: [{ whenSynced: () => synced.promise }],
    sync: (key, context) => sync(key, context, clock),
  });
  return { clock, scope, controller, synced, lines };
}

test('waits for its caches, then syncs each key, never one key twice at a time', async () => {
  const log: string[] = [];
  const { clock, scope, controller, synced } = setUp(async (key, _context, time) => {
    log.push(`+${key}`);
    await sleep(time, 10);
    log.push(`-${key}`);
  });
  controller.enqueue('a', ADDED);
  await clock.advance(100);
  assert.deepEqual(log, []);
  synced.resolve();
  await clock.advance(0);
  controller.enqueue('a', ADDED);
  controller.enqueue('b', ADDED);
  await clock.advance(100);
  assert.deepEqual(log, ['+a', '+b', '-a', '+a', '-b', '-a']);
  await scope.close();
});

test('a failure is retried, and can be looked at meanwhile', async () => {
  let left = 3;
  const { clock, scope, controller, synced } = setUp(() =>
    left-- > 0 ? Promise.reject(new TypeError('not yet')) : Promise.resolve(),
  );
  synced.resolve();
  controller.enqueue('a', ADDED);
  await clock.advance(6);
  assert.deepEqual(controller.inspect().failing, [{ key: 'a', error: 'not yet', retries: 2 }]);
  await clock.advance(1000);
  const { failing, syncs, waiting, running } = controller.inspect();
  assert.deepEqual({ failing, syncs, waiting, running }, { failing: [], syncs: 4, waiting: 0, running: [] });
  await scope.close();
});

test('the cause of a sync names the event that made it due; a key can ask to be synced again', async () => {
  const causes: string[] = [];
  const { clock, scope, controller, synced } = setUp((_key, context) => {
    causes.push(`${context.cause.component} ${context.cause.request} ${context.cause.revision}`);
    if (causes.length === 1) context.requeueAfter(5000);
    return Promise.resolve();
  });
  synced.resolve();
  controller.enqueue('ns/a', { what: 'ADDED Pod ns/a', revision: '7' });
  await clock.advance(4999);
  assert.deepEqual(causes, ['c ADDED Pod ns/a 7']);
  await clock.advance(1);
  assert.deepEqual(causes[1], 'c retry of ns/a undefined');
  await scope.close();
});

test('a retry has the cause of what failed, also where something newer was synced in between', async () => {
  const causes: string[] = [];
  const { clock, scope, controller, synced } = setUp((_key, context) => {
    causes.push(`${context.cause.request} ${context.cause.revision}`);
    return causes.length === 1 ? Promise.reject(new TypeError('not yet')) : Promise.resolve();
  });
  synced.resolve();
  controller.enqueue('a', { what: 'ADDED a', revision: '1' });
  await clock.advance(0);
  controller.enqueue('a', { what: 'MODIFIED a', revision: '2' });
  await clock.advance(100);
  assert.deepEqual(causes, ['ADDED a 1', 'MODIFIED a 2', 'retry: ADDED a 1']);
  await scope.close();
});

test('what comes later has its own cause, though the key is synced in between; what is newer than both comes first', async () => {
  const causes: string[] = [];
  const { clock, scope, controller, synced } = setUp((_key, context) => {
    causes.push(context.cause.request);
    return Promise.resolve();
  });
  synced.resolve();
  controller.enqueueAfter('a', 100, { what: 'pod' });
  controller.enqueue('a', { what: 'set' });
  await clock.advance(200);
  assert.deepEqual(causes, ['set', 'pod']);
  controller.enqueueAfter('a', 100, { what: 'earlier' });
  controller.enqueueAfter('a', 50, { what: 'sooner' });
  await clock.advance(200);
  assert.deepEqual(causes.slice(2), ['sooner']);
  await scope.close();
});

test('a failing sync is told at error level with its key, and counted; a conflict is not worth a line', async () => {
  const fate: { [key: string]: Error } = {
    'ns/a': new TypeError('no way'),
    'ns/b': status.conflict({ group: '', resource: 'pods' }, 'b', 'modified'),
  };
  const { clock, scope, controller, synced, lines } = setUp((key) => {
    const error = fate[key];
    delete fate[key];
    return error === undefined ? Promise.resolve() : Promise.reject(error);
  });
  synced.resolve();
  controller.enqueue('ns/a', ADDED);
  controller.enqueue('ns/b', ADDED);
  await clock.advance(1000);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /^E.*"sync failed" err="no way" controller="c" key="ns\/a" retries=0/);
  assert.equal(controller.inspect().failures, 2);
  await scope.close();
});

test('an assertion stops the controller, loudly and for everybody to see', async () => {
  const { clock, scope, controller, synced, lines } = setUp((key) => {
    hold(key !== 'ns/a', 'one and one are three', { sum: 3 });
    return Promise.resolve();
  });
  synced.resolve();
  controller.enqueue('ns/a', ADDED);
  await clock.advance(1000);
  controller.enqueue('ns/b', ADDED);
  await clock.advance(100_000);
  const { broken, syncs, failures, waiting } = controller.inspect();
  assert.deepEqual({ syncs, failures, waiting }, { syncs: 1, failures: 1, waiting: 0 });
  assert.equal(broken, 'ns/a: one and one are three');
  assert.match(lines.at(-1) ?? '', /^E.*"controller stopped".*key="ns\/a" sum=3/);
  await scope.close();
});

for (const [name, object, trigger] of [
  [
    'an object',
    { kind: 'Pod', metadata: { namespace: 'n', name: 'p', resourceVersion: '7' } },
    { what: 'ADDED Pod n/p', revision: '7' },
  ],
  [
    'an object of a list, which does not say what it is',
    { metadata: { namespace: 'n', name: 'p' } },
    { what: 'ADDED object n/p' },
  ],
  [
    'an object in no namespace',
    { kind: 'Node', metadata: { name: 'n1', resourceVersion: '0' } },
    { what: 'ADDED Node n1', revision: '0' },
  ],
  ['an object without a name', { kind: 'Pod', metadata: {} }, { what: 'ADDED Pod ' }],
] as const) {
  test(`the trigger that is ${name}`, () => assert.deepEqual(triggerOf('ADDED', object), trigger));
}
