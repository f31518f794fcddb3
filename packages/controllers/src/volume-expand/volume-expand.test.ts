import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { EVENTS, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '@binnacle/api';
import { createTestWorld } from '../test-world.ts';

test('a bound claim that asks for more is told that its driver has to act; one that waits for a volume is not', async () => {
  const world = createTestWorld();
  const claims = world.client.resource(PERSISTENT_VOLUME_CLAIMS, 'ns');
  const spec = { resources: { requests: { storage: '1Gi' } } };
  const status = { phase: 'Bound' as const, capacity: { storage: '1Gi' } };
  const claim = world.wire.seed(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name: 'c', namespace: 'ns' },
    spec: { ...spec, volumeName: 'v' },
    status,
  });
  world.wire.seed(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name: 'waits', namespace: 'ns' },
    spec,
    status: { phase: 'Pending' },
  });
  world.wire.seed(PERSISTENT_VOLUMES, {
    metadata: { name: 'v' },
    spec: { claimRef: { uid: claim.metadata.uid ?? '' } },
  });
  const process = world.start(['persistentvolume-expander-controller']);
  await world.run(1000);
  for (const name of ['c', 'waits']) {
    await claims.patch(name, 'merge', { spec: { resources: { requests: { storage: '2Gi' } } } });
  }
  await world.run(1000);
  assert.deepEqual(
    world.wire.objects(EVENTS).map((event) => `${event.involvedObject.name} ${event.reason} ${event.message}`),
    ['c ExternalExpanding waiting for an external controller to expand this PVC'],
  );
  await process.kill();
});
