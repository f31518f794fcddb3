import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { ENDPOINTS, PODS, SERVICES } from '@binnacle/api';
import type { Endpoints, Service } from '@binnacle/api/core/v1';
import { addNode, endpointsOf, seedPod, slicesOf, spec } from '../test-services.ts';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';
import { WHICH } from './test-lives.ts';

const service = (world: TestWorld, of: Service['spec'], labels = {}) =>
  world.client.resource(SERVICES, 'ns').create({ metadata: { name: 'web', labels }, spec: of });

test('a service and its pods: Endpoints and a slice with upstream’s labels, conditions and times', async () => {
  const world = createTestWorld();
  addNode(world, 'n1', 'z1');
  const process = world.start(WHICH);
  await service(world, spec('web'), { team: 'a' });
  seedPod(world, 1);
  seedPod(world, 2, { ready: false });
  seedPod(world, 3, { going: true });
  seedPod(world, 4, { phase: 'Succeeded' });
  await world.run(1000);
  const endpoints = endpointsOf(world);
  assert.deepEqual(endpoints?.metadata.labels, {
    team: 'a',
    'endpoints.kubernetes.io/managed-by': 'endpoint-controller',
  });
  const of = (subset: 'addresses' | 'notReadyAddresses') => endpoints?.subsets?.[0]?.[subset]?.map((one) => one.ip);
  assert.deepEqual([of('addresses'), of('notReadyAddresses')], [['10.0.0.1'], ['10.0.0.2']]);
  assert.deepEqual(endpoints?.subsets?.[0]?.ports, [{ name: 'http', port: 8080, protocol: 'TCP' }]);
  const [slice, ...more] = slicesOf(world);
  assert.equal(more.length, 0);
  assert.deepEqual(slice?.metadata.labels, {
    team: 'a',
    'kubernetes.io/service-name': 'web',
    'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
  });
  assert.equal(slice?.metadata.ownerReferences?.[0]?.name, 'web');
  assert.equal(typeof slice?.metadata.annotations?.['endpoints.kubernetes.io/last-change-trigger-time'], 'string');
  assert.deepEqual(
    slice?.endpoints?.map((one) => [one.addresses[0], one.zone, ...Object.values(one.conditions ?? {})]),
    [
      ['10.0.0.1', 'z1', true, true, false],
      ['10.0.0.2', 'z1', false, false, false],
      ['10.0.0.3', 'z1', false, true, true],
    ],
  );
  const before = world.network.calls.length;
  await world.run(60_000);
  assert.equal(world.network.calls.length, before, 'nothing changes, nothing is written');
  await world.client.resource(SERVICES, 'ns').delete('web');
  await world.run(1000);
  assert.equal(endpointsOf(world), undefined);
  await process.kill();
});

test('publishNotReadyAddresses, named ports, dual stack, headless, hints', async () => {
  const world = createTestWorld();
  addNode(world, 'n1', 'z1');
  const process = world.start(WHICH);
  const ports = [{ name: 'web', port: 80, targetPort: 'web' }];
  await service(
    world,
    spec('web', {
      publishNotReadyAddresses: true,
      ports,
      clusterIP: 'None',
      ipFamilies: ['IPv6', 'IPv4'],
      ipFamilyPolicy: 'RequireDualStack',
      trafficDistribution: 'PreferSameNode',
    }),
  );
  seedPod(world, 1, { ready: false, going: true });
  await world.run(1000);
  const endpoints = endpointsOf(world);
  assert.equal(endpoints?.metadata.labels?.['service.kubernetes.io/headless'], '');
  assert.deepEqual(
    endpoints?.subsets?.[0]?.addresses?.map((one) => one.ip),
    ['fd00::1'],
  );
  const slices = slicesOf(world).toSorted((a, b) => (a.addressType < b.addressType ? -1 : 1));
  assert.deepEqual(
    slices.map((one) => [one.addressType, one.endpoints?.[0]?.addresses[0], one.ports?.[0]?.port]),
    [
      ['IPv4', '10.0.0.1', 9000],
      ['IPv6', 'fd00::1', 9000],
    ],
  );
  assert.deepEqual(slices[0]?.endpoints?.[0]?.hints, { forZones: [{ name: 'z1' }], forNodes: [{ name: 'n1' }] });
  assert.equal(slices[0]?.metadata.labels?.['service.kubernetes.io/headless'], '');
  await process.kill();
});

