import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { CONFIG_MAPS, NAMESPACES, PODS, SECRETS, SERVICE_ACCOUNTS } from '@binnacle/api';
import { status } from '@binnacle/machinery';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';
import { deleteContent } from './content.ts';

const containers = [{ name: 'c', image: 'x' }];

async function fill(world: TestWorld): Promise<void> {
  await world.client.resource(NAMESPACES).create({ metadata: { name: 'team' }, spec: {} });
  await world.client.resource(CONFIG_MAPS, 'team').create({ metadata: { name: 'c' } });
  await world.client.resource(SECRETS, 'team').create({ metadata: { name: 's' } });
  await world.client.resource(PODS, 'team').create({ metadata: { name: 'p' }, spec: { containers, nodeName: 'n' } });
}

const namespace = (world: TestWorld) => world.api.objects(NAMESPACES)[0];

test('pods go first and alone; then everything; then the namespace', async () => {
  const world = createTestWorld();
  const process = world.start(['namespace-controller']);
  await fill(world);
  await world.client.resource(NAMESPACES).delete('team');
  await world.run(1000);
  assert.equal(world.api.objects(CONFIG_MAPS).length, 1, 'the pod still runs');
  assert.ok(world.api.objects(PODS)[0]?.metadata.deletionTimestamp);
  const conditions = namespace(world)?.status?.conditions ?? [];
  assert.deepEqual(
    conditions.map((one) => `${one.type} ${one.status} ${one.reason} ${one.message}`),
    [
      'NamespaceDeletionDiscoveryFailure False ResourcesDiscovered All resources successfully discovered',
      'NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions All legacy kube types successfully parsed',
      'NamespaceDeletionContentFailure False ContentDeleted All content successfully deleted, may be waiting on finalization',
      'NamespaceContentRemaining True SomeResourcesRemain Some resources are remaining: pods. has 1 resource instances',
      'NamespaceFinalizersRemaining False ContentHasNoFinalizers All content-preserving finalizers finished',
    ],
  );
  await world.client.resource(PODS, 'team').delete('p', { gracePeriodSeconds: 0 });
  await world.run(100);
  assert.equal(world.api.objects(CONFIG_MAPS).length + world.api.objects(SECRETS).length, 0);
  assert.equal(namespace(world), undefined, 'without waiting for a timer');
  await process.kill();
});

test('what a finalizer holds is told, and the namespace waits for it', async () => {
  const world = createTestWorld();
  const process = world.start(['namespace-controller']);
  await world.client.resource(NAMESPACES).create({ metadata: { name: 'team' }, spec: {} });
  const configMaps = world.client.resource(CONFIG_MAPS, 'team');
  await configMaps.create({ metadata: { name: 'held', finalizers: ['a.io/b'] } });
  await world.client.resource(NAMESPACES).delete('team');
  await world.run(1000);
  const remaining = namespace(world)?.status?.conditions?.find((one) => one.type === 'NamespaceFinalizersRemaining');
  assert.equal(
    remaining?.message,
    'Some content in the namespace has finalizers remaining: a.io/b in 1 resource instances',
  );
  await configMaps.patch('held', 'merge', { metadata: { finalizers: null } });
  await world.run(20_000);
  assert.equal(namespace(world), undefined);
  await process.kill();
});

test('what may not be deleted is tried less and less often, and goes once it may', async () => {
  const world = createTestWorld();
  const process = world.start(['namespace-controller']);
  await fill(world);
  await world.client.resource(PODS, 'team').delete('p', { gracePeriodSeconds: 0 });
  let tries = 0;
  world.network.faults.call = ({ verb, resource }) => {
    if (resource.resource !== 'secrets' || !verb.startsWith('delete')) return undefined;
    tries++;
    return { kind: 'refuse', error: status.forbidden(SECRETS, '', 'a policy says so') };
  };
  await world.client.resource(NAMESPACES).delete('team');
  await world.run(3_600_000);
  assert.equal(world.api.objects(CONFIG_MAPS).length, 0, 'nothing else waits for it');
  const failure = namespace(world)?.status?.conditions?.find((one) => one.type === 'NamespaceDeletionContentFailure');
  assert.match(failure?.message ?? '', /a policy says so/);
  assert.ok(tries > 50 && tries < 100, `${tries} tries in an hour`);
  world.network.faults.call = () => undefined;
  await world.run(61_000);
  assert.equal(namespace(world), undefined);
  await process.kill();
});

