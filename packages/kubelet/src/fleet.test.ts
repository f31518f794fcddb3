import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { countTimers } from '@binnacle/base/testing';
import { LEASES, NODES, PODS } from '@binnacle/api';
import { createSimulatedRuntime } from '@binnacle/runtime/simulated';
import { startNodeFleet } from './fleet.ts';
import { createTestApi } from './testing/api.ts';
import { pass, testPod } from './testing/node.ts';

test('many nodes on one watch: each runs its own pods', async () => {
  const clock = new VirtualClock();
  const api = createTestApi(clock);
  const scope = new Scope('fleet');
  const timers = countTimers(clock);
  const random = createSeededRandom(1);
  api.fake.seed(PODS, testPod({ name: 'early', spec: { nodeName: 'sim-2' } }));
  const fleet = startNodeFleet({
    count: 5,
    namePrefix: 'sim',
    client: api.client,
    runtime: () => createSimulatedRuntime({ clock: timers, random }),
    clock: timers,
    random,
    log: silentLogger,
    scope,
  });
  await pass(clock, 100);
  await fleet.whenReady();
  assert.equal(api.fake.watchCount, 1);
  assert.equal(api.fake.objects(NODES).length, 5);
  assert.equal(api.fake.objects(LEASES).length, 5);
  for (let i = 0; i < 10; i++)
    api.fake.seed(PODS, testPod({ name: `p${i}`, metadata: { uid: `u${i}` }, spec: { nodeName: `sim-${i % 5}` } }));
  await pass(clock, 500);
  assert.ok(api.fake.objects(PODS).every((p) => p.status?.phase === 'Running'));
  assert.deepEqual(
    fleet.kubelets.map((k) => k.pods().length),
    [2, 2, 3, 2, 2],
  );
  const before = api.fake.objects(LEASES).map((l) => l.spec?.renewTime);
  await pass(clock, 20_000);
  assert.ok(api.fake.objects(LEASES).every((l, i) => l.spec?.renewTime !== before[i]));
  await scope.close();
  await pass(clock, 30_000);
  assert.equal(timers.pending, 0);
});
