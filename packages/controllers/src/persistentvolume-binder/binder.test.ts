import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import { EVENTS, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '@binnacle/api';
import type { PersistentVolume, PersistentVolumeClaim } from '@binnacle/api/core/v1';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

const WHICH = ['persistentvolume-binder-controller'];
const claimSpec = (more: Partial<PersistentVolumeClaim['spec']> = {}): PersistentVolumeClaim['spec'] => ({
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
  ...more,
});
const volumeSpec = (more: Partial<PersistentVolume['spec']> = {}): PersistentVolume['spec'] => ({
  accessModes: ['ReadWriteOnce'],
  capacity: { storage: '1Gi' },
  hostPath: { path: '/data' },
  persistentVolumeReclaimPolicy: 'Retain',
  ...more,
});
const claims = (world: TestWorld) => world.client.resource(PERSISTENT_VOLUME_CLAIMS, 'ns');
const volumes = (world: TestWorld) => world.client.resource(PERSISTENT_VOLUMES);
/** `claim phase volume` and `volume phase claim`. */
function state(world: TestWorld): string[] {
  return [
    ...world.api
      .objects(PERSISTENT_VOLUME_CLAIMS)
      .map((one) => `${one.metadata.name} ${one.status?.phase} ${one.spec.volumeName ?? '-'}`),
    ...world.api
      .objects(PERSISTENT_VOLUMES)
      .map((one) => `${one.metadata.name} ${one.status?.phase} ${one.spec.claimRef?.name ?? '-'}`),
  ].toSorted();
}
const told = (world: TestWorld): unknown[] =>
  world.api.objects(EVENTS).map((event) => `${event.involvedObject.name} ${event.type} ${event.reason}`);

test('claims wait, are bound when a volume comes, and let it go; its policy says what becomes of it', async () => {
  const world = createTestWorld();
  const process = world.start(WHICH);
  await claims(world).create({ metadata: { name: 'c' }, spec: claimSpec() });
  await world.run(1000);
  assert.deepEqual(state(world), ['c Pending -']);
  assert.deepEqual(told(world), ['c Normal FailedBinding']);
  await volumes(world).create({ metadata: { name: 'v' }, spec: volumeSpec() });
  await world.run(1000);
  assert.deepEqual(state(world), ['c Bound v', 'v Bound c']);
  await claims(world).delete('c');
  await world.run(1000);
  assert.deepEqual(state(world), ['v Released c']);
  await claims(world).create({ metadata: { name: 'c' }, spec: claimSpec() });
  await world.run(1000);
  assert.deepEqual(state(world), ['c Pending -', 'v Released c'], 'what is on it is not another claim’s');
  await volumes(world).patch('v', 'merge', { spec: { claimRef: null } });
  await world.run(1000);
  assert.deepEqual(state(world), ['c Bound v', 'v Bound c']);
  await volumes(world).patch('v', 'merge', { spec: { persistentVolumeReclaimPolicy: 'Recycle' } });
  await claims(world).delete('c');
  await world.run(1000);
  assert.deepEqual(state(world), ['v Failed c']);
  assert.ok(told(world).includes('v Warning VolumeFailedRecycle'));
  assert.match(world.api.objects(PERSISTENT_VOLUMES)[0]?.status?.message ?? '', /No recycler plugin/);
  await process.kill();
});

test('a claim whose volume is gone is lost, and bound again when it comes back', async () => {
  const world = createTestWorld();
  const process = world.start(WHICH);
  const made = await volumes(world).create({ metadata: { name: 'v' }, spec: volumeSpec() });
  await claims(world).create({ metadata: { name: 'c' }, spec: claimSpec({ volumeName: 'v' }) });
  await world.run(1000);
  assert.deepEqual(state(world), ['c Bound v', 'v Bound c']);
  await volumes(world).delete('v');
  await world.run(1000);
  assert.deepEqual(state(world), ['c Lost v']);
  assert.deepEqual(told(world), ['c Warning ClaimLost']);
  await volumes(world).create({ metadata: { name: 'v' }, spec: made.spec });
  await world.run(1000);
  assert.deepEqual(state(world), ['c Bound v', 'v Bound c']);
  await process.kill();
});

test('a class that is marked as the default gives its claims a provisioner after the fact', async () => {
  const world = createTestWorld();
  const process = world.start(WHICH);
  await claims(world).create({ metadata: { name: 'c' }, spec: claimSpec() });
  await claims(world).create({ metadata: { name: 'none' }, spec: claimSpec({ storageClassName: '' }) });
  await world.run(1000);
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  await world.client.resource(STORAGE_CLASSES).create({
    metadata: { name: 'fast', annotations },
    provisioner: 'example.com/fast',
    volumeBindingMode: 'Immediate',
  });
  await world.run(1000);
  const [asked, none] = world.api.objects(PERSISTENT_VOLUME_CLAIMS);
  assert.equal(asked?.spec.storageClassName, 'fast');
  assert.equal(asked?.metadata.annotations?.['volume.kubernetes.io/storage-provisioner'], 'example.com/fast');
  assert.equal(none?.spec.storageClassName, '');
  assert.ok(told(world).includes('c Normal ExternalProvisioning'));
  await process.kill();
});

test('a hundred claims get a hundred volumes, each its own', async () => {
  const world = createTestWorld();
  for (let i = 0; i < 100; i++) {
    await volumes(world).create({ metadata: { name: `v${i}` }, spec: volumeSpec() });
    await claims(world).create({ metadata: { name: `c${i}` }, spec: claimSpec() });
  }
  const process = world.start(WHICH);
  await world.run(5000);
  assertPaired(world, 100);
  assert.equal(process.controllers.inspect()[0]?.failures, 0, 'nobody chose what another had chosen');
  await process.kill();
});

test('volumes and claims that name each other are bound without one write in the way of another', async () => {
  const world = createTestWorld();
  const process = world.start(WHICH);
  for (let i = 0; i < 100; i++) {
    const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'ns', name: `c${i}` };
    await volumes(world).create({ metadata: { name: `v${i}` }, spec: volumeSpec({ claimRef }) });
    await claims(world).create({ metadata: { name: `c${i}` }, spec: claimSpec({ volumeName: `v${i}` }) });
  }
  await world.run(5000);
  assertPaired(world, 100);
  assert.equal(process.controllers.inspect()[0]?.failures, 0);
  await process.kill();
});

