import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ComponentHealth } from './component-health.ts';

test('nothing is said before there is something to say', () => {
  assert.deepEqual(new ComponentHealth().checks(), []);
  for (const one of new ComponentHealth().components()) assert.throws(() => one.check(), /has not started yet/);
});

test('a controller that stands still is told with its reason', async () => {
  const health = new ComponentHealth();
  let broken: { name: string; reason: string }[] = [];
  health.watch({ broken: () => broken });
  const [check] = health.checks();
  assert.equal(check?.name, 'controllers');
  await check?.check();
  broken = [{ name: 'deployment', reason: 'default/web: a count below zero' }];
  assert.throws(() => health.components()[0]?.check(), /deployment stands still/);
  assert.equal(health.components()[1]?.check(), undefined);
  assert.throws(() => check?.check(), /deployment stands still: default\/web: a count below zero/);
});
