import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import {
  CLUSTER_ROLES,
  CONFIG_MAPS,
  DEPLOYMENTS,
  EVENTS,
  NAMESPACES,
  PODS,
  REPLICA_SETS,
  SECRETS,
} from '@binnacle/api';
import type { ResourceRef } from '@binnacle/api';
import { groupVersion, status } from '@binnacle/machinery';
import type { KubeObject, OwnerReference } from '@binnacle/machinery';
import { deafTo } from '../test-deaf.ts';
import { startFakeNode } from '../test-node.ts';
import { createTestWorld } from '../test-world.ts';

const GC = ['garbage-collector-controller'];

function ownedBy<T extends KubeObject>(ref: ResourceRef<T>, owner: T, block = false): OwnerReference {
  return {
    apiVersion: groupVersion(ref),
    kind: ref.kind,
    name: owner.metadata.name ?? '',
    uid: owner.metadata.uid ?? '',
    ...(block ? { blockOwnerDeletion: true } : {}),
  };
}

async function setUp() {
  const world = createTestWorld(9);
  const process = world.start(GC);
  await world.run(1000);
  const configMaps = world.client.resource(CONFIG_MAPS, 'ns');
  const secrets = world.client.resource(SECRETS, 'ns');
  return { world, process, configMaps, secrets };
}

test('background: what an absent owner leaves behind goes, down the whole chain; the rest stays', async () => {
  const { world, process, configMaps, secrets } = await setUp();
  const owner = await configMaps.create({ metadata: { name: 'owner' } });
  const child = await secrets.create({ metadata: { name: 'child', ownerReferences: [ownedBy(CONFIG_MAPS, owner)] } });
  await configMaps.create({ metadata: { name: 'grandchild', ownerReferences: [ownedBy(SECRETS, child)] } });
  await configMaps.create({ metadata: { name: 'bystander' } });
  await world.run(1000);
  assert.equal(world.api.objects(CONFIG_MAPS).length, 3);
  await configMaps.delete('owner');
  await world.run(5000);
  assert.deepEqual(
    world.api.objects(CONFIG_MAPS).map((one) => one.metadata.name),
    ['bystander'],
  );
  assert.equal(world.api.objects(SECRETS).length, 0);
  const quiet = world.network.calls.length;
  await world.run(3_600_000);
  assert.equal(world.network.calls.length, quiet);
  await process.kill();
});

test('an owner that was seen to go is not asked for once more', async () => {
  const { world, process, configMaps, secrets } = await setUp();
  for (const name of ['a', 'b', 'c']) {
    const owner = await configMaps.create({ metadata: { name } });
    await secrets.create({ metadata: { name: `of-${name}`, ownerReferences: [ownedBy(CONFIG_MAPS, owner)] } });
  }
  await world.run(1000);
  const before = world.network.calls.length;
  for (const name of ['a', 'b', 'c']) await configMaps.delete(name);
  await world.run(5000);
  assert.equal(world.api.objects(SECRETS).length, 0);
  const asked = world.network.calls.slice(before).filter(({ verb }) => verb === 'get');
  assert.deepEqual(
    asked.map(({ name }) => name),
    ['of-a', 'of-b', 'of-c'],
  );
  await process.kill();
});

test('an owner that was gone before the collector started, and a reference with the wrong UID', async () => {
  const world = createTestWorld(9);
  const configMaps = world.client.resource(CONFIG_MAPS, 'ns');
  const living = await configMaps.create({ metadata: { name: 'living' } });
  const ghost = { apiVersion: 'v1', kind: 'ConfigMap', name: 'ghost', uid: 'u-ghost' };
  await configMaps.create({ metadata: { name: 'a', ownerReferences: [ghost] } });
  await configMaps.create({
    metadata: { name: 'b', ownerReferences: [{ ...ownedBy(CONFIG_MAPS, living), uid: 'u-former' }] },
  });
  await configMaps.create({ metadata: { name: 'c', ownerReferences: [ghost, ownedBy(CONFIG_MAPS, living)] } });
  const process = world.start(GC);
  await world.run(5000);
  assert.deepEqual(
    world.api.objects(CONFIG_MAPS).map((one) => [one.metadata.name, one.metadata.ownerReferences?.length ?? 0]),
    [
      ['c', 1],
      ['living', 0],
    ],
  );
  await process.kill();
});

