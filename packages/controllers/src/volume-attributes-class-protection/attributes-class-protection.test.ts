import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, VOLUME_ATTRIBUTES_CLASSES } from '@binnacle/api';
import { createTestWorld } from '../test-world.ts';

test('an attributes class stays until no claim and no volume names it', async () => {
  const world = createTestWorld();
  const process = world.start(['volumeattributesclass-protection-controller']);
  const classes = world.client.resource(VOLUME_ATTRIBUTES_CLASSES);
  const claims = world.client.resource(PERSISTENT_VOLUME_CLAIMS, 'ns');
  const volumes = world.client.resource(PERSISTENT_VOLUMES);
  for (const name of ['gold', 'free'])
    await classes.create({ metadata: { name }, driverName: 'd', parameters: { tier: name } });
  const spec = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };
  await claims.create({ metadata: { name: 'c' }, spec: { ...spec, volumeAttributesClassName: 'gold' } });
  const source = {
    accessModes: spec.accessModes,
    capacity: { storage: '1Gi' },
    csi: { driver: 'd', volumeHandle: 'v' },
  };
  await volumes.create({ metadata: { name: 'v' }, spec: { ...source, volumeAttributesClassName: 'gold' } });
  await world.run(1000);
  for (const name of ['gold', 'free']) await classes.delete(name);
  await world.run(1000);
  const left = (): readonly unknown[] => world.api.objects(VOLUME_ATTRIBUTES_CLASSES).map((one) => one.metadata.name);
  assert.deepEqual(left(), ['gold']);
  await claims.delete('c');
  await world.run(1000);
  assert.deepEqual(left(), ['gold'], 'a volume has it still');
  await volumes.delete('v');
  await world.run(1000);
  assert.deepEqual(left(), []);
  await process.kill();
});
