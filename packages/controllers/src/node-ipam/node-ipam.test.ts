import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { EVENTS, NODES } from '@binnacle/api';
import { status } from '@binnacle/machinery';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

const WHICH = ['node-ipam-controller'];
const nodeCidrs = {
  clusterCidrs: ['10.244.0.0/22', 'fd00::/62'],
  serviceCidrs: ['10.244.2.0/24'],
};
const addNode = (world: TestWorld, name: string, podCIDRs: readonly string[] = []): unknown =>
  world.api.seed(NODES, {
    metadata: { name },
    spec: podCIDRs.length === 0 ? {} : { podCIDR: podCIDRs[0] ?? '', podCIDRs },
  });
const given = (world: TestWorld): unknown =>
  Object.fromEntries(world.api.objects(NODES).map(({ metadata, spec }) => [metadata.name, spec.podCIDRs]));

test('each node gets a network of each family, none that another has or Services use', async () => {
  const world = createTestWorld(1, { start: { nodeCidrs } });
  addNode(world, 'had', ['10.244.0.0/24', 'fd00::/64']);
  const process = world.start(WHICH);
  for (const name of ['a', 'b', 'c']) addNode(world, name);
  await world.run(1000);
  assert.deepEqual(given(world), {
    had: ['10.244.0.0/24', 'fd00::/64'],
    a: ['10.244.1.0/24', 'fd00:0:0:1::/64'],
    b: ['10.244.3.0/24', 'fd00:0:0:2::/64'],
    c: undefined,
  });
  assert.equal(world.api.objects(NODES)[0]?.spec.podCIDR, '10.244.1.0/24');
  const told = world.api.objects(EVENTS).map(({ reason, involvedObject }) => `${reason} ${involvedObject.name}`);
  assert.deepEqual(told, ['CIDRNotAvailable c']);
  await world.client.resource(NODES).delete('a');
  await world.run(1000);
  assert.deepEqual(Object.keys(given(world) as object), ['b', 'c', 'had']);
  assert.equal(world.api.objects(NODES)[1]?.spec.podCIDR, '10.244.1.0/24');
  await process.kill();
});

test('what is settled is given to whom it is settled for; who comes again has what it had', async () => {
  const settled = { own: ['10.244.0.0/24', 'fd00::/64'] };
  const world = createTestWorld(3, { start: { nodeCidrs: { ...nodeCidrs, settled } } });
  const process = world.start(WHICH);
  for (const name of ['a', 'b', 'own']) {
    addNode(world, name);
    await world.run(1000);
  }
  const all = {
    a: ['10.244.1.0/24', 'fd00:0:0:1::/64'],
    b: ['10.244.3.0/24', 'fd00:0:0:2::/64'],
    ...settled,
  };
  assert.deepEqual(given(world), all);
  for (const name of ['own', 'b', 'a']) await world.client.resource(NODES).delete(name);
  await world.run(1000);
  for (const name of ['b', 'own', 'a']) {
    addNode(world, name);
    await world.run(1000);
  }
  assert.deepEqual(given(world), all, 'in another order');
  await process.kill();
});

test('killed at random, with lost replies: no network is given twice', async () => {
  const world = createTestWorld(7, { start: { nodeCidrs: { clusterCidrs: ['10.0.0.0/18'] } } });
  let turn = 0;
  world.network.faults.call = (call) =>
    call.cause !== undefined && turn++ % 3 === 0 ? { kind: 'lose-reply' } : undefined;
  let process = world.start(WHICH);
  for (let i = 0; i < 40; i++) {
    addNode(world, `n${i}`);
    await world.run(i % 4);
    if (i % 5 !== 0) continue;
    await process.kill();
    process = world.start(WHICH);
  }
  world.network.faults.call = undefined;
  await world.run(60_000);
  const all = world.api.objects(NODES).map(({ spec }) => spec.podCIDR);
  assert.equal(new Set(all).size, 40);
  assert.ok(!all.includes(undefined));
  await process.kill();
});

test('a network that cannot be written is tried three times, told of, and given all the same later', async () => {
  const world = createTestWorld(5, { start: { nodeCidrs } });
  let left = 3;
  world.network.faults.call = (call) => {
    if (call.verb !== 'patch' || call.resource.resource !== 'nodes' || left === 0) return undefined;
    left--;
    return { kind: 'refuse', error: status.internalError('the store is away') };
  };
  const process = world.start(WHICH);
  addNode(world, 'a');
  await world.run(1000);
  const told = world.api.objects(EVENTS).map(({ type, reason, message }) => [type, reason, message]);
  assert.deepEqual(told, [['Normal', 'CIDRAssignmentFailed', 'Node a status is now: CIDRAssignmentFailed']]);
  assert.deepEqual(given(world), { a: ['10.244.0.0/24', 'fd00::/64'] });
  await process.kill();
});
