import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { EVENTS, PODS, RESOURCE_CLAIMS, RESOURCE_SLICES } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

const WHICH = ['device-taint-eviction-controller'];
const CLAIM = { name: 'c', namespace: 'ns' };

const podOf = (more: Partial<Pod['spec']> = {}): Pod => ({
  metadata: { name: 'p', namespace: 'ns', uid: 'u' },
  spec: { containers: [], resourceClaims: [{ name: 'gpu', resourceClaimName: 'c' }], nodeName: 'n', ...more },
});

/** A claim that has one device and is kept for the pod; the device's taint is tolerated for so long, seconds. */
function seedDevice(world: TestWorld, tolerationSeconds = 0): void {
  const tolerations = [{ key: 'sick', operator: 'Exists' as const, tolerationSeconds }];
  const results = [{ request: 'r', driver: 'd', pool: 'p', device: 'x', tolerations }];
  world.api.seed(RESOURCE_CLAIMS, {
    metadata: CLAIM,
    spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'any' } }] } },
    status: { allocation: { devices: { results } }, reservedFor: [{ resource: 'pods', name: 'p', uid: 'u' }] },
  });
  const timeAdded = new Date(world.clock.now()).toISOString();
  const devices = [{ name: 'x', taints: [{ key: 'sick', effect: 'NoExecute' as const, timeAdded }] }];
  const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
  world.api.seed(RESOURCE_SLICES, { metadata: { name: 's' }, spec: { driver: 'd', pool, nodeName: 'n', devices } });
}

const told = (world: TestWorld) => world.api.objects(EVENTS).map(({ reason, message }) => `${reason} ${message}`);
const stays = (world: TestWorld) => {
  const [pod] = world.api.objects(PODS);
  return pod !== undefined && pod.metadata.deletionTimestamp === undefined;
};

test('a pod without a node stays; with one it leaves', async () => {
  const world = createTestWorld();
  const { nodeName: _, ...unplaced } = podOf().spec;
  world.api.seed(PODS, { ...podOf(), spec: unplaced });
  seedDevice(world);
  const process = world.start(WHICH);
  await world.run(1000);
  assert.ok(stays(world));
  world.api.seed(PODS, podOf());
  await world.run(1000);
  assert.ok(!stays(world));
  await process.kill();
});

test('a pod leaves also when its claim was given devices before it is heard which is its own', async () => {
  const world = createTestWorld();
  const pod = podOf({ resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 't' }] });
  world.api.seed(PODS, pod);
  seedDevice(world);
  const process = world.start(WHICH);
  await world.run(1000);
  assert.ok(stays(world));
  world.api.setStatus(PODS, pod, { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'c' }] });
  await world.run(1000);
  assert.ok(!stays(world));
  await process.kill();
});

for (const [name, relieve] of [
  [
    'the taint goes',
    (world: TestWorld) =>
      world.client.resource(RESOURCE_SLICES).patch('s', 'merge', { spec: { devices: [{ name: 'x' }] } }),
  ],
  ['the slice goes', (world: TestWorld) => world.client.resource(RESOURCE_SLICES).delete('s')],
  ['the claim goes', (world: TestWorld) => world.client.resource(RESOURCE_CLAIMS, 'ns').delete('c')],
] as const)
  test(`it is told that a pod may stay after all: ${name}`, async () => {
    const world = createTestWorld();
    world.api.seed(PODS, podOf());
    seedDevice(world, 30);
    const process = world.start(WHICH);
    await world.run(5000);
    assert.deepEqual(told(world), []);
    await relieve(world);
    await world.run(60_000);
    assert.ok(stays(world));
    assert.deepEqual(told(world), ['DeviceTaintManagerEviction Cancelling deletion']);
    await process.kill();
  });

test('a pod leaves a device that stands for its extended resource, too, once it says which claim that is', async () => {
  const world = createTestWorld();
  const resources = { requests: { 'x.io/gpu': '1' } };
  const spec = { containers: [{ name: 'c', image: 'i', resources }], nodeName: 'n' };
  const pod = world.api.seed(PODS, { ...podOf(), spec });
  seedDevice(world);
  const process = world.start(WHICH);
  await world.run(10_000);
  assert.ok(stays(world));
  const requestMappings = [{ containerName: 'c', resourceName: 'x.io/gpu', requestName: 'r' }];
  world.api.setStatus(PODS, pod, { extendedResourceClaimStatus: { resourceClaimName: 'c', requestMappings } });
  await world.run(10_000);
  assert.ok(!stays(world));
  await process.kill();
});
