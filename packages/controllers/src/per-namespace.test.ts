import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS } from '@binnacle/api';
import { status } from '@binnacle/machinery';
import { createTestWorld } from './test-world.ts';
import type { TestWorld } from './test-world.ts';

const WHICH = ['root-ca-certificate-publisher-controller', 'serviceaccount-controller'];

const made = (world: TestWorld): unknown => [
  world.api.objects(CONFIG_MAPS).map(({ metadata }) => metadata.name),
  world.api.objects(SERVICE_ACCOUNTS).map(({ metadata }) => metadata.name),
];

test('what a quota or a policy refuses a namespace is tried again', async () => {
  const world = createTestWorld();
  const process = world.start(WHICH);
  const refused = status.forbidden({ group: '', resource: 'x' }, 'x', 'exceeded quota');
  world.network.faults.call = ({ verb, resource }) =>
    verb === 'create' && resource.resource !== 'namespaces' ? { kind: 'refuse', error: refused } : undefined;
  await world.client.resource(NAMESPACES).create({ metadata: { name: 'a' }, spec: {} });
  await world.run(30_000);
  assert.deepEqual(made(world), [[], []]);
  world.network.faults.call = undefined;
  await world.run(60_000);
  assert.deepEqual(made(world), [['kube-root-ca.crt'], ['default']]);
  await process.kill();
});

test('a namespace that began to go meanwhile is left alone', async () => {
  const world = createTestWorld();
  const process = world.start(WHICH);
  const why = 'unable to create new content in namespace a because it is being terminated';
  const error = status.forbidden({ group: '', resource: 'x' }, 'x', why);
  let tries = 0;
  world.network.faults.call = ({ verb, resource }) =>
    verb === 'create' && resource.resource !== 'namespaces' && tries++ >= 0 ? { kind: 'refuse', error } : undefined;
  await world.client.resource(NAMESPACES).create({ metadata: { name: 'a' }, spec: {} });
  await world.run(60_000);
  assert.equal(tries, 2, 'one each');
  await process.kill();
});
