import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import { ENDPOINT_SLICES, ENDPOINTS, EVENTS, NODES, PODS, SERVICES } from '@binnacle/api';
import type { Endpoints, Pod, Service } from '@binnacle/api/core/v1';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

const WHICH = ['endpoints-controller', 'endpointslice-controller', 'endpointslice-mirroring-controller'];
const HTTP = { name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' as const };
const spec = (app: string, more: Partial<Service['spec']> = {}): Service['spec'] => ({
  selector: { app },
  ports: [HTTP],
  clusterIP: '10.96.0.7',
  ipFamilies: ['IPv4'],
  ...more,
});

interface PodFacts {
  readonly ready?: boolean;
  readonly node?: string;
  readonly app?: string;
  readonly phase?: 'Running' | 'Succeeded';
  readonly going?: boolean;
}

function seedPod(world: TestWorld, number: number, facts: PodFacts = {}): Pod {
  const { ready = true, node = 'n1', app = 'web', phase = 'Running', going = false } = facts;
  const before = world.wire.objects(PODS).find((one) => one.metadata.name === `p${number}`);
  const uid = before === undefined ? {} : { uid: before.metadata.uid ?? '' };
  return world.wire.seed(PODS, {
    metadata: {
      name: `p${number}`,
      namespace: 'ns',
      labels: { app },
      ...uid,
      ...(going ? { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 } : {}),
    },
    spec: { containers: [{ name: 'c', image: 'x', ports: [{ name: 'web', containerPort: 9000 }] }], nodeName: node },
    status: {
      phase,
      podIPs: [{ ip: `10.0.0.${number}` }, { ip: `fd00::${number}` }],
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:01Z' }],
    },
  });
}

function addNode(world: TestWorld, name: string, zone?: string): void {
  const labels = zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone };
  world.wire.seed(NODES, { metadata: { name, labels }, spec: {} });
}

const endpointsOf = (world: TestWorld, name = 'web'): Endpoints | undefined =>
  world.wire.objects(ENDPOINTS).find((one) => one.metadata.name === name);
const slicesOf = (world: TestWorld, name = 'web') =>
  world.wire.objects(ENDPOINT_SLICES).filter((one) => one.metadata.labels?.['kubernetes.io/service-name'] === name);
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
    slice?.endpoints.map((one) => [one.addresses[0], one.zone, ...Object.values(one.conditions ?? {})]),
    [
      ['10.0.0.1', 'z1', true, true, false],
      ['10.0.0.2', 'z1', false, false, false],
      ['10.0.0.3', 'z1', false, true, true],
    ],
  );
  const before = world.wire.calls.length;
  await world.run(60_000);
  assert.equal(world.wire.calls.length, before, 'nothing changes, nothing is written');
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
    slices.map((one) => [one.addressType, one.endpoints[0]?.addresses[0], one.ports[0]?.port]),
    [
      ['IPv4', '10.0.0.1', 9000],
      ['IPv6', 'fd00::1', 9000],
    ],
  );
  assert.deepEqual(slices[0]?.endpoints[0]?.hints, { forZones: [{ name: 'z1' }], forNodes: [{ name: 'n1' }] });
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
  const sizes = slicesOf(world).map((one) => one.endpoints.length);
  assert.deepEqual(
    sizes.toSorted((a, b) => a - b),
    [3, ...Array.from({ length: 12 }, () => 100)],
  );
  const endpoints = endpointsOf(world);
  assert.equal(endpoints?.metadata.annotations?.['endpoints.kubernetes.io/over-capacity'], 'truncated');
  assert.equal(endpoints?.subsets?.[0]?.addresses?.length, 1000);
  const before = world.wire.calls.length;
  await world.client.resource(PODS, 'ns').delete('p1200', { gracePeriodSeconds: 0 });
  seedPod(world, 2000);
  await world.run(5000);
  const writes = world.wire.calls.slice(before).filter((call) => call.resource.resource === 'endpointslices');
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
    slices.map((one) => one.endpoints.map((each) => [each.addresses[0], each.conditions?.ready])),
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

