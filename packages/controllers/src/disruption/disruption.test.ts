import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { formatTime } from '@binnacle/base';
import { EVENTS, POD_DISRUPTION_BUDGETS, PODS, REPLICA_SETS } from '@binnacle/api';
import type { Wire } from '@binnacle/machinery';
import { deafTo } from '../test-deaf.ts';
import { startFakeNode } from '../test-node.ts';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

const WHICH = ['replicaset-controller', 'disruption-controller'];
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'x' }] } };

async function setUp(maxUnavailable: number | string, world = createTestWorld()): Promise<TestWorld> {
  startFakeNode(world);
  const selector = { matchLabels: { app: 'web' } };
  await world.client
    .resource(REPLICA_SETS, 'default')
    .create({ metadata: { name: 'web' }, spec: { replicas: 4, selector, template } });
  await world.client
    .resource(POD_DISRUPTION_BUDGETS, 'default')
    .create({ metadata: { name: 'web' }, spec: { maxUnavailable, selector } });
  return world;
}

const budget = (world: TestWorld) => world.api.objects(POD_DISRUPTION_BUDGETS)[0];
const counts = (world: TestWorld): readonly unknown[] => {
  const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } = budget(world)?.status ?? {};
  return [disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods];
};

test('follows pods and the scale of their controllers, and is silent when nothing changes', async () => {
  const world = await setUp('25%');
  const process = world.start(WHICH);
  await world.run(10_000);
  assert.deepEqual(counts(world), [1, 4, 3, 4]);
  await world.client.resource(REPLICA_SETS, 'default').patch('web', 'merge', { spec: { replicas: 8 } });
  await world.run(10_000);
  assert.deepEqual(counts(world), [2, 8, 6, 8]);
  const before = world.network.calls.length;
  await world.run(600_000);
  assert.equal(world.network.calls.length, before);
  await process.kill();
});

test('a granted eviction that does not come is given up, a mark that is stale is taken away', async () => {
  const world = await setUp(1);
  const process = world.start(WHICH);
  await world.run(10_000);
  const pod = world.api.objects(PODS)[0]!;
  const at = formatTime(world.clock.now());
  const disruptedPods = { [pod.metadata.name ?? '']: at };
  world.api.setStatus(POD_DISRUPTION_BUDGETS, budget(world)!, { ...budget(world)?.status, disruptedPods });
  const mark = { type: 'DisruptionTarget', status: 'True', lastTransitionTime: at };
  world.api.setStatus(PODS, pod, { ...pod.status, conditions: [...(pod.status?.conditions ?? []), mark] });
  await world.run(60_000);
  assert.deepEqual(counts(world), [0, 3, 3, 4]);
  await world.run(70_000);
  assert.deepEqual(counts(world), [1, 4, 3, 4]);
  assert.equal(budget(world)?.status?.disruptedPods, undefined);
  const conditions = world.api.objects(PODS).find((one) => one.metadata.uid === pod.metadata.uid)?.status?.conditions;
  const unmarked = conditions?.find((one) => one.type === 'DisruptionTarget');
  assert.deepEqual([unmarked?.status, unmarked?.observedGeneration], ['False', 1]);
  await process.kill();
});

