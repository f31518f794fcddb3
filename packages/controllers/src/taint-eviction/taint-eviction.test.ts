import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENTS, NODES, PODS } from '@binnacle/api';
import type { Taint } from '@binnacle/api/core/v1';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

const TAINT = { key: 'out', value: 'yes', effect: 'NoExecute' } as const;

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' } as const;
const UNREACHABLE = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' } as const;

async function start(tolerationSeconds: number) {
  const world = createTestWorld();
  const process = world.start(['taint-eviction-controller']);
  await world.client.resource(NODES).create({ metadata: { name: 'n' }, spec: {} });
  await world.client.resource(PODS, 'default').create({
    metadata: { name: 'p' },
    spec: {
      nodeName: 'n',
      containers: [{ name: 'c', image: 'x' }],
      tolerations: ['out', NOT_READY.key, UNREACHABLE.key].map((key) => ({
        ...{ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds },
      })),
    },
  });
  await world.run(100);
  const taint = async (taints: readonly Taint[]): Promise<void> => {
    await world.client.resource(NODES).patch('n', 'merge', { spec: { taints: taints.length > 0 ? taints : null } });
    await world.run(100);
  };
  return { world, process, taint };
}

const isThere = (world: TestWorld): boolean =>
  world.api.objects(PODS).some((pod) => pod.metadata.deletionTimestamp === undefined);

test('a taint without a time of its own is tolerated from when it was seen', async () => {
  const { world, process, taint } = await start(10);
  await taint([TAINT]);
  await world.run(9_000);
  assert.ok(isThere(world));
  await world.run(2_000);
  assert.ok(!isThere(world));
  await process.kill();
});

test('a taint with a time of its own is tolerated from then', async () => {
  const { world, process, taint } = await start(10);
  await taint([{ ...TAINT, timeAdded: new Date(world.clock.now() - 8_000).toISOString() }]);
  assert.ok(isThere(world));
  await world.run(3_000);
  assert.ok(!isThere(world));
  await process.kill();
});

test('a taint that goes in time evicts nobody, and begins anew when it comes back', async () => {
  const { world, process, taint } = await start(10);
  await taint([TAINT]);
  await world.run(8_000);
  await taint([]);
  await world.run(20_000);
  await taint([TAINT]);
  await world.run(8_000);
  assert.ok(isThere(world));
  // Another taint beside it does not begin the first one's time again.
  await taint([TAINT, { key: 'other', effect: 'NoSchedule' }]);
  await world.run(3_000);
  assert.ok(!isThere(world));
  await process.kill();
});

test('a node that is not ready and falls silent gives its pods no more time, however often it does', async () => {
  const { world, process, taint } = await start(10);
  const now = (): { readonly timeAdded: string } => ({ timeAdded: new Date(world.clock.now()).toISOString() });
  await taint([{ ...NOT_READY, ...now() }]);
  await world.run(4_000);
  await taint([{ ...UNREACHABLE, ...now() }]);
  await world.run(4_000);
  assert.ok(isThere(world));
  await taint([{ ...NOT_READY, ...now() }]);
  await world.run(3_000);
  assert.ok(!isThere(world));
  await process.kill();
});

test('a taint that goes evicts nobody while another is tolerated for longer; nor does what the pod takes back', async () => {
  const { world, process, taint } = await start(10);
  const now = { timeAdded: new Date(world.clock.now()).toISOString() };
  await taint([{ ...TAINT, ...now }]);
  await world.run(8_000);
  await taint([{ ...NOT_READY, timeAdded: new Date(world.clock.now()).toISOString() }]);
  await world.run(4_000);
  assert.ok(isThere(world));
  const [pod] = world.api.objects(PODS);
  const tolerations = pod?.spec.tolerations?.map((one) => ({ ...one, tolerationSeconds: 60 }));
  await world.client.resource(PODS, 'default').patch('p', 'merge', { spec: { tolerations } });
  await world.run(20_000);
  assert.ok(isThere(world));
  await process.kill();
});

test('a pod that has ended goes as well, and stays as it ended', async () => {
  const { world, process, taint } = await start(1);
  const [pod] = world.api.objects(PODS);
  world.api.setStatus(PODS, pod!, { phase: 'Succeeded' });
  await taint([TAINT]);
  assert.ok(isThere(world));
  await world.run(2_000);
  assert.ok(!isThere(world));
  assert.ok(
    world.api.objects(PODS).every(({ status }) => status?.phase === 'Succeeded' && status.conditions === undefined),
  );
  await process.kill();
});

test('a pod that may stay after all is told so, once, and one whose time had not begun is not', async () => {
  const { world, process, taint } = await start(10);
  const told = (): readonly string[] =>
    world.api.objects(EVENTS).map(({ reason, message, count }) => `${reason} ${message} ${count}`);
  await taint([{ key: 'other', effect: 'NoSchedule' }]);
  await taint([]);
  assert.deepEqual(told(), []);
  await taint([TAINT]);
  await world.run(8_000);
  await taint([]);
  await world.run(20_000);
  assert.deepEqual(told(), ['TaintManagerEviction Cancelling deletion of Pod default/p 1']);
  assert.ok(isThere(world));
  await process.kill();
});
