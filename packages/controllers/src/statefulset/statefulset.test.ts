import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Rollout } from '@binnacle/base';
import { CONTROLLER_REVISIONS, DEFAULT_FEATURES, EVENTS, PERSISTENT_VOLUME_CLAIMS, PODS } from '@binnacle/api';
import { startFakeNode } from '../test-node.ts';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';
import { create, pods, set, sets, templateOf, WHICH } from './test-lives.ts';

const DATA = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } },
};

const claims = (world: TestWorld) => world.api.objects(PERSISTENT_VOLUME_CLAIMS);

test('made one after the other, with names, labels and claims; a failed one is made again', async () => {
  const world = createTestWorld();
  startFakeNode(world);
  const process = world.start(WHICH);
  await create(world, { volumeClaimTemplates: [DATA] });
  await world.run(500);
  assert.deepEqual(pods(world), ['web-0 one']);
  await world.run(10_000);
  assert.deepEqual(pods(world), ['web-0 one', 'web-1 one', 'web-2 one']);
  const pod = world.api.objects(PODS).find((one) => one.metadata.name === 'web-1');
  assert.equal(pod?.spec.hostname, 'web-1');
  assert.equal(pod?.spec.subdomain, 'web');
  assert.equal(pod?.metadata.labels?.['statefulset.kubernetes.io/pod-name'], 'web-1');
  assert.equal(pod?.metadata.labels?.['apps.kubernetes.io/pod-index'], '1');
  assert.equal(pod?.metadata.labels?.['controller-revision-hash'], set(world)?.status?.updateRevision);
  assert.deepEqual(pod?.spec.volumes, [{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-1' } }]);
  const claimNames = claims(world).map((one) => one.metadata.name);
  assert.deepEqual(claimNames, ['data-web-0', 'data-web-1', 'data-web-2']);
  assert.deepEqual(claims(world)[0]?.metadata.labels, { app: 'web' });
  const { readyReplicas, availableReplicas, currentReplicas, updatedReplicas } = set(world)?.status ?? {};
  assert.deepEqual([readyReplicas, availableReplicas, currentReplicas, updatedReplicas], [3, 3, 3, 3]);
  world.api.setStatus(PODS, pod!, { phase: 'Failed' });
  await world.run(5000);
  const again = world.api.objects(PODS).find((one) => one.metadata.name === 'web-1');
  assert.notEqual(again?.metadata.uid, pod?.metadata.uid);
  assert.equal(again?.status?.phase, 'Running');
  const told = new Set(world.api.objects(EVENTS).map((event) => event.message));
  assert.ok(told.has('create Pod web-0 in StatefulSet web successful'));
  assert.ok(told.has('create Claim data-web-0 Pod web-0 in StatefulSet web success'));
  assert.ok(told.has('delete Pod web-1 in StatefulSet web successful'));
  const before = world.network.calls.length;
  await world.run(600_000);
  assert.equal(world.network.calls.length, before, 'nothing changes, nothing is written');
  await process.kill();
});

test('rolls to a partition and on, back by its history, and forgets old revisions', async () => {
  const world = createTestWorld();
  startFakeNode(world);
  const process = world.start(WHICH);
  await create(world, { revisionHistoryLimit: 1 });
  await world.run(20_000);
  const roll = (image: string, partition: number) => {
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition } };
    return sets(world).patch('web', 'merge', { spec: { template: templateOf(image), updateStrategy } });
  };
  await roll('two', 2);
  await world.run(30_000);
  assert.deepEqual(pods(world), ['web-0 one', 'web-1 one', 'web-2 two']);
  assert.notEqual(set(world)?.status?.currentRevision, set(world)?.status?.updateRevision);
  await roll('two', 0);
  await world.run(30_000);
  assert.deepEqual(pods(world), ['web-0 two', 'web-1 two', 'web-2 two']);
  assert.equal(set(world)?.status?.currentRevision, set(world)?.status?.updateRevision);
  await roll('one', 0);
  await world.run(40_000);
  assert.deepEqual(pods(world), ['web-0 one', 'web-1 one', 'web-2 one']);
  const numbers = world.api.objects(CONTROLLER_REVISIONS).map((one) => one.revision);
  assert.deepEqual(numbers.toSorted(), [2, 3], 'the first revision became the third');
  await roll('three', 0);
  await world.run(40_000);
  assert.equal(world.api.objects(CONTROLLER_REVISIONS).length, 2);
  await process.kill();
});

for (const podManagementPolicy of ['OrderedReady', 'Parallel'] as const) {
  test(`pods below the partition come back as they were, though all were gone at once: ${podManagementPolicy}`, async () => {
    const world = createTestWorld();
    startFakeNode(world);
    const process = world.start(WHICH);
    await create(world, { podManagementPolicy });
    await world.run(20_000);
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } };
    await sets(world).patch('web', 'merge', { spec: { template: templateOf('two'), updateStrategy } });
    await world.run(30_000);
    const before = set(world)?.status?.currentRevision;
    await process.kill();
    for (const { metadata } of world.api.objects(PODS)) {
      await world.client.resource(PODS, 'default').delete(metadata.name ?? '', { gracePeriodSeconds: 0 });
    }
    const next = world.start(WHICH);
    await world.run(30_000);
    assert.deepEqual(pods(world), ['web-0 one', 'web-1 one', 'web-2 two']);
    assert.equal(set(world)?.status?.currentRevision, before);
    await next.kill();
  });
}

