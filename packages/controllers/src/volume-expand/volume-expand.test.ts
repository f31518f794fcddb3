import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { EVENTS, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '@binnacle/api';
import { createTestWorld } from '../test-world.ts';

test('a bound claim that asks for more is told that its driver has to act; one that waits for a volume is not', async () => {
  const world = createTestWorld();
  const claims = world.client.resource(PERSISTENT_VOLUME_CLAIMS, 'ns');
  const spec = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };
  const status = { phase: 'Bound' as const, capacity: { storage: '1Gi' } };
  const claim = world.api.seed(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name: 'c', namespace: 'ns' },
    spec: { ...spec, volumeName: 'v' },
    status,
  });
  const waits = world.api.seed(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name: 'waits', namespace: 'ns' },
    spec,
    status: { phase: 'Pending' },
  });
  world.api.seed(PERSISTENT_VOLUMES, {
    metadata: { name: 'v' },
    spec: { claimRef: { uid: claim.metadata.uid ?? '' } },
  });
  const process = world.start(['persistentvolume-expander-controller']);
  await world.run(1000);
  const resources = { requests: { storage: '2Gi' } };
  await claims.patch('c', 'merge', { spec: { resources } });
  // No server takes this of a claim without a volume; should one, nothing is to be told.
  world.api.seed(PERSISTENT_VOLUME_CLAIMS, { ...waits, spec: { ...spec, resources } });
  await world.run(1000);
  assert.deepEqual(
    world.api.objects(EVENTS).map((event) => `${event.involvedObject.name} ${event.reason} ${event.message}`),
    ['c ExternalExpanding waiting for an external controller to expand this PVC'],
  );
  await process.kill();
});
