import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENDPOINT_SLICES, EVENTS, NODES, PODS, SERVICES } from '@binnacle/api';
import type { Pod, Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { status } from '@binnacle/machinery';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

const NAME = 'service-lb-controller';

function seedService(world: TestWorld, name: string, type = 'LoadBalancer', port = 80): void {
  const ports = [{ port, protocol: 'TCP' as const }];
  world.api.seed(SERVICES, {
    metadata: { name, namespace: 'ns' },
    spec: { type, ports, ipFamilies: ['IPv4'] },
  } as unknown as Service);
}

const PORTS = [{ port: 80, protocol: 'TCP' }];
const GIVEN = [{ ip: '192.0.2.1', ipMode: 'VIP', ports: PORTS }];
const ingressOf = (world: TestWorld, name: string) =>
  world.api.objects(SERVICES).find(({ metadata }) => metadata.name === name)?.status?.loadBalancer?.ingress;
const reasons = (world: TestWorld): (string | undefined)[] => world.api.objects(EVENTS).map(({ reason }) => reason);

/** How often each reason was told; the same told again counts up one Event. */
function counts(world: TestWorld): { readonly [reason: string]: number } {
  const all: { [reason: string]: number } = {};
  for (const { reason = '', count, series } of world.api.objects(EVENTS))
    all[reason] = (all[reason] ?? 0) + (series?.count ?? count ?? 1);
  return all;
}

function withNode(used: Set<string> = new Set()) {
  const world = createTestWorld(1, { start: { loadBalancers: { usedPorts: async () => used } } });
  const addresses = [{ type: 'InternalIP' as const, address: '192.0.2.1' }];
  world.api.seed(NODES, { metadata: { name: 'n' }, spec: {}, status: { addresses } });
  return world;
}

test('an address at once, told by events; gone with the type', async () => {
  const world = withNode();
  const process = world.start([NAME]);
  seedService(world, 'web');
  await world.run(1000);
  assert.deepEqual(ingressOf(world, 'web'), GIVEN);
  assert.deepEqual(reasons(world).toSorted(), ['EnsuredLoadBalancer', 'EnsuringLoadBalancer']);
  await world.client.resource(SERVICES, 'ns').patch('web', 'merge', { spec: { type: 'ClusterIP' } });
  await world.run(1000);
  assert.equal(ingressOf(world, 'web'), undefined);
  await process.kill();
});

test('addresses that the API server takes with the type are told as taken', async () => {
  const world = withNode();
  const process = world.start([NAME]);
  seedService(world, 'web');
  await world.run(1000);
  const change = { spec: { type: 'ClusterIP' }, status: { loadBalancer: { ingress: null } } };
  await world.client.resource(SERVICES, 'ns').patch('web', 'merge', change);
  await world.run(1000);
  const told = ['DeletedLoadBalancer', 'DeletingLoadBalancer', 'EnsuredLoadBalancer', 'EnsuringLoadBalancer'];
  assert.deepEqual(reasons(world).toSorted(), told);
  await process.kill();
});

test('a Service that is deleted is told as taken, where it had addresses', async () => {
  const used = new Set(['tcp/81']);
  const world = withNode(used);
  const process = world.start([NAME]);
  seedService(world, 'web');
  await world.run(1000);
  const before = reasons(world).length;
  await world.client.resource(SERVICES, 'ns').delete('web');
  await world.run(1000);
  assert.deepEqual(reasons(world).slice(before).toSorted(), ['DeletedLoadBalancer', 'DeletingLoadBalancer']);
  used.add('tcp/80');
  seedService(world, 'web');
  await world.run(1000);
  const refused = reasons(world).length;
  await world.client.resource(SERVICES, 'ns').delete('web');
  await world.run(1000);
  assert.equal(reasons(world).length, refused, 'who had none loses none');
  await process.kill();
});

test('a balancer whose addresses change is ensured anew', async () => {
  const world = withNode();
  const process = world.start([NAME]);
  seedService(world, 'web');
  await world.run(1000);
  const addresses = [{ type: 'InternalIP' as const, address: '192.0.2.2' }];
  const before = counts(world);
  world.api.seed(NODES, { metadata: { name: 'm' }, spec: {}, status: { addresses } });
  await world.run(1000);
  assert.equal(ingressOf(world, 'web')?.length, 2);
  const after = counts(world);
  for (const reason of ['EnsuringLoadBalancer', 'EnsuredLoadBalancer'])
    assert.equal((after[reason] ?? 0) - (before[reason] ?? 0), 1, reason);
  await process.kill();
});

test('a conflict is told once, and ends with its cause', async () => {
  const used = new Set(['tcp/80']);
  const world = withNode(used);
  const process = world.start([NAME]);
  seedService(world, 'web');
  await world.run(90_000);
  assert.equal(ingressOf(world, 'web'), undefined);
  assert.deepEqual(reasons(world).toSorted(), ['EnsuringLoadBalancer', 'SyncLoadBalancerFailed']);
  used.clear();
  await world.run(40_000);
  assert.deepEqual(ingressOf(world, 'web'), GIVEN);
  seedService(world, 'other');
  await world.run(1000);
  assert.equal(ingressOf(world, 'other'), undefined);
  await world.client.resource(SERVICES, 'ns').delete('web');
  await world.run(1000);
  assert.deepEqual(ingressOf(world, 'other'), GIVEN);
  await process.kill();
});

test('without a source of addresses nobody is touched', async () => {
  const world = createTestWorld();
  const process = world.start([NAME]);
  seedService(world, 'web');
  await world.run(1000);
  assert.equal(ingressOf(world, 'web'), undefined);
  await process.kill();
});

test('who keeps sources is reached by the nodes that have somebody, as they come and go', async () => {
  const world = withNode();
  const addresses = [{ type: 'InternalIP' as const, address: '192.0.2.2' }];
  world.api.seed(NODES, { metadata: { name: 'm' }, spec: {}, status: { addresses } });
  const process = world.start([NAME]);
  seedService(world, 'web');
  await world.client.resource(SERVICES, 'ns').patch('web', 'merge', { spec: { externalTrafficPolicy: 'Local' } });
  await world.run(1000);
  const reached = (): (string | undefined)[] => (ingressOf(world, 'web') ?? []).map(({ ip }) => ip);
  assert.deepEqual(reached(), ['192.0.2.1', '192.0.2.2'], 'nobody is anywhere');
  const slices = world.client.resource(ENDPOINT_SLICES, 'ns');
  const endpoint = (nodeName: string, ready = true) => ({ addresses: ['10.1.0.1'], nodeName, conditions: { ready } });
  await slices.create({
    metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    endpoints: [endpoint('m')],
    ports: [{ port: 80 }],
  } as EndpointSlice);
  await world.run(1000);
  assert.deepEqual(reached(), ['192.0.2.2']);
  await slices.patch('web-1', 'merge', { endpoints: [endpoint('n')] });
  await world.run(1000);
  assert.deepEqual(reached(), ['192.0.2.1']);
  await slices.patch('web-1', 'merge', { endpoints: [endpoint('n', false)] });
  await world.run(1000);
  assert.deepEqual(reached(), ['192.0.2.1', '192.0.2.2']);
  await process.kill();
});

test('a Service whose status somebody refuses keeps no other from its address, and gets its own when it may', async () => {
  const world = withNode();
  world.network.faults.call = ({ verb, name }) =>
    verb === 'update' && name === 'a'
      ? { kind: 'refuse', error: status.forbidden(SERVICES, 'a', 'a webhook says so') }
      : undefined;
  const process = world.start([NAME]);
  seedService(world, 'a', 'LoadBalancer', 80);
  seedService(world, 'b', 'LoadBalancer', 81);
  await world.run(1000);
  assert.deepEqual([ingressOf(world, 'a'), ingressOf(world, 'b')?.[0]?.ip], [undefined, '192.0.2.1']);
  world.network.faults.call = undefined;
  await world.run(120_000);
  assert.deepEqual(ingressOf(world, 'a'), GIVEN);
  await process.kill();
});

test('a port that is changed to one that a kubelet, a program or a pod of a node has is refused', async () => {
  const world = withNode(new Set(['tcp/6443']));
  const kubelet = { daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } } };
  world.api.seed(NODES, { metadata: { name: 'w' }, spec: {}, status: kubelet });
  const ports = [{ containerPort: 80, hostPort: 8080 }];
  world.api.seed(PODS, {
    metadata: { name: 'p', namespace: 'ns' },
    spec: { nodeName: 'w', containers: [{ name: 'c', ports }] },
  } as unknown as Pod);
  const process = world.start([NAME]);
  seedService(world, 'web');
  await world.run(1000);
  const services = world.client.resource(SERVICES, 'ns');
  for (const port of [6443, 10_250, 8080]) {
    await services.patch('web', 'merge', { spec: { ports: [{ port, protocol: 'TCP' }] } });
    await world.run(1000);
    assert.equal(ingressOf(world, 'web'), undefined, String(port));
    await services.patch('web', 'merge', { spec: { ports: [{ port: 80, protocol: 'TCP' }] } });
    await world.run(1000);
    assert.equal(ingressOf(world, 'web')?.length, 1);
  }
  await process.kill();
});