test('a namespace that nobody deletes is not touched; other namespaces keep their content', async () => {
  const world = createTestWorld();
  const process = world.start(['namespace-controller']);
  await fill(world);
  await world.client.resource(NAMESPACES).create({ metadata: { name: 'other' }, spec: {} });
  await world.client.resource(NAMESPACES).delete('other');
  await world.run(5000);
  assert.deepEqual([world.api.objects(PODS).length, world.api.objects(NAMESPACES).length], [1, 1]);
  await process.kill();
});

test('each namespace gets its ServiceAccount and its root CA, again when they are taken away', async () => {
  const world = createTestWorld();
  const process = world.start(['serviceaccount-controller', 'root-ca-certificate-publisher-controller']);
  await world.client.resource(NAMESPACES).create({ metadata: { name: 'team' }, spec: {} });
  await world.run(1000);
  const found = (): unknown[] => [
    world.api.objects(SERVICE_ACCOUNTS).map((account) => account.metadata.name),
    world.api.objects(CONFIG_MAPS).map((map) => [map.metadata.name, map.data]),
  ];
  const right = [['default'], [['kube-root-ca.crt', { 'ca.crt': 'CA' }]]];
  assert.deepEqual(found(), right);
  await world.client.resource(SERVICE_ACCOUNTS, 'team').delete('default');
  await world.client.resource(CONFIG_MAPS, 'team').patch('kube-root-ca.crt', 'merge', { data: { 'ca.crt': 'evil' } });
  await world.run(1000);
  assert.deepEqual(found(), right);
  await process.kill();
});

test('of a kind without deletecollection one that may not be deleted keeps no other one', async () => {
  const world = createTestWorld();
  const configMaps = world.client.resource(CONFIG_MAPS, 'team');
  for (const name of ['a', 'b', 'c']) await configMaps.create({ metadata: { name } });
  world.network.faults.call = ({ verb, name }) =>
    verb === 'delete' && name === 'a' ? { kind: 'refuse', error: status.forbidden(CONFIG_MAPS, 'a', 'no') } : undefined;
  const resource = { ...CONFIG_MAPS, namespaced: true, verbs: ['list', 'delete'] };
  const context = {
    signal: new AbortController().signal,
    cause: { id: 'c', component: 'test', request: 'test' },
    requeueAfter: () => undefined,
    postpone: () => undefined,
  };
  const { failure } = await deleteContent(world.client, { resource, namespace: 'team' }, context);
  assert.equal(failure, 'configmaps: configmaps "a" is forbidden: no');
  assert.deepEqual(
    world.api.objects(CONFIG_MAPS).map(({ metadata }) => metadata.name),
    ['a'],
  );
});

test('pods that go one after the other have the namespace looked at once', async () => {
  const world = createTestWorld();
  const process = world.start(['namespace-controller']);
  await world.client.resource(NAMESPACES).create({ metadata: { name: 'team' }, spec: {} });
  const pods = world.client.resource(PODS, 'team');
  const names = Array.from({ length: 20 }, (_, i) => `p${i}`);
  for (const name of names) await pods.create({ metadata: { name }, spec: { containers, nodeName: 'n' } });
  await world.client.resource(NAMESPACES).delete('team');
  await world.run(200);
  const syncs = (): number => process.controllers.inspect()[0]?.syncs ?? 0;
  const before = syncs();
  for (const name of names) {
    await pods.delete(name, { gracePeriodSeconds: 0 });
    await world.run(20);
  }
  await world.run(200);
  assert.equal(namespace(world), undefined, 'without waiting for a timer');
  // One look empties it and lets it go; the second one finds it gone.
  assert.ok(syncs() - before <= 2, `${syncs() - before} looks`);
  await process.kill();
});