test('a slice holds 100, Endpoints 1,000 with the annotation; one pod more or less is one write to each', async () => {
  const world = createTestWorld();
  addNode(world, 'n1');
  for (let i = 0; i < 1203; i++) seedPod(world, i);
  const process = world.start(WHICH);
  await service(world, spec('web'));
  await world.run(5000);
  const sizes = slicesOf(world).map((one) => one.endpoints?.length ?? 0);
  assert.deepEqual(
    sizes.toSorted((a, b) => a - b),
    [3, ...Array.from({ length: 12 }, () => 100)],
  );
  const endpoints = endpointsOf(world);
  assert.equal(endpoints?.metadata.annotations?.['endpoints.kubernetes.io/over-capacity'], 'truncated');
  assert.equal(endpoints?.subsets?.[0]?.addresses?.length, 1000);
  const before = world.network.calls.length;
  await world.client.resource(PODS, 'ns').delete('p1200', { gracePeriodSeconds: 0 });
  seedPod(world, 2000);
  await world.run(5000);
  const writes = world.network.calls.slice(before).filter((call) => call.resource.resource === 'endpointslices');
  assert.equal(writes.length, 1);
  for (let i = 0; i < 300; i++) await world.client.resource(PODS, 'ns').delete(`p${i}`, { gracePeriodSeconds: 0 });
  await world.run(5000);
  assert.equal(endpointsOf(world)?.metadata.annotations?.['endpoints.kubernetes.io/over-capacity'], undefined);
  await process.kill();
});

test('hand-made Endpoints of a service without a selector are mirrored; others are left alone', async () => {
  const world = createTestWorld();
  const process = world.start(WHICH);
  const addresses = [{ ip: '192.0.2.1' }, { ip: '2001:db8::1' }];
  const subsets = [{ addresses, notReadyAddresses: [{ ip: '192.0.2.2' }], ports: [{ port: 80 }] }];
  const make = (name: string, labels = {}) =>
    world.client.resource(ENDPOINTS, 'ns').create({ metadata: { name, labels }, subsets });
  await make('lonely');
  await make('web', { team: 'a' });
  await make('skipped', { 'endpointslice.kubernetes.io/skip-mirror': 'true' });
  for (const name of ['web', 'skipped']) {
    await world.client.resource(SERVICES, 'ns').create({ metadata: { name }, spec: { ports: [{ port: 80 }] } });
  }
  await world.run(1000);
  assert.ok(endpointsOf(world, 'lonely'), 'made without a service: not ours');
  assert.equal(slicesOf(world, 'lonely').length + slicesOf(world, 'skipped').length, 0);
  const slices = slicesOf(world).toSorted((a, b) => (a.addressType < b.addressType ? -1 : 1));
  assert.deepEqual(
    slices.map((one) => one.endpoints?.map((each) => [each.addresses[0], each.conditions?.ready])),
    [
      [
        ['192.0.2.1', true],
        ['192.0.2.2', false],
      ],
      [['2001:db8::1', true]],
    ],
  );
  assert.deepEqual(slices[0]?.metadata.labels, {
    team: 'a',
    'kubernetes.io/service-name': 'web',
    'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
  });
  assert.equal(slices[0]?.metadata.ownerReferences?.[0]?.kind, 'Endpoints');
  const old = endpointsOf(world) as Endpoints;
  const labels = { ...old.metadata.labels, 'endpointslice.kubernetes.io/skip-mirror': 'true' };
  await world.client.resource(ENDPOINTS, 'ns').update({ ...old, metadata: { ...old.metadata, labels } });
  await world.run(1000);
  assert.equal(slicesOf(world).length, 0);
  await process.kill();
});

test('slices of hand-made Endpoints go with them, also where those were deleted while nobody ran', async () => {
  const world = createTestWorld();
  const all = world.client.resource(ENDPOINTS, 'ns');
  await world.client.resource(SERVICES, 'ns').create({ metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } });
  const subsets = [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }];
  for (const isRunning of [true, false]) {
    await all.create({ metadata: { name: 'web' }, subsets });
    const process = world.start(WHICH);
    await world.run(1000);
    assert.equal(slicesOf(world).length, 1);
    if (!isRunning) await process.kill();
    await all.delete('web');
    const next = isRunning ? process : world.start(WHICH);
    await world.run(1000);
    assert.equal(slicesOf(world).length, 0, `${isRunning}`);
    await next.kill();
  }
});