test('which ports were given is known after a start too', async () => {
  const world = withNode(new Set(['tcp/22']));
  const before = world.start([NAME]);
  seedService(world, 'web');
  await world.run(1000);
  await before.kill();
  const services = world.client.resource(SERVICES, 'ns');
  await services.patch('web', 'merge', { spec: { ports: [{ port: 22, protocol: 'TCP' }] } });
  const process = world.start([NAME]);
  await world.run(1000);
  assert.equal(ingressOf(world, 'web'), undefined);
  await process.kill();
});

test('who has addresses gets no port with them that a program of the node listens on', async () => {
  const used = new Set(['tcp/22']);
  const world = withNode(used);
  const process = world.start([NAME]);
  seedService(world, 'web');
  await world.run(1000);
  assert.deepEqual(ingressOf(world, 'web'), GIVEN);
  const services = world.client.resource(SERVICES, 'ns');
  const withPorts = (...ports: readonly number[]) => ({
    spec: { ports: ports.map((port) => ({ port, protocol: 'TCP', name: `p${port}` })) },
  });
  used.add('tcp/80');
  await services.patch('web', 'merge', withPorts(80, 81));
  await world.run(1000);
  assert.deepEqual(
    ingressOf(world, 'web')?.[0]?.ports?.map(({ port }) => port),
    [80, 81],
    'a program that comes later',
  );
  used.delete('tcp/80');
  await services.patch('web', 'merge', withPorts(80, 81, 22));
  await world.run(1000);
  assert.equal(ingressOf(world, 'web'), undefined);
  assert.equal(counts(world)['SyncLoadBalancerFailed'], 1);
  await services.patch('web', 'merge', withPorts(81));
  await world.run(1000);
  assert.deepEqual(ingressOf(world, 'web')?.[0]?.ports, [{ port: 81, protocol: 'TCP' }]);
  await process.kill();
});

