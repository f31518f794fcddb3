import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { CONTROLLER_REVISIONS, EVENTS, NODES, PODS } from '@binnacle/api';
import { startFakeNode } from '../test-node.ts';
import { createTestWorld } from '../test-world.ts';
import { addNode, placed, set, sets, spec, templateOf, WHICH } from './test-lives.ts';

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
  const pod = world.api.objects(PODS)[0]!;
  assert.equal(pod.spec.tolerations?.length, 6);
  world.api.setStatus(PODS, pod, { phase: 'Failed' });
  await world.run(5000);
  assert.equal(placed(world).length, 3);
  assert.ok(!world.api.objects(PODS).some((one) => one.metadata.name === pod.metadata.name), 'another name');
  assert.ok(world.api.objects(EVENTS).some((event) => event.reason === 'FailedDaemonPod'));
  world.api.seed(NODES, { metadata: { name: 'n4' }, spec: { taints: [{ key: 'x', effect: 'NoExecute' }] } });
  await world.run(5000);
  assert.deepEqual(placed(world), ['n1 one', 'n2 one']);
  const before = world.network.calls.length;
  await world.run(600_000);
  assert.equal(world.network.calls.length, before, 'nothing changes, nothing is written');
  await process.kill();
});

test('a pod that failed before it had its node is made anew too, as often as it fails', async () => {
  const world = createTestWorld();
  addNode(world, 'n1');
  const process = world.start(WHICH);
  await sets(world).create({ metadata: { name: 'agent' }, spec: spec() });
  await world.run(5000);
  for (let failures = 0; failures < 2; failures++) {
    const [pod] = world.api.objects(PODS);
    assert.ok(pod !== undefined && pod.status?.phase !== 'Failed', `made after ${failures} failures`);
    world.api.setStatus(PODS, pod, { phase: 'Failed' });
    await world.run(200);
  }
  assert.equal(world.api.objects(PODS)[0]?.status?.phase, 'Failed', 'it waits');
  await world.run(60_000);
  const [again] = world.api.objects(PODS);
  assert.ok(again !== undefined && again.status?.phase !== 'Failed', 'made once more');
  await process.kill();
});

test('a rollback replaces only what was rolled out, whatever somebody did to the history', async () => {
  const world = createTestWorld();
  const node = startFakeNode(world);
  for (const name of ['n1', 'n2', 'n3']) addNode(world, name);
  const process = world.start(WHICH);
  await sets(world).create({ metadata: { name: 'agent' }, spec: spec() });
  await world.run(5000);
  const first = new Set(world.api.objects(PODS).map((pod) => pod.metadata.uid));
  node.accepts = (pod) => pod.spec.containers[0]?.image !== 'broken';
  await sets(world).patch('agent', 'merge', { spec: { template: templateOf('broken') } });
  await world.run(20_000);
  assert.equal(world.api.objects(PODS).filter((pod) => first.has(pod.metadata.uid)).length, 2, 'one is stuck');
  const revisions = world.client.resource(CONTROLLER_REVISIONS, 'default');
  await revisions.create({ metadata: { name: 'foreign', labels: { app: 'agent' } }, revision: 7, data: { x: 1 } });
  await sets(world).patch('agent', 'merge', { spec: { template: templateOf('one') } });
  await world.run(20_000);
  assert.deepEqual(placed(world), ['n1 one', 'n2 one', 'n3 one']);
  assert.equal(world.api.objects(PODS).filter((pod) => first.has(pod.metadata.uid)).length, 2, 'left untouched');
  const newest = world.api.objects(CONTROLLER_REVISIONS).reduce((most, one) => Math.max(most, one.revision), 0);
  assert.equal(newest, 8, 'the highest plus one');
  await process.kill();
});

test('pods carry the version of the template that the set says', async () => {
  const world = createTestWorld();
  startFakeNode(world);
  addNode(world, 'n1');
  const process = world.start(WHICH);
  const annotations = { 'deprecated.daemonset.template.generation': '3' };
  await sets(world).create({ metadata: { name: 'agent', annotations }, spec: spec() });
  await world.run(5000);
  const labels = world.api.objects(PODS).map((pod) => pod.metadata.labels?.['pod-template-generation']);
  assert.deepEqual(labels, ['3']);
  await process.kill();
});