test('foreground: the owner waits for those that block it', async () => {
  const { world, process, configMaps, secrets } = await setUp();
  const owner = await configMaps.create({ metadata: { name: 'owner' } });
  const references = [ownedBy(CONFIG_MAPS, owner, true)];
  await secrets.create({ metadata: { name: 'slow', ownerReferences: references, finalizers: ['a.io/b'] } });
  await secrets.create({ metadata: { name: 'quick', ownerReferences: references } });
  await world.run(1000);
  await configMaps.delete('owner', { propagationPolicy: 'Foreground' });
  await world.run(5000);
  assert.deepEqual(
    world.api.objects(SECRETS).map((one) => one.metadata.name),
    ['slow'],
  );
  assert.deepEqual(world.api.objects(CONFIG_MAPS)[0]?.metadata.finalizers, ['foregroundDeletion']);
  await secrets.patch('slow', 'merge', { metadata: { finalizers: null } });
  await world.run(5000);
  assert.equal(world.api.objects(SECRETS).length + world.api.objects(CONFIG_MAPS).length, 0);
  await process.kill();
});

test('a kind that cannot be listed keeps no other garbage, and its own goes later', async () => {
  const deaf = deafTo('secrets');
  const world = createTestWorld(9, { between: deaf.between });
  const configMaps = world.client.resource(CONFIG_MAPS, 'ns');
  const owner = await configMaps.create({ metadata: { name: 'owner' } });
  const metadata = { name: 'child', ownerReferences: [ownedBy(CONFIG_MAPS, owner)] };
  await configMaps.create({ metadata });
  await world.client.resource(SECRETS, 'ns').create({ metadata });
  const process = world.start(GC);
  await world.run(60_000);
  await configMaps.delete('owner');
  await world.run(5000);
  assert.deepEqual([world.api.objects(CONFIG_MAPS).length, world.api.objects(SECRETS).length], [0, 1]);
  deaf.on = false;
  await world.run(120_000);
  assert.equal(world.api.objects(SECRETS).length, 0);
  await process.kill();
});

test('orphan: the owner goes, the dependents stay without it', async () => {
  const { world, process, configMaps, secrets } = await setUp();
  const owner = await configMaps.create({ metadata: { name: 'owner' } });
  await secrets.create({ metadata: { name: 'child', ownerReferences: [ownedBy(CONFIG_MAPS, owner)] } });
  await world.run(1000);
  await configMaps.delete('owner', { propagationPolicy: 'Orphan' });
  await world.run(5000);
  assert.equal(world.api.objects(CONFIG_MAPS).length, 0);
  assert.equal(world.api.objects(SECRETS)[0]?.metadata.ownerReferences, undefined);
  await process.kill();
});

test('orphan: a dependent that may not be changed keeps its owner, and no other dependent with it', async () => {
  const { world, process, configMaps, secrets } = await setUp();
  const owner = await configMaps.create({ metadata: { name: 'owner' } });
  for (const name of ['a', 'b', 'c'])
    await secrets.create({ metadata: { name, ownerReferences: [ownedBy(CONFIG_MAPS, owner)] } });
  await world.run(1000);
  world.network.faults.call = ({ verb, name }) =>
    verb === 'patch' && name === 'a' ? { kind: 'refuse', error: status.forbidden(SECRETS, 'a', 'no') } : undefined;
  await configMaps.delete('owner', { propagationPolicy: 'Orphan' });
  await world.run(5000);
  const owned = (): unknown =>
    world.api.objects(SECRETS).flatMap(({ metadata }) => (metadata.ownerReferences === undefined ? [] : metadata.name));
  assert.deepEqual([owned(), world.api.objects(CONFIG_MAPS).length], [['a'], 1]);
  world.network.faults.call = undefined;
  await world.run(60_000);
  assert.deepEqual([owned(), world.api.objects(CONFIG_MAPS).length], [[], 0]);
  await process.kill();
});

test('two that own each other go together in the foreground', async () => {
  const { world, process, configMaps } = await setUp();
  const a = await configMaps.create({ metadata: { name: 'a' } });
  const b = await configMaps.create({ metadata: { name: 'b', ownerReferences: [ownedBy(CONFIG_MAPS, a, true)] } });
  await configMaps.patch('a', 'merge', { metadata: { ownerReferences: [ownedBy(CONFIG_MAPS, b, true)] } });
  await world.run(1000);
  await configMaps.delete('a', { propagationPolicy: 'Foreground' });
  await world.run(30_000);
  assert.equal(world.api.objects(CONFIG_MAPS).length, 0);
  await process.kill();
});

