import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { randomBelow } from '@binnacle/base';
import { CONTROLLER_REVISIONS, DAEMON_SETS, EVENTS, isPodActive, NODES, PODS } from '@binnacle/api';
import type { DaemonSetSpec } from '@binnacle/api/apps/v1';
import type { Taint } from '@binnacle/api/core/v1';
import { losePod, retried, survive } from '../test-crash.ts';
import { startFakeNode } from '../test-node.ts';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

const WHICH = ['daemonset-controller'];
const templateOf = (image: string) => ({
  metadata: { labels: { app: 'agent' } },
  spec: { containers: [{ name: 'c', image }] },
});
const spec = (more: Partial<DaemonSetSpec> = {}): DaemonSetSpec => ({
  selector: { matchLabels: { app: 'agent' } },
  template: templateOf('one'),
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
  ...more,
});
const sets = (world: TestWorld) => world.client.resource(DAEMON_SETS, 'default');
const addNode = (world: TestWorld, name: string, taints: readonly Taint[] = []) =>
  world.wire.seed(NODES, { metadata: { name }, spec: { taints } });
const placed = (world: TestWorld) =>
  world.wire
    .objects(PODS)
    .map((pod) => `${pod.spec.nodeName} ${pod.spec.containers[0]?.image}`)
    .toSorted();
const set = (world: TestWorld) => world.wire.objects(DAEMON_SETS)[0];

test('one pod for each node that comes, none for one that keeps it out; a failed one is made anew with back-off', async () => {
  const world = createTestWorld();
  startFakeNode(world);
  for (const name of ['n1', 'n2']) addNode(world, name);
  addNode(world, 'n3', [{ key: 'keep-out', effect: 'NoSchedule' }]);
  const process = world.start(WHICH);
  await sets(world).create({ metadata: { name: 'agent' }, spec: spec() });
  await world.run(5000);
  assert.deepEqual(placed(world), ['n1 one', 'n2 one']);
  addNode(world, 'n4');
  await world.run(5000);
  assert.deepEqual(placed(world), ['n1 one', 'n2 one', 'n4 one']);
  const { desiredNumberScheduled, numberReady, numberAvailable } = set(world)?.status ?? {};
  assert.deepEqual([desiredNumberScheduled, numberReady, numberAvailable], [3, 3, 3]);
  const pod = world.wire.objects(PODS)[0]!;
  assert.equal(pod.spec.tolerations?.length, 6);
  world.wire.setStatus(PODS, pod, { phase: 'Failed' });
  await world.run(5000);
  assert.equal(placed(world).length, 3);
  assert.ok(!world.wire.objects(PODS).some((one) => one.metadata.name === pod.metadata.name), 'another name');
  assert.ok(world.wire.objects(EVENTS).some((event) => event.reason === 'FailedDaemonPod'));
  world.wire.seed(NODES, { metadata: { name: 'n4' }, spec: { taints: [{ key: 'x', effect: 'NoExecute' }] } });
  await world.run(5000);
  assert.deepEqual(placed(world), ['n1 one', 'n2 one']);
  const before = world.wire.calls.length;
  await world.run(600_000);
  assert.equal(world.wire.calls.length, before, 'nothing changes, nothing is written');
  await process.kill();
});

test('a rollback replaces only what was rolled out, whatever somebody did to the history', async () => {
  const world = createTestWorld();
  const node = startFakeNode(world);
  for (const name of ['n1', 'n2', 'n3']) addNode(world, name);
  const process = world.start(WHICH);
  await sets(world).create({ metadata: { name: 'agent' }, spec: spec() });
  await world.run(5000);
  const first = new Set(world.wire.objects(PODS).map((pod) => pod.metadata.uid));
  node.accepts = (pod) => pod.spec.containers[0]?.image !== 'broken';
  await sets(world).patch('agent', 'merge', { spec: { template: templateOf('broken') } });
  await world.run(20_000);
  assert.equal(world.wire.objects(PODS).filter((pod) => first.has(pod.metadata.uid)).length, 2, 'one is stuck');
  const revisions = world.client.resource(CONTROLLER_REVISIONS, 'default');
  await revisions.create({ metadata: { name: 'foreign', labels: { app: 'agent' } }, revision: 7, data: { x: 1 } });
  await sets(world).patch('agent', 'merge', { spec: { template: templateOf('one') } });
  await world.run(20_000);
  assert.deepEqual(placed(world), ['n1 one', 'n2 one', 'n3 one']);
  assert.equal(world.wire.objects(PODS).filter((pod) => first.has(pod.metadata.uid)).length, 2, 'left untouched');
  const newest = world.wire.objects(CONTROLLER_REVISIONS).reduce((most, one) => Math.max(most, one.revision), 0);
  assert.equal(newest, 8, 'the highest plus one');
  await process.kill();
});

test('killed and restarted at random: one pod on each node in the end, and never two', async () => {
  for (let seed = 1; seed <= 5; seed++) {
    const tainted = new Set<string>();
    let image = 'one';
    const world = await survive({
      seed,
      which: WHICH,
      // A request that arrives after its sender died is corrected, but not prevented: see decision 0062.
      late: false,
      prepare: async (at) => {
        for (let i = 1; i <= 5; i++) addNode(at, `n${i}`);
        await sets(at).create({ metadata: { name: 'agent' }, spec: spec() });
      },
      disturb: async (at, random) => {
        const way = randomBelow(random, 3);
        const name = `n${1 + randomBelow(random, 5)}`;
        if (way === 0) await losePod(at, random);
        else if (way === 1) {
          if (!tainted.delete(name)) tainted.add(name);
          addNode(at, name, tainted.has(name) ? [{ key: 'x', effect: 'NoExecute' }] : []);
        } else {
          image = `i${randomBelow(random, 3)}`;
          await retried(() => sets(at).patch('agent', 'merge', { spec: { template: templateOf(image) } }));
        }
      },
      never: (pods) => {
        const active = pods.filter(isPodActive).flatMap((pod) => pod.spec.nodeName ?? []);
        assert.equal(new Set(active).size, active.length, `two on one node: ${active.join(' ')}`);
      },
    });
    const expected = ['n1', 'n2', 'n3', 'n4', 'n5']
      .filter((name) => !tainted.has(name))
      .map((name) => `${name} ${image}`);
    assert.deepEqual(placed(world), expected, `seed ${seed}`);
    assert.equal(set(world)?.status?.updatedNumberScheduled, expected.length, `seed ${seed}`);
  }
});
