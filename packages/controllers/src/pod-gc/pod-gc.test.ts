import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { NODES, PODS } from '@binnacle/api';
import { status } from '@binnacle/machinery';
import type { Pod } from '@binnacle/api/core/v1';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';
import { pickTerminated } from './terminated.ts';

const WHICH = ['pod-garbage-collector-controller'];
const names = (world: TestWorld): unknown => world.api.objects(PODS).map(({ metadata }) => metadata.name);

function seedPod(world: TestWorld, name: string, nodeName: string, phase: 'Running' | 'Failed' = 'Running'): void {
  const spec = { nodeName, containers: [{ name: 'c', image: 'i' }] };
  world.api.seed(PODS, { metadata: { name, namespace: 'ns' }, spec, status: { phase } });
}

function seedNode(world: TestWorld, name: string, ready: boolean): void {
  const conditions = [{ type: 'Ready', status: ready ? ('True' as const) : ('Unknown' as const) }];
  world.api.seed(NODES, { metadata: { name }, spec: {}, status: { conditions } });
}

test('pods that go and are on a node out of service are taken away, and no others', async () => {
  const world = createTestWorld();
  seedNode(world, 'lost', false);
  seedNode(world, 'well', true);
  for (const node of ['lost', 'well']) {
    seedPod(world, `going-${node}`, node);
    seedPod(world, `stays-${node}`, node);
    await world.client.resource(PODS, 'ns').delete(`going-${node}`);
  }
  const process = world.start(WHICH);
  await world.run(60_000);
  assert.equal((names(world) as unknown[]).length, 4, 'nobody said that the node is out of service');
  const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }];
  for (const node of ['lost', 'well']) await world.client.resource(NODES).patch(node, 'merge', { spec: { taints } });
  await world.run(1000);
  assert.deepEqual(names(world), ['going-well', 'stays-lost', 'stays-well']);
  await process.kill();
});

test('pods of a node that is gone go after forty seconds', async () => {
  const world = createTestWorld();
  seedNode(world, 'n', true);
  seedPod(world, 'p', 'n');
  const process = world.start(WHICH);
  await world.run(1000);
  await world.client.resource(NODES).delete('n');
  await world.run(35_000);
  assert.deepEqual(names(world), ['p']);
  await world.run(10_000);
  assert.deepEqual(names(world), []);
  await process.kill();
});

test('a pod that goes and never had a node has failed within twenty seconds, and was nobody’s target', async () => {
  const world = createTestWorld();
  const finalizers = ['example.com/held'];
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  world.api.seed(PODS, { metadata: { name: 'p', namespace: 'ns', finalizers }, spec, status: { phase: 'Pending' } });
  const process = world.start(WHICH);
  await world.client.resource(PODS, 'ns').delete('p');
  await world.run(20_500);
  const [pod] = world.api.objects(PODS);
  assert.deepEqual([pod?.status?.phase, pod?.status?.conditions ?? []], ['Failed', []]);
  await process.kill();
});

for (const [threshold, left] of [
  [2, ['b', 'c', 'runs']],
  [0, ['a', 'b', 'c', 'runs']],
] as const) {
  test(`of pods that have ended ${threshold === 0 ? 'all' : threshold} stay`, async () => {
    const world = createTestWorld(1, { start: { terminatedPodThreshold: threshold } });
    seedNode(world, 'n', true);
    seedPod(world, 'runs', 'n');
    const process = world.start(WHICH);
    for (const name of ['a', 'b', 'c']) seedPod(world, name, 'n', 'Failed');
    await world.run(30_000);
    assert.deepEqual(names(world), left);
    await process.kill();
  });
}

test('evicted pods go first, then the oldest', () => {
  const pod = (name: string, second: number, reason = ''): Pod => ({
    metadata: { name, creationTimestamp: `2026-01-01T00:00:0${second}Z` },
    spec: { containers: [] },
    status: { phase: 'Failed', reason },
  });
  const all = [pod('young', 5), pod('evicted', 9, 'Evicted'), pod('old', 1), pod('as-old', 1)];
  assert.deepEqual(
    pickTerminated(all, 3).map(({ metadata }) => metadata.name),
    ['evicted', 'as-old', 'old'],
  );
  assert.deepEqual(pickTerminated(all, -1), []);
});

test('a pod that may not be deleted, or that is held while it goes, keeps no other that has ended', async () => {
  const world = createTestWorld(1, { start: { terminatedPodThreshold: 1 } });
  seedNode(world, 'n', true);
  world.network.faults.call = ({ verb, name }) =>
    verb === 'delete' && name === 'b-kept'
      ? { kind: 'refuse', error: status.forbidden(PODS, 'b-kept', 'a policy says so') }
      : undefined;
  const finalizers = ['example.com/held'];
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
  const held = { name: 'a-held', namespace: 'ns', finalizers };
  world.api.seed(PODS, { metadata: held, spec, status: { phase: 'Failed' } });
  await world.client.resource(PODS, 'ns').delete('a-held', { gracePeriodSeconds: 0 });
  const process = world.start(WHICH);
  for (const name of ['b-kept', 'c', 'd']) seedPod(world, name, 'n', 'Failed');
  await world.run(30_000);
  assert.deepEqual(names(world), ['a-held', 'b-kept', 'd']);
  await process.kill();
});