test('a mark of the kubelet stays, however long the pod takes to end', async () => {
  const world = await setUp(1);
  const process = world.start(WHICH);
  await world.run(10_000);
  const pod = world.api.objects(PODS)[0]!;
  const lastTransitionTime = formatTime(world.clock.now());
  const mark = { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', lastTransitionTime };
  world.api.setStatus(PODS, pod, { ...pod.status, conditions: [...(pod.status?.conditions ?? []), mark] });
  await world.run(600_000);
  const conditions = world.api.objects(PODS).find((one) => one.metadata.uid === pod.metadata.uid)?.status?.conditions;
  assert.equal(conditions?.find((one) => one.type === 'DisruptionTarget')?.status, 'True');
  await process.kill();
});

test('an owner that is named in another version of its group is asked for its scale, and discovery once', async () => {
  let discoveries = 0;
  const between = (wire: Wire): Wire => ({
    ...wire,
    raw: (call) => {
      if (call.path === '/apis') discoveries++;
      return wire.raw(call);
    },
  });
  const world = await setUp(1, createTestWorld(1, { between }));
  const process = world.start(['disruption-controller']);
  const owned = world.api.objects(REPLICA_SETS)[0]!.metadata;
  const owner = { apiVersion: 'apps/v1beta2', kind: 'ReplicaSet', name: 'web', uid: owned.uid!, controller: true };
  const { labels } = template.metadata;
  await world.client
    .resource(PODS, 'default')
    .create({ metadata: { name: 'early', labels, ownerReferences: [owner] }, spec: template.spec });
  await world.run(10_000);
  assert.deepEqual(counts(world), [0, 1, 3, 4]);
  assert.equal(budget(world)?.status?.conditions?.[0]?.reason, 'InsufficientPods');
  await world.client.resource(REPLICA_SETS, 'default').patch('web', 'merge', { spec: { replicas: 1 } });
  await world.run(10_000);
  assert.deepEqual(counts(world), [1, 1, 0, 1]);
  assert.equal(discoveries, 1);
  await process.kill();
});

test('a controller that is seen after its pods is asked then', async () => {
  const deaf = deafTo('replicasets');
  deaf.on = false;
  const world = await setUp(1, createTestWorld(1, { between: deaf.between }));
  const process = world.start(['disruption-controller']);
  await world.run(1000);
  deaf.on = true;
  world.network.cutWatches();
  const sets = world.client.resource(REPLICA_SETS, 'default');
  const { uid = '' } = (
    await sets.create({
      metadata: { name: 'late' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { a: 'b' } },
        template: { ...template, metadata: { labels: { a: 'b' } } },
      },
    })
  ).metadata;
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'late', uid, controller: true }];
  const { labels } = template.metadata;
  await world.client
    .resource(PODS, 'default')
    .create({ metadata: { name: 'early', labels, ownerReferences }, spec: template.spec });
  await world.run(60_000);
  assert.equal(budget(world)?.status?.conditions?.[0]?.message, 'found no controllers for pod "early"');
  deaf.on = false;
  await world.run(60_000);
  assert.deepEqual(counts(world), [0, 1, 1, 2]);
  await process.kill();
});

for (const [name, owner, message] of [
  [
    'is of a kind that nobody serves',
    { apiVersion: 'example.com/v1', kind: 'Thing', name: 't' },
    'no matches for kind "Thing" in version "example.com/v1"',
  ],
  [
    'is of a kind without a scale',
    { apiVersion: 'batch/v1', kind: 'Job', name: 't' },
    'jobs.batch does not implement the scale subresource',
  ],
  ['is not there', { apiVersion: 'apps/v1beta2', kind: 'ReplicaSet', name: 't' }, 'found no controllers for pod "odd"'],
  [
    'is gone, and another one has its name',
    { apiVersion: 'apps/v1beta2', kind: 'ReplicaSet', name: 'web' },
    'found no controllers for pod "odd"',
  ],
] as const) {
  test(`pods whose controller ${name}: no eviction, and said so`, async () => {
    const world = await setUp(1);
    const process = world.start(['disruption-controller']);
    const ownerReferences = [{ ...owner, uid: 'u', controller: true }];
    const { labels } = template.metadata;
    await world.client
      .resource(PODS, 'default')
      .create({ metadata: { name: 'odd', labels, ownerReferences }, spec: template.spec });
    await world.run(10_000);
    assert.deepEqual(counts(world).slice(0, 1), [0]);
    const { reason, message: told } = budget(world)?.status?.conditions?.[0] ?? {};
    assert.deepEqual([reason, told], ['SyncFailed', message]);
    const events = world.api.objects(EVENTS).map((event) => event.reason);
    assert.ok(events.includes('CalculateExpectedPodCountFailed'));
    await process.kill();
  });
}

test('a selector that cannot be read, stored as it was: no eviction in its name, said so once, and no other budget suffers', async () => {
  const world = await setUp(1);
  const matchExpressions = [{ key: 'app', operator: 'Near' as 'In', values: ['web'] }];
  world.api.seed(POD_DISRUPTION_BUDGETS, {
    metadata: { name: 'aged', namespace: 'default', generation: 1 },
    spec: { maxUnavailable: 1, selector: { matchExpressions } },
  });
  const process = world.start(WHICH);
  await world.run(60_000);
  const found = (name: string) => world.api.objects(POD_DISRUPTION_BUDGETS).find((one) => one.metadata.name === name);
  assert.deepEqual(found('web')?.status?.disruptionsAllowed, 1);
  const { disruptionsAllowed, conditions } = found('aged')?.status ?? {};
  assert.deepEqual([disruptionsAllowed, conditions?.[0]?.reason], [0, 'SyncFailed']);
  const told = world.api.objects(EVENTS).filter(({ involvedObject }) => involvedObject?.name === 'aged');
  assert.deepEqual(
    told.map(({ message, count }) => [message, count]),
    [['Failed to get pods: "Near" is not a valid label selector operator', told[0]?.count]],
  );
  assert.ok((told[0]?.count ?? 1) <= 2, `told ${told[0]?.count} times`);
  await process.kill();
});