test('with its gate, tells how far a set is from what it may lack, until the set is gone', async () => {
  const told: string[] = [];
  const rollouts = {
    seen: (of: string, { policy, most, unavailable }: Rollout) =>
      told.push(`${of} ${policy}: ${unavailable} of ${most}`),
    gone: (of: string) => told.push(`${of} is gone`),
  };
  const features = { ...DEFAULT_FEATURES, MaxUnavailableStatefulSet: true };
  const world = createTestWorld(1, { start: { features, rollouts } });
  startFakeNode(world);
  const process = world.start([...WHICH, 'garbage-collector-controller']);
  await create(world, { podManagementPolicy: 'Parallel' });
  await world.run(20_000);
  assert.deepEqual([told[0], told.at(-1)], ['default/web Parallel: 3 of 1', 'default/web Parallel: 0 of 1']);
  await sets(world).delete('web', { propagationPolicy: 'Background' });
  await world.run(20_000);
  assert.equal(told.at(-1), 'default/web is gone');
  await process.kill();
});

test('claims go as the retention policy says, and come back with their pods', async () => {
  const world = createTestWorld();
  startFakeNode(world);
  const process = world.start([...WHICH, 'garbage-collector-controller']);
  await create(world, {
    volumeClaimTemplates: [DATA],
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Delete' },
  });
  await world.run(20_000);
  await sets(world).patch('web', 'merge', { spec: { replicas: 1 } });
  await world.run(60_000);
  assert.deepEqual(
    claims(world).map((one) => one.metadata.name),
    ['data-web-0'],
  );
  await sets(world).patch('web', 'merge', { spec: { replicas: 2 } });
  await world.run(60_000);
  assert.deepEqual(pods(world), ['web-0 one', 'web-1 one']);
  assert.equal(claims(world).length, 2);
  const persistentVolumeClaimRetentionPolicy = { whenDeleted: 'Delete', whenScaled: 'Retain' };
  await sets(world).patch('web', 'merge', { spec: { persistentVolumeClaimRetentionPolicy } });
  await world.run(10_000);
  assert.equal(claims(world)[0]?.metadata.ownerReferences?.[0]?.kind, 'StatefulSet');
  await sets(world).delete('web', { propagationPolicy: 'Background' });
  await world.run(60_000);
  assert.deepEqual([claims(world).length, pods(world).length], [0, 0]);
  await process.kill();
});

test('who controls a claim that the policy would give away is told of, and keeps it', async () => {
  const world = createTestWorld();
  startFakeNode(world);
  const process = world.start(WHICH);
  const logs = { ...DATA, metadata: { name: 'logs' } };
  await create(world, { replicas: 1, volumeClaimTemplates: [DATA, logs] });
  await world.run(10_000);
  const backup = { apiVersion: 'example.com/v1', kind: 'Backup', name: 'b', uid: 'b', controller: true };
  const data = world.client.resource(PERSISTENT_VOLUME_CLAIMS, 'default');
  await data.patch('data-web-0', 'merge', { metadata: { ownerReferences: [backup] } });
  const persistentVolumeClaimRetentionPolicy = { whenDeleted: 'Delete', whenScaled: 'Retain' };
  await sets(world).patch('web', 'merge', { spec: { persistentVolumeClaimRetentionPolicy } });
  await world.run(10_000);
  assert.deepEqual(
    claims(world).map(({ metadata }) => metadata.ownerReferences?.map(({ kind }) => kind)),
    [['Backup'], ['StatefulSet']],
  );
  const told = world.api.objects(EVENTS).filter(({ type }) => type === 'Warning');
  assert.deepEqual(
    told.map(({ reason, message }) => [reason, message]),
    [
      [
        'ConflictingController',
        'PersistentVolumeClaim data-web-0 has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim',
      ],
    ],
  );
  await process.kill();
});
