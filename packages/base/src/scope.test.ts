import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AbortedError } from './error.ts';
import { Scope } from './scope.ts';

test('closing aborts, waits for tasks, then cleans up in reverse order', async () => {
  const scope = new Scope('root');
  const order: string[] = [];
  scope.defer(() => void order.push('first registered'));
  scope.defer(() => void order.push('second registered'));
  scope.run('task', async (signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    order.push('task ended');
  });
  await scope.close();
  assert.deepEqual(order, ['task ended', 'second registered', 'first registered']);
});

test('children close before the parent', async () => {
  const parent = new Scope('parent');
  const order: string[] = [];
  parent.child('child').defer(() => void order.push('child'));
  parent.defer(() => void order.push('parent'));
  await parent.close();
  assert.deepEqual(order, ['child', 'parent']);
});

test('a failing task is logged and does not stop the others', async () => {
  const failures: unknown[] = [];
  const log = {
    enabled: () => false,
    info() {},
    warn() {},
    error: (e: unknown) => void failures.push(e),
    named: () => log,
  };
  const scope = new Scope('root', { log });
  scope.run('bad', () => Promise.reject(new RangeError('no')));
  await scope.close();
  assert.equal(failures.length, 1);
});

test('what is begun below a scope that is closed ends at once', async () => {
  const scope = new Scope('root');
  await scope.close();
  const late = scope.child('late');
  let seen: boolean | undefined;
  late.run('task', (signal) => Promise.resolve(void (seen = signal.aborted)));
  assert.deepEqual([late.closing, seen], [true, true]);
  assert.equal(late.signal.reason instanceof AbortedError, true);
});

test('a clean-up registered after the close runs at once', async () => {
  const scope = new Scope('root');
  await scope.close();
  let ran = false;
  scope.defer(() => void (ran = true));
  assert.equal(ran, true);
});