for (const propagationPolicy of ['Foreground', 'Background', 'Orphan']) {
  test(`one that owns itself goes, and is not looked for without an end: ${propagationPolicy}`, async () => {
    const { world, process, configMaps } = await setUp();
    const own = await configMaps.create({ metadata: { name: 'own' } });
    await configMaps.patch('own', 'merge', { metadata: { ownerReferences: [ownedBy(CONFIG_MAPS, own, true)] } });
    await world.run(1000);
    await configMaps.delete('own', { propagationPolicy });
    await world.run(30_000);
    assert.equal(world.api.objects(CONFIG_MAPS).length, 0);
    const quiet = world.network.calls.length;
    await world.run(3_600_000);
    assert.equal(world.network.calls.length, quiet);
    await process.kill();
  });
}

test('a cluster-scoped object with a namespaced owner is kept, and an Event says why', async () => {
  const { world, process } = await setUp();
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u-x' };
  await world.client
    .resource(CLUSTER_ROLES)
    .create({ metadata: { name: 'role', ownerReferences: [owner] }, rules: [] });
  await world.run(5000);
  assert.equal(world.api.objects(CLUSTER_ROLES).length, 1);
  assert.equal(world.api.objects(EVENTS)[0]?.reason, 'OwnerRefInvalidNamespace');
  await process.kill();
});

test('what comes when its owner is gone goes too, though others of the owner are still held', async () => {
  const { world, process, configMaps, secrets } = await setUp();
  const owner = await configMaps.create({ metadata: { name: 'owner' } });
  const ownerReferences = [ownedBy(CONFIG_MAPS, owner)];
  await secrets.create({ metadata: { name: 'held', ownerReferences, finalizers: ['a.io/b'] } });
  await configMaps.delete('owner');
  await world.run(5000);
  await secrets.create({ metadata: { name: 'late', ownerReferences } });
  await world.run(5000);
  const left = world.api.objects(SECRETS).map((one) => one.metadata.name);
  assert.deepEqual(left, ['held']);
  await process.kill();
});

const FALSE_REFERENCES: readonly [name: string, change: Partial<OwnerReference>][] = [
  ['another name', { name: 'nobody' }],
  ['another kind', { kind: 'Secret' }],
  ['another group', { apiVersion: 'apps/v1', kind: 'Deployment' }],
];
for (const [name, change] of FALSE_REFERENCES) {
  test(`a reference with the UID of a living object and ${name} owns nothing`, async () => {
    const { world, process, configMaps, secrets } = await setUp();
    const owner = await configMaps.create({ metadata: { name: 'owner' } });
    await world.run(1000);
    await secrets.create({ metadata: { name: 'a', ownerReferences: [{ ...ownedBy(CONFIG_MAPS, owner), ...change }] } });
    await secrets.create({ metadata: { name: 'b', ownerReferences: [ownedBy(CONFIG_MAPS, owner)] } });
    await world.run(5000);
    assert.deepEqual(
      world.api.objects(SECRETS).map((one) => one.metadata.name),
      ['b'],
    );
    await process.kill();
  });
}

test('nobody is owned across namespaces, and an Event says so', async () => {
  const { world, process, configMaps } = await setUp();
  const owner = await configMaps.create({ metadata: { name: 'owner' } });
  await world.run(1000);
  const elsewhere = world.client.resource(CONFIG_MAPS, 'other');
  await elsewhere.create({ metadata: { name: 'child', ownerReferences: [ownedBy(CONFIG_MAPS, owner)] } });
  await world.run(5000);
  assert.deepEqual(
    world.api.objects(CONFIG_MAPS).map((one) => one.metadata.name),
    ['owner'],
  );
  assert.equal(world.api.objects(EVENTS)[0]?.reason, 'OwnerRefInvalidNamespace');
  await process.kill();
});

