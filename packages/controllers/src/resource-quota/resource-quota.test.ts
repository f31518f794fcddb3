import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { CONFIG_MAPS, DEVICE_CLASSES, PODS, RESOURCE_CLAIMS, RESOURCE_QUOTAS } from '@binnacle/api';
import { deafTo } from '../test-deaf.ts';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

const seedPod = (world: TestWorld, name: string, phase: 'Running' | 'Failed' = 'Running'): unknown =>
  world.api.seed(PODS, {
    metadata: { name, namespace: 'ns' },
    spec: { containers: [{ name: 'c', image: 'x', resources: { requests: { cpu: '250m' } } }] },
    status: { phase },
  });

test('counts what there is, what comes, ends and goes; foreign statuses are put right; then silence', async () => {
  const world = createTestWorld();
  seedPod(world, 'a');
  const process = world.start(['resourcequota-controller']);
  const quotas = world.client.resource(RESOURCE_QUOTAS, 'ns');
  const hard = { pods: '5', 'requests.cpu': '2', 'count/configmaps': '9', 'count/widgets.example.com': '1' };
  await quotas.create({ metadata: { name: 'q' }, spec: { hard } });
  const used = (): unknown => world.api.objects(RESOURCE_QUOTAS)[0]?.status?.used;
  await world.run(1000);
  assert.deepEqual(world.api.objects(RESOURCE_QUOTAS)[0]?.status?.hard, hard);
  assert.deepEqual(used(), { pods: '1', 'requests.cpu': '250m', 'count/configmaps': '0' }, 'no widgets are served');
  const maps = world.client.resource(CONFIG_MAPS, 'ns');
  await maps.create({ metadata: { name: 'm' } });
  await world.client.resource(CONFIG_MAPS, 'elsewhere').create({ metadata: { name: 'm' } });
  seedPod(world, 'b');
  await world.run(1000);
  assert.deepEqual(used(), { pods: '2', 'requests.cpu': '500m', 'count/configmaps': '1' });
  seedPod(world, 'a', 'Failed');
  await maps.delete('m');
  await world.run(1000);
  assert.deepEqual(used(), { pods: '1', 'requests.cpu': '250m', 'count/configmaps': '0' });
  const [quota] = world.api.objects(RESOURCE_QUOTAS);
  assert.ok(quota);
  world.api.setStatus(RESOURCE_QUOTAS, quota, { hard: { pods: '100' }, used: { pods: '0' } });
  await world.run(1000);
  assert.deepEqual(world.api.objects(RESOURCE_QUOTAS)[0]?.status?.hard, hard, 'put right at once');
  world.api.setStatus(RESOURCE_QUOTAS, quota, { hard, used: { ...(used() as object), pods: '4' } });
  await world.run(310_000);
  assert.deepEqual(used(), { pods: '1', 'requests.cpu': '250m', 'count/configmaps': '0' }, 'counted anew');
  await world.run(310_000);
  const before = world.network.calls.length;
  await world.run(3_600_000);
  assert.equal(world.network.calls.length, before, 'nothing changes, nothing is written');
  await process.kill();
});

test('what was charged a moment ago is not taken back before its object is there; what never comes is, later', async () => {
  const world = createTestWorld();
  const process = world.start(['resourcequota-controller']);
  const hard = { pods: '1', 'count/configmaps': '9' };
  await world.client.resource(RESOURCE_QUOTAS, 'ns').create({ metadata: { name: 'q' }, spec: { hard } });
  await world.run(1000);
  const used = (): unknown => world.api.objects(RESOURCE_QUOTAS)[0]?.status?.used;
  const charge = (): void => {
    const [quota] = world.api.objects(RESOURCE_QUOTAS);
    assert.ok(quota);
    world.api.setStatus(RESOURCE_QUOTAS, quota, { hard, used: { ...quota.status?.used, pods: '1' } });
  };
  const maps = world.client.resource(CONFIG_MAPS, 'ns');
  charge();
  await maps.create({ metadata: { name: 'recounted' } });
  await world.run(500);
  assert.deepEqual(used(), { pods: '1', 'count/configmaps': '1' }, 'its pod is still to come');
  seedPod(world, 'a');
  await world.run(5000);
  assert.deepEqual(used(), { pods: '1', 'count/configmaps': '1' });
  await world.client.resource(PODS, 'ns').delete('a', { gracePeriodSeconds: 0 });
  await world.run(500);
  assert.deepEqual(used(), { pods: '0', 'count/configmaps': '1' }, 'free again at once');
  charge();
  await maps.create({ metadata: { name: 'again' } });
  await world.run(500);
  assert.deepEqual(used(), { pods: '1', 'count/configmaps': '2' });
  await world.run(2500);
  assert.deepEqual(used(), { pods: '0', 'count/configmaps': '2' }, 'no pod came');
  await process.kill();
});

test('claims for devices count towards the resource that these stand for, as soon as a class says so', async () => {
  const world = createTestWorld();
  const exactly = { deviceClassName: 'gpus', allocationMode: 'ExactCount', count: 2 };
  world.api.seed(RESOURCE_CLAIMS, {
    metadata: { name: 'c', namespace: 'ns' },
    spec: { devices: { requests: [{ name: 'r', exactly }] } },
  });
  const process = world.start(['resourcequota-controller']);
  const hard = { 'requests.example.com/gpu': '5' };
  await world.client.resource(RESOURCE_QUOTAS, 'ns').create({ metadata: { name: 'q' }, spec: { hard } });
  await world.run(1000);
  const used = (): unknown => world.api.objects(RESOURCE_QUOTAS)[0]?.status?.used;
  assert.deepEqual(used(), { 'requests.example.com/gpu': '0' });
  const classes = world.client.resource(DEVICE_CLASSES);
  await classes.create({ metadata: { name: 'gpus' }, spec: { extendedResourceName: 'example.com/gpu' } });
  await world.run(1000);
  assert.deepEqual(used(), { 'requests.example.com/gpu': '2' });
  await classes.delete('gpus');
  await world.run(1000);
  assert.deepEqual(used(), { 'requests.example.com/gpu': '0' });
  await process.kill();
});

test('quotas of a kind that cannot be listed keep no other from being counted, and are counted later', async () => {
  const deaf = deafTo('configmaps');
  const world = createTestWorld(1, { between: deaf.between });
  const process = world.start(['resourcequota-controller']);
  const quotas = world.client.resource(RESOURCE_QUOTAS, 'ns');
  for (let i = 0; i < 10; i++) {
    await quotas.create({ metadata: { name: `q${i}` }, spec: { hard: { pods: '5', 'count/configmaps': '9' } } });
  }
  await quotas.create({ metadata: { name: 'plain' }, spec: { hard: { pods: '5' } } });
  await world.run(10_000);
  seedPod(world, 'a');
  await world.run(1000);
  const used = (): Set<string> =>
    new Set(world.api.objects(RESOURCE_QUOTAS).map(({ status }) => JSON.stringify(status?.used)));
  assert.deepEqual(used(), new Set(['{"pods":"1"}']));
  deaf.on = false;
  await world.run(120_000);
  assert.deepEqual(used(), new Set(['{"pods":"1"}', '{"pods":"1","count/configmaps":"0"}']));
  await process.kill();
});
