import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS } from '@binnacle/api';
import { createTestWorld } from './test-world.ts';

const source = { accessModes: ['ReadWriteOnce' as const], hostPath: { path: '/data' } };
const spec = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };

test('a claim stays while a pod on a node has it, a volume while it is bound', async () => {
  const world = createTestWorld();
  const process = world.start([
    'persistentvolumeclaim-protection-controller',
    'persistentvolume-protection-controller',
  ]);
  const claims = world.client.resource(PERSISTENT_VOLUME_CLAIMS, 'ns');
  const volumes = world.client.resource(PERSISTENT_VOLUMES);
  await claims.create({ metadata: { name: 'used' }, spec });
  await claims.create({ metadata: { name: 'free', finalizers: ['example.com/other'] }, spec });
  const volume = await volumes.create({ metadata: { name: 'v' }, spec: { ...source, capacity: { storage: '1Gi' } } });
  world.api.seed(PODS, {
    metadata: { name: 'p', namespace: 'ns' },
    spec: {
      containers: [{ name: 'c', image: 'x' }],
      nodeName: 'n1',
      volumes: [{ name: 'x', persistentVolumeClaim: { claimName: 'used' } }],
    },
  });
  await world.run(1000);
  const finalizers = (): unknown =>
    Object.fromEntries(
      [...world.api.objects(PERSISTENT_VOLUME_CLAIMS), ...world.api.objects(PERSISTENT_VOLUMES)].map((one) => [
        one.metadata.name,
        one.metadata.finalizers,
      ]),
    );
  const [pvc, pv] = ['kubernetes.io/pvc-protection', 'kubernetes.io/pv-protection'];
  assert.deepEqual(finalizers(), { used: [pvc], free: ['example.com/other', pvc], v: [pv] });
  const [bound] = world.api.objects(PERSISTENT_VOLUMES);
  world.api.setStatus(PERSISTENT_VOLUMES, bound ?? volume, { phase: 'Bound' });
  await claims.delete('used');
  await claims.delete('free');
  await volumes.delete('v');
  await world.run(1000);
  assert.deepEqual(finalizers(), { used: [pvc], free: ['example.com/other'], v: [pv] });
  const [kept] = world.api.objects(PERSISTENT_VOLUMES);
  world.api.setStatus(PERSISTENT_VOLUMES, kept ?? volume, { phase: 'Released' });
  await world.client.resource(PODS, 'ns').delete('p', { gracePeriodSeconds: 0 });
  await world.run(1000);
  assert.deepEqual(finalizers(), { free: ['example.com/other'] });
  await process.kill();
});

test('a thousand claims that go together look at their namespace’s pods a few times, and not each by itself', async () => {
  const world = createTestWorld();
  const process = world.start(['persistentvolumeclaim-protection-controller']);
  const claims = world.client.resource(PERSISTENT_VOLUME_CLAIMS, 'ns');
  const names = Array.from({ length: 1000 }, (_, i) => `c${i}`);
  for (const name of names) world.api.seed(PERSISTENT_VOLUME_CLAIMS, { metadata: { name, namespace: 'ns' }, spec });
  await world.run(60_000);
  const looks = (): number =>
    world.network.calls.filter((c) => c.verb === 'list' && c.resource.resource === 'pods').length;
  const before = looks();
  await Promise.all(names.map((name) => claims.delete(name)));
  await world.run(60_000);
  assert.equal(world.api.objects(PERSISTENT_VOLUME_CLAIMS).length, 0);
  assert.ok(looks() - before < 100, `${looks() - before} looks`);
  await process.kill();
});
