import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { EVENTS, NODES, SERVICES } from '@binnacle/api';
import { seedPod, slicesOf, spec } from '../test-services.ts';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

const AUTO = 'service.kubernetes.io/topology-mode';
const seedNode = (world: TestWorld, name: string, ready = true): unknown =>
  world.api.seed(NODES, {
    metadata: { name, labels: { 'topology.kubernetes.io/zone': `zone-of-${name}` } },
    spec: {},
    status: { allocatable: { cpu: '4' }, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  });
const hints = (world: TestWorld): readonly string[] =>
  slicesOf(world).flatMap((slice) => (slice.endpoints ?? []).map((one) => one.hints?.forZones?.[0]?.name ?? '-'));
const told = (world: TestWorld): readonly string[] =>
  world.api.objects(EVENTS).map((event) => `${event.type} ${event.reason} ${event.message}`);

test('topology-mode Auto: hints by the zones’ CPU, gone and told when there can be none, back with the nodes', async () => {
  const world = createTestWorld();
  for (const name of ['n1', 'n2']) seedNode(world, name);
  for (let i = 1; i <= 4; i++) seedPod(world, i, { node: 'n1' });
  const process = world.start(['endpointslice-controller']);
  const services = world.client.resource(SERVICES, 'ns');
  const of = spec('web', { trafficDistribution: 'PreferSameNode' });
  await services.create({ metadata: { name: 'web', annotations: { [AUTO]: 'Auto' } }, spec: of });
  await world.run(5000);
  const [one, two] = ['zone-of-n1', 'zone-of-n2'];
  assert.deepEqual(hints(world).toSorted(), [one, one, two, two]);
  assert.deepEqual(told(world), [
    'Normal TopologyAwareHintsEnabled Topology Aware Hints has been enabled, addressType: IPv4',
  ]);
  const before = world.network.calls.length;
  await world.run(60_000);
  assert.equal(world.network.calls.length, before, 'nothing changes, nothing is written');

  seedNode(world, 'n2', false);
  await world.run(5000);
  assert.deepEqual(hints(world), ['-', '-', '-', '-']);
  const nodes = 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes';
  assert.equal(told(world)[1], `Warning TopologyAwareHintsDisabled ${nodes}, addressType: IPv4`);

  seedNode(world, 'n2');
  await world.run(5000);
  assert.deepEqual(hints(world).toSorted(), [one, one, two, two]);
  await services.patch('web', 'merge', { metadata: { annotations: { [AUTO]: null } } });
  await world.run(5000);
  assert.deepEqual(hints(world), [one, one, one, one], 'traffic distribution holds again');
  assert.equal(
    told(world).at(-1),
    'Warning TopologyAwareHintsDisabled Topology Aware Hints has been disabled, addressType: IPv4',
  );
  await process.kill();
});
