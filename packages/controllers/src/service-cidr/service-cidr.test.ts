import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { IP_ADDRESSES, SERVICE_CIDRS } from '@binnacle/api';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

const WHICH = ['service-cidr-controller'];

function seedAddress(world: TestWorld, name: string, labels: { readonly [key: string]: string }): void {
  world.api.seed(IP_ADDRESSES, {
    metadata: { name, labels },
    spec: { parentRef: { resource: 'services', name: 's' } },
  });
}

const ready = (world: TestWorld): unknown =>
  world.api.objects(SERVICE_CIDRS).map(({ metadata, status }) => {
    const condition = status?.conditions?.[0];
    return `${metadata.name} ${condition?.status ?? '-'} ${condition?.reason ?? ''}`;
  });

test('a range is guarded and ready; it goes ten seconds after its last address, and not before', async () => {
  const world = createTestWorld();
  const cidrs = world.client.resource(SERVICE_CIDRS);
  const process = world.start(WHICH);
  await cidrs.create({ metadata: { name: 'extra' }, spec: { cidrs: ['10.7.0.0/24'] } });
  await world.run(1000);
  assert.deepEqual(ready(world), ['extra True ']);
  assert.deepEqual(world.api.objects(SERVICE_CIDRS)[0]?.metadata.finalizers, [
    'networking.k8s.io/service-cidr-finalizer',
  ]);
  seedAddress(world, '10.7.0.9', { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' });
  seedAddress(world, '10.7.0.10', {});
  await cidrs.delete('extra');
  await world.run(60_000);
  assert.deepEqual(ready(world), ['extra False Terminating']);
  await world.client.resource(IP_ADDRESSES).delete('10.7.0.9');
  await world.run(1000);
  assert.deepEqual(ready(world), []);
  await process.kill();
});

test('a range that another one holds goes with its addresses given out, after ten seconds', async () => {
  const world = createTestWorld();
  const cidrs = world.client.resource(SERVICE_CIDRS);
  const process = world.start(WHICH);
  await cidrs.create({ metadata: { name: 'a' }, spec: { cidrs: ['10.7.0.0/24'] } });
  seedAddress(world, '10.7.0.9', { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' });
  await world.run(1000);
  await cidrs.delete('a');
  await world.run(2000);
  assert.deepEqual(ready(world), ['a False Terminating']);
  await cidrs.create({ metadata: { name: 'b' }, spec: { cidrs: ['10.0.0.0/8'] } });
  await world.run(20_000);
  assert.deepEqual(ready(world), ['b True ']);
  await process.kill();
});