const MISLED: readonly [name: string, namespace: string, change: Partial<OwnerReference>][] = [
  ['another namespace', 'a', {}],
  ['another name', 'ns', { name: 'nobody' }],
  ['another kind', 'ns', { kind: 'Secret' }],
];
for (const [name, namespace, change] of MISLED) {
  test(`who names its owner with ${name} and is seen before it goes, too`, async () => {
    const world = createTestWorld(9);
    const owner = await world.client.resource(CONFIG_MAPS, 'ns').create({ metadata: { name: 'owner' } });
    const ownerReferences = [{ ...ownedBy(CONFIG_MAPS, owner), ...change }];
    await world.client.resource(CONFIG_MAPS, namespace).create({ metadata: { name: 'child', ownerReferences } });
    const process = world.start(GC);
    await world.run(5000);
    assert.deepEqual(
      world.api.objects(CONFIG_MAPS).map((one) => one.metadata.name),
      ['owner'],
    );
    const told = world.api.objects(EVENTS).map(({ reason, message }) => `${reason} ${message}`);
    const reference = `v1/ConfigMap, namespace: a, name: owner, uid: ${owner.metadata.uid}`;
    const complaint = `OwnerRefInvalidNamespace ownerRef [${reference}] does not exist in namespace "a"`;
    assert.deepEqual(told, namespace === 'a' ? [complaint] : []);
    await process.kill();
  });
}

test('who gets an owner that waits in the foreground goes at once', async () => {
  const { world, process, configMaps } = await setUp();
  const owner = await configMaps.create({ metadata: { name: 'owner' } });
  const ownerReferences = [ownedBy(CONFIG_MAPS, owner, true)];
  await configMaps.create({ metadata: { name: 'held', ownerReferences, finalizers: ['a.io/b'] } });
  await configMaps.create({ metadata: { name: 'late' } });
  await configMaps.delete('owner', { propagationPolicy: 'Foreground' });
  await world.run(5000);
  assert.equal(world.api.objects(CONFIG_MAPS).length, 3);
  await configMaps.patch('late', 'merge', { metadata: { ownerReferences } });
  await world.run(5000);
  assert.deepEqual(
    world.api.objects(CONFIG_MAPS).map((one) => one.metadata.name),
    ['held', 'owner'],
  );
  await process.kill();
});

test('a UID that was first told with a kind that nobody serves holds no others', async () => {
  const { world, process, secrets } = await setUp();
  const [name, uid] = ['gone', 'u-gone'];
  await secrets.create({
    metadata: { name: 'odd', ownerReferences: [{ apiVersion: 'v1', kind: 'constructor', name, uid }] },
  });
  await world.run(1000);
  await secrets.create({
    metadata: { name: 'plain', ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }] },
  });
  await world.run(5000);
  assert.deepEqual(
    world.api.objects(SECRETS).map((one) => one.metadata.name),
    ['odd'],
  );
  await process.kill();
});

test('a namespaced object may have a cluster-scoped owner', async () => {
  const { world, process, configMaps } = await setUp();
  const owner = await world.client.resource(NAMESPACES).create({ metadata: { name: 'n' }, spec: {} });
  await configMaps.create({ metadata: { name: 'child', ownerReferences: [ownedBy(NAMESPACES, owner)] } });
  await world.run(2000);
  assert.equal(world.api.objects(CONFIG_MAPS).length, 1);
  await world.client
    .resource(NAMESPACES)
    .subresource('update', 'n', 'finalize', { ...owner, spec: { finalizers: [] } });
  await world.client.resource(NAMESPACES).delete('n');
  await world.run(5000);
  assert.equal(world.api.objects(CONFIG_MAPS).length, 0);
  await process.kill();
});

test('a deployment takes its sets and pods along', async () => {
  const world = createTestWorld(9);
  startFakeNode(world);
  const process = world.start([...GC, 'deployment-controller', 'replicaset-controller']);
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x' }] } };
  const spec = { replicas: 3, selector: { matchLabels: { a: 'b' } }, template };
  await world.client.resource(DEPLOYMENTS, 'default').create({ metadata: { name: 'web' }, spec });
  await world.run(10_000);
  assert.equal(world.api.objects(PODS).length, 3);
  await world.client.resource(DEPLOYMENTS, 'default').delete('web', { propagationPolicy: 'Background' });
  await world.run(20_000);
  assert.equal(world.api.objects(PODS).length + world.api.objects(REPLICA_SETS).length, 0);
  assert.ok(world.api.objects(EVENTS).length > 0);
  await process.kill();
});