test('a pod with a host port that a load balancer had before it is told that it is not reached by it, once', async () => {
  const world = withNode();
  const process = world.start([NAME]);
  seedService(world, 'web', 'LoadBalancer', 80);
  await world.run(1000);
  const seed = (name: string, nodeName: string, hostPort: number): Pod =>
    world.api.seed(PODS, {
      metadata: { name, namespace: 'ns' },
      spec: { nodeName, containers: [{ name: 'c', ports: [{ containerPort: 8080, hostPort }] }] },
    } as unknown as Pod);
  seed('late', 'n', 80);
  seed('other', 'n', 81);
  seed('elsewhere', 'none', 80);
  await world.run(1000);
  const told = (): readonly (string | undefined)[] =>
    world.api
      .objects(EVENTS)
      .flatMap(({ reason, involvedObject, message }) =>
        reason === 'HostPortTaken' ? [`${involvedObject?.name}: ${message}`] : [],
      );
  const said =
    'late: port tcp/80 of node n is given to the load balancer of Service ns/web: this pod is not reached by it';
  assert.deepEqual(told(), [said]);
  seedService(world, 'more', 'LoadBalancer', 82);
  await world.run(1000);
  assert.deepEqual(told(), [said]);
  assert.equal(counts(world)['HostPortTaken'], 1);
  await process.kill();
});