test('under churn, kills and faults: exactly what a plain model holds, and then silence', async () => {
  for (let seed = 1; seed <= 8; seed++) await churn(seed);
});

async function churn(seed: number): Promise<void> {
  const world = createTestWorld(seed);
  const random = createSeededRandom(seed * 104_729);
  for (const name of ['n1', 'n2']) addNode(world, name, `zone-of-${name}`);
  const names = ['web', 'db'];
  for (const name of names) {
    await world.client.resource(SERVICES, 'ns').create({ metadata: { name }, spec: spec(name) });
  }
  world.wire.faults.call = (call) => {
    if (call.cause === undefined || randomBelow(random, 10) > 0) return undefined;
    const kind = (['lose-request', 'lose-reply', 'delay', 'late'] as const)[randomBelow(random, 4)] ?? 'delay';
    return kind === 'delay' || kind === 'late' ? { kind, ms: randomBelow(random, 3000) } : { kind };
  };
  world.wire.faults.watchDelayMs = () => (randomBelow(random, 3) === 0 ? randomBelow(random, 1500) : 0);
  let process = world.start(WHICH);
  for (let step = 0; step < 25; step++) {
    const number = 1 + randomBelow(random, 8);
    const there = world.wire.objects(PODS).some((one) => one.metadata.name === `p${number}`);
    if (there && randomBelow(random, 3) === 0) {
      await world.client.resource(PODS, 'ns').delete(`p${number}`, { gracePeriodSeconds: 0 });
    } else {
      const [app, node] = [names[randomBelow(random, 2)] ?? '', `n${1 + randomBelow(random, 2)}`];
      seedPod(world, number, { app, node, ready: randomBelow(random, 3) > 0, going: randomBelow(random, 6) === 0 });
    }
    if (randomBelow(random, 12) === 0) {
      await process.kill();
      process = world.start(WHICH);
    }
    await world.run(randomBelow(random, 1500));
  }
  Object.assign(world.wire.faults, { call: undefined, watchDelayMs: undefined });
  for (let i = 0; i < 20; i++) await world.run(20_000);
  for (const name of names) {
    const pods = world.wire.objects(PODS).filter((pod) => pod.metadata.labels?.['app'] === name);
    const inSlices = slicesOf(world, name).flatMap((one) => one.endpoints.map((each) => JSON.stringify(each)));
    const wanted = pods.map((pod) => JSON.stringify(naive(pod)));
    assert.deepEqual(inSlices.toSorted(), wanted.toSorted(), `seed ${seed}: slices of ${name}`);
    const left = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
    const subset = endpointsOf(world, name)?.subsets?.[0];
    const ips = [...(subset?.addresses ?? []), ...(subset?.notReadyAddresses ?? [])].map((one) => one.ip);
    const podIps = left.map((pod) => pod.status?.podIPs?.[0]?.ip ?? '');
    assert.deepEqual(ips.toSorted(), podIps.toSorted(), `seed ${seed}: ${name}`);
  }
  const before = world.wire.calls.length;
  await world.run(1_000_000);
  assert.equal(world.wire.calls.length, before, `seed ${seed}: silence`);
  assert.ok(world.wire.objects(EVENTS).length < 200);
  await process.kill();
}

/** What a slice should say of a pod, in the plainest words. */
function naive(pod: Pod): unknown {
  const serving = pod.status?.conditions?.[0]?.status === 'True';
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const { name = '', uid = '' } = pod.metadata;
  return {
    addresses: [pod.status?.podIPs?.[0]?.ip],
    conditions: { ready: serving && !terminating, serving, terminating },
    targetRef: { kind: 'Pod', namespace: 'ns', name, uid },
    nodeName: pod.spec.nodeName,
    zone: `zone-of-${pod.spec.nodeName}`,
  };
}
