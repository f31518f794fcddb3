import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { EVENTS, PERSISTENT_VOLUME_CLAIMS, PODS } from '@binnacle/api';
import { createTestWorld } from '../test-world.ts';

test('a claim for each ephemeral volume, the pod’s own; one of somebody else is told and not taken', async () => {
  const world = createTestWorld();
  const claims = world.client.resource(PERSISTENT_VOLUME_CLAIMS, 'ns');
  const spec = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };
  await claims.create({ metadata: { name: 'p-taken' }, spec });
  const process = world.start(['ephemeral-volume-controller']);
  const template = { metadata: { labels: { a: 'b' } }, spec };
  const volumes = ['data', 'taken'].map((name) => ({ name, ephemeral: { volumeClaimTemplate: template } }));
  const pod = world.api.seed(PODS, {
    metadata: { name: 'p', namespace: 'ns' },
    spec: { containers: [{ name: 'c', image: 'x' }], volumes },
  });
  await world.run(1000);
  const made = (): (typeof all)[number] | undefined =>
    world.api.objects(PERSISTENT_VOLUME_CLAIMS).find((one) => one.metadata.name === 'p-data');
  const all = world.api.objects(PERSISTENT_VOLUME_CLAIMS);
  assert.equal(all.length, 2);
  assert.deepEqual(made()?.metadata.labels, { a: 'b' });
  assert.deepEqual(made()?.metadata.ownerReferences, [
    { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: pod.metadata.uid, controller: true, blockOwnerDeletion: true },
  ]);
  const told = world.api.objects(EVENTS).map((event) => `${event.reason} ${event.message}`);
  assert.deepEqual(told, [
    'FailedBinding ephemeral volume taken: PVC ns/p-taken was not created for pod ns/p (pod is not owner)',
  ]);
  await claims.delete('p-data');
  await world.run(1000);
  assert.ok(made(), 'made again');
  await process.kill();
});
