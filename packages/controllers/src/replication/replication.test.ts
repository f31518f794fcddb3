import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { formatTime } from '@binnacle/base';
import { EVENTS, isPodActive, PODS, REPLICATION_CONTROLLERS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

const RC = ['replicationcontroller-controller'];
const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image: 'busybox' }] },
};

async function createRc(world: TestWorld, replicas: number): Promise<void> {
  await world.client
    .resource(REPLICATION_CONTROLLERS, 'default')
    .create({ metadata: { name: 'web' }, spec: { replicas, selector: { app: 'web' }, template } });
  await world.run(1000);
}

const active = (world: TestWorld): readonly Pod[] => world.api.objects(PODS).filter(isPodActive);
const rcOf = (world: TestWorld) => world.api.objects(REPLICATION_CONTROLLERS)[0];

async function scale(world: TestWorld, replicas: number): Promise<void> {
  await world.client.resource(REPLICATION_CONTROLLERS, 'default').patch('web', 'merge', { spec: { replicas } });
  await world.run(1000);
}

test('three asked for: three pods, owned, labelled, named after it; the status says so; Events tell', async () => {
  const world = createTestWorld();
  const process = world.start(RC);
  await createRc(world, 3);
  const pods = active(world);
  assert.equal(pods.length, 3);
  for (const pod of pods) {
    assert.match(pod.metadata.name ?? '', /^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    assert.equal(pod.metadata.generateName, 'web-');
    assert.deepEqual(pod.metadata.labels, { app: 'web' });
    assert.deepEqual(pod.metadata.ownerReferences, [
      {
        apiVersion: 'v1',
        kind: 'ReplicationController',
        name: 'web',
        uid: rcOf(world)?.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  }
  assert.deepEqual(
    [rcOf(world)?.status?.replicas, rcOf(world)?.status?.fullyLabeledReplicas, rcOf(world)?.status?.observedGeneration],
    [3, 3, 1],
  );
  const events = world.api.objects(EVENTS);
  assert.deepEqual(
    events.map((event) => `${event.reason} ${event.source?.component} ${event.message}`).sort(),
    pods.map((pod) => `SuccessfulCreate replication-controller Created pod: ${pod.metadata.name}`).sort(),
  );
  const quiet = world.network.calls.length;
  await world.run(3_600_000);
  assert.equal(world.network.calls.length, quiet, 'when nothing changes, nothing is written');
  assert.equal(process.pending, 0, 'and nothing polls');
  await process.kill();
});

test('a pod deleted, failed or finished is replaced under a new name; scaling down deletes', async () => {
  const world = createTestWorld();
  const process = world.start(RC);
  await createRc(world, 2);
  const [first, second] = active(world);
  await world.client.resource(PODS, 'default').delete(first?.metadata.name ?? '');
  await world.run(1000);
  world.api.setStatus(PODS, second!, { phase: 'Failed' });
  await world.run(1000);
  const now = active(world).map((pod) => pod.metadata.name);
  assert.equal(now.length, 2);
  assert.ok(!now.includes(first?.metadata.name) && !now.includes(second?.metadata.name));
  await scale(world, 0);
  assert.equal(active(world).length, 0);
  assert.equal(rcOf(world)?.status?.replicas, 0);
  await process.kill();
});

test('orphans are adopted, strangers left alone, those that match no longer released and replaced', async () => {
  const world = createTestWorld();
  const process = world.start(RC);
  const pods = world.client.resource(PODS, 'default');
  await pods.create({ metadata: { name: 'orphan', labels: { app: 'web' } }, spec: template.spec });
  await pods.create({ metadata: { name: 'stranger', labels: { app: 'db' } }, spec: template.spec });
  await createRc(world, 2);
  assert.equal((await pods.get('orphan')).metadata.ownerReferences?.[0]?.name, 'web');
  assert.equal((await pods.get('stranger')).metadata.ownerReferences, undefined);
  assert.equal(active(world).length, 3);
  await pods.patch('orphan', 'merge', { metadata: { labels: { app: 'debug' } } });
  await world.run(1000);
  assert.equal((await pods.get('orphan')).metadata.ownerReferences, undefined);
  assert.equal(active(world).filter((pod) => pod.metadata.labels?.['app'] === 'web').length, 2);
  await process.kill();
});

test('ready counts at once, available after minReadySeconds', async () => {
  const world = createTestWorld();
  const process = world.start(RC);
  await createRc(world, 1);
  const rcs = world.client.resource(REPLICATION_CONTROLLERS, 'default');
  await rcs.patch('web', 'merge', { spec: { minReadySeconds: 30 } });
  const ready = { type: 'Ready', status: 'True' as const, lastTransitionTime: formatTime(world.clock.now()) };
  world.api.setStatus(PODS, active(world)[0]!, { phase: 'Running', conditions: [ready] });
  await world.run(1000);
  assert.deepEqual([rcOf(world)?.status?.readyReplicas, rcOf(world)?.status?.availableReplicas], [1, undefined]);
  await world.run(31_000);
  assert.equal(rcOf(world)?.status?.availableReplicas, 1);
  await process.kill();
});

test('a refusal is reported as condition and Event, and asked for again ever more slowly', async () => {
  const world = createTestWorld();
  const process = world.start(RC);
  const { status } = await import('@binnacle/machinery');
  const error = status.forbidden({ group: '', resource: 'pods' }, 'x', 'exceeded quota: small');
  world.network.faults.call = (call) =>
    call.verb === 'create' && call.resource.resource === 'pods' ? { kind: 'refuse', error } : undefined;
  await createRc(world, 50);
  const condition = rcOf(world)?.status?.conditions?.[0];
  assert.deepEqual(
    [condition?.type, condition?.status, condition?.reason, condition?.message],
    ['ReplicaFailure', 'True', 'FailedCreate', 'pods "x" is forbidden: exceeded quota: small'],
  );
  const attempts = world.network.calls.filter(
    (call) => call.verb === 'create' && call.resource.resource === 'pods',
  ).length;
  assert.ok(attempts < 20, `${attempts} attempts in a second`);
  assert.ok(
    world.api
      .objects(EVENTS)
      .some((event) => event.message === `Error creating: ${error.message}` && event.type === 'Warning'),
  );
  world.network.faults.call = undefined;
  await world.run(60_000);
  assert.equal(active(world).length, 50);
  assert.equal(rcOf(world)?.status?.conditions, undefined);
  await process.kill();
});

test('a lost answer does not make a surplus pod', async () => {
  const world = createTestWorld();
  const process = world.start(RC);
  let lost = 0;
  world.network.faults.call = (call) =>
    call.verb === 'create' && call.resource.resource === 'pods' && lost++ < 4 ? { kind: 'lose-reply' } : undefined;
  let most = 0;
  await createRc(world, 5);
  for (let i = 0; i < 20; i++) {
    await world.run(500);
    most = Math.max(most, active(world).length);
  }
  assert.deepEqual([active(world).length, most], [5, 5]);
  await process.kill();
});