test('killed and restarted at random: no volume has two claims, and all that can be bound is', async () => {
  for (let seed = 1; seed <= 10; seed++) await live(seed);
});

async function live(seed: number): Promise<void> {
  const world = createTestWorld(seed);
  const random = createSeededRandom(seed);
  let process = world.start(WHICH);
  for (let step = 0; step < 30; step++) {
    await claims(world).create({ metadata: { name: `c${step}` }, spec: claimSpec() });
    await volumes(world).create({ metadata: { name: `v${step}` }, spec: volumeSpec() });
    await world.run(randomBelow(random, 4));
    if (randomBelow(random, 2) === 0) {
      await process.kill();
      process = world.start(WHICH);
    }
  }
  await world.run(60_000);
  assertPaired(world, 30, `seed ${seed}`);
  await process.kill();
}

function assertPaired(world: TestWorld, count: number, why?: string): void {
  const pairs = world.api.objects(PERSISTENT_VOLUME_CLAIMS).map(({ metadata, spec, status }) => {
    const volume = world.api.objects(PERSISTENT_VOLUMES).find((one) => one.metadata.name === spec.volumeName);
    assert.equal(volume?.spec.claimRef?.uid, metadata.uid, why);
    assert.deepEqual([status?.phase, volume?.status?.phase], ['Bound', 'Bound'], why);
    return spec.volumeName;
  });
  assert.equal(new Set(pairs).size, count, why);
}
