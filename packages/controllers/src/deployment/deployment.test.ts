import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import {
  DEPLOYMENTS,
  EVENTS,
  getDeploymentCondition,
  isPodActive,
  isPodReady,
  PODS,
  REPLICA_SETS,
} from '@binnacle/api';
import type { Deployment, ReplicaSet } from '@binnacle/api/apps/v1';
import { startFakeNode } from '../test-node.ts';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

const WHICH = ['deployment-controller', 'replicaset-controller'];

function setUp() {
  const world = createTestWorld(4);
  const node = startFakeNode(world);
  const process = world.start(WHICH);
  return { world, node, process, deployments: world.client.resource(DEPLOYMENTS, 'default') };
}

const deployment = (spec: Partial<Deployment['spec']> = {}) => ({
  metadata: { name: 'web', annotations: { team: 'a' } },
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'web:1' }] } },
    progressDeadlineSeconds: 600,
    revisionHistoryLimit: 10,
    ...spec,
  },
});

const current = (world: TestWorld): Deployment => world.api.objects(DEPLOYMENTS)[0]!;
const sets = (world: TestWorld): readonly ReplicaSet[] => world.api.objects(REPLICA_SETS);
const active = (world: TestWorld) => world.api.objects(PODS).filter(isPodActive);
const imageOf = (set: ReplicaSet): string | undefined => set.spec.template?.spec.containers[0]?.image;
const setOf = (world: TestWorld, image: string): ReplicaSet => sets(world).find((set) => imageOf(set) === image)!;
const setImage = (image: string) => ({ spec: { template: { spec: { containers: [{ name: 'c', image }] } } } });
const progress = (world: TestWorld) => getDeploymentCondition(current(world), 'Progressing');
const scalings = (world: TestWorld): string[] =>
  world.api
    .objects(EVENTS)
    .filter((event) => event.reason === 'ScalingReplicaSet')
    .map((event) => (event.message ?? '').replace(/web-\w+/, 'S'));

test('a new deployment: its replica set, labels, revision, conditions, Events', async () => {
  const { world, process, deployments } = setUp();
  await deployments.create(deployment());
  await world.run(5000);
  const [set] = sets(world);
  const hash = set?.metadata.labels?.['pod-template-hash'] ?? '';
  assert.equal(set?.metadata.name, `web-${hash}`);
  assert.equal(set?.spec.selector?.matchLabels?.['pod-template-hash'], hash);
  assert.deepEqual(set?.metadata.annotations, {
    team: 'a',
    'deployment.kubernetes.io/revision': '1',
    'deployment.kubernetes.io/desired-replicas': '4',
    'deployment.kubernetes.io/max-replicas': '5',
  });
  assert.equal(current(world).metadata.annotations?.['deployment.kubernetes.io/revision'], '1');
  assert.equal(current(world).metadata.generation, 1);
  assert.deepEqual(scalings(world), ['Scaled up replica set S from 0 to 4']);
  const { conditions = [], ...counts } = current(world).status ?? {};
  assert.deepEqual(counts, {
    // The revision in its annotations is told by a write of the status, which is nobody's change.
    observedGeneration: 1,
    replicas: 4,
    updatedReplicas: 4,
    readyReplicas: 4,
    availableReplicas: 4,
    terminatingReplicas: 0,
  });
  assert.deepEqual(
    conditions.map((one) => `${one.type} ${one.status} ${one.reason} ${one.message?.replace(hash, 'H')}`),
    [
      'Available True MinimumReplicasAvailable Deployment has minimum availability.',
      'Progressing True NewReplicaSetAvailable ReplicaSet "web-H" has successfully progressed.',
    ],
  );
  const quiet = world.network.calls.length;
  await world.run(3_600_000);
  assert.equal(world.network.calls.length, quiet, 'nothing is written when nothing changes');
  await process.kill();
});

test('a rolling update keeps its limits all the way, and ends with the old set empty', async () => {
  const { world, process, deployments } = setUp();
  await deployments.create(deployment());
  await world.run(5000);
  await deployments.patch('web', 'merge', setImage('web:2'));
  for (let i = 0; i < 100; i++) {
    await world.run(200);
    assert.ok(active(world).length <= 5, `${active(world).length} pods, at most 5 allowed`);
    assert.ok(active(world).filter(isPodReady).length >= 3, 'at least 3 available');
  }
  assert.equal(setOf(world, 'web:1').spec.replicas, 0);
  assert.equal(setOf(world, 'web:2').spec.replicas, 4);
  assert.equal(current(world).metadata.annotations?.['deployment.kubernetes.io/revision'], '2');
  assert.equal(progress(world)?.reason, 'NewReplicaSetAvailable');
  await process.kill();
});

test('going back reuses the old set under a new revision', async () => {
  const { world, process, deployments } = setUp();
  await deployments.create(deployment());
  await world.run(5000);
  await deployments.patch('web', 'merge', setImage('web:2'));
  await world.run(30_000);
  await deployments.patch('web', 'merge', setImage('web:1'));
  await world.run(30_000);
  assert.equal(sets(world).length, 2);
  const first = setOf(world, 'web:1');
  assert.deepEqual([first.spec.replicas, first.metadata.annotations?.['deployment.kubernetes.io/revision']], [4, '3']);
  assert.equal(first.metadata.annotations?.['deployment.kubernetes.io/revision-history'], '1');
  assert.equal(current(world).metadata.annotations?.['deployment.kubernetes.io/revision'], '3');
  await process.kill();
});

test('revisions are integers of 64 bits', async () => {
  const { world, process, deployments } = setUp();
  await deployments.create(deployment());
  await world.run(5000);
  const annotations = { 'deployment.kubernetes.io/revision': '9007199254740993' };
  const [first] = sets(world);
  await world.client
    .resource(REPLICA_SETS, 'default')
    .patch(first?.metadata.name ?? '', 'merge', { metadata: { annotations } });
  await deployments.patch('web', 'merge', setImage('web:2'));
  await world.run(60_000);
  const carried = [setOf(world, 'web:2'), current(world)].map(({ metadata }) => metadata.annotations);
  assert.deepEqual(
    carried.map((one) => one?.['deployment.kubernetes.io/revision']),
    ['9007199254740994', '9007199254740994'],
  );
  await process.kill();
});

test('recreate stops everything old before anything new', async () => {
  const { world, process, deployments } = setUp();
  await deployments.create(deployment({ strategy: { type: 'Recreate' } }));
  await world.run(5000);
  await deployments.patch('web', 'merge', setImage('web:2'));
  let mixed = 0;
  for (let i = 0; i < 100; i++) {
    await world.run(100);
    const images = new Set(world.api.objects(PODS).map((pod) => pod.spec.containers[0]?.image));
    if (images.size > 1) mixed++;
  }
  assert.equal(mixed, 0);
  assert.equal(active(world).filter((pod) => pod.spec.containers[0]?.image === 'web:2').length, 4);
  await process.kill();
});

test('a rollout that does not move is called so after its deadline, and goes on when it can', async () => {
  const { world, node, process, deployments } = setUp();
  await deployments.create(deployment({ progressDeadlineSeconds: 60 }));
  await world.run(5000);
  node.accepts = () => false;
  await deployments.patch('web', 'merge', setImage('web:2'));
  await world.run(50_000);
  assert.equal(progress(world)?.reason, 'ReplicaSetUpdated');
  await world.run(20_000);
  assert.deepEqual([progress(world)?.status, progress(world)?.reason], ['False', 'ProgressDeadlineExceeded']);
  assert.match(progress(world)?.message ?? '', /^ReplicaSet "web-\w+" has timed out progressing\.$/);
  node.accepts = () => true;
  for (const pod of active(world).filter((one) => !isPodReady(one))) {
    await world.client.resource(PODS, 'default').delete(pod.metadata.name ?? '');
  }
  await world.run(60_000);
  assert.equal(progress(world)?.reason, 'NewReplicaSetAvailable');
  await process.kill();
});

test('paused: the template may change without a rollout, scaling works; resumed: it rolls', async () => {
  const { world, process, deployments } = setUp();
  await deployments.create(deployment());
  await world.run(5000);
  await deployments.patch('web', 'merge', { spec: { paused: true } });
  await world.run(1000);
  assert.equal(progress(world)?.reason, 'DeploymentPaused');
  await deployments.patch('web', 'merge', { spec: { replicas: 6, ...setImage('web:2').spec } });
  await world.run(10_000);
  assert.deepEqual([sets(world).length, active(world).length], [1, 6]);
  await deployments.patch('web', 'merge', { spec: { paused: false } });
  await world.run(60_000);
  assert.equal(setOf(world, 'web:2').spec.replicas, 6);
  await process.kill();
});

test('scaled in the middle of a stuck rollout: each set gets its share', async () => {
  const { world, node, process, deployments } = setUp();
  await deployments.create(deployment({ replicas: 10, strategy: rolling(3, 2) }));
  await world.run(5000);
  node.accepts = () => false;
  await deployments.patch('web', 'merge', setImage('web:2'));
  await world.run(10_000);
  assert.deepEqual([setOf(world, 'web:1').spec.replicas, setOf(world, 'web:2').spec.replicas], [8, 5]);
  await deployments.patch('web', 'merge', { spec: { replicas: 15 } });
  await world.run(10_000);
  // The example of Kubernetes' documentation on proportional scaling: 8 + 3 and 5 + 2.
  assert.deepEqual([setOf(world, 'web:1').spec.replicas, setOf(world, 'web:2').spec.replicas], [11, 7]);
  await process.kill();
});

test('history keeps the newest sets only', async () => {
  const { world, process, deployments } = setUp();
  await deployments.create(deployment({ revisionHistoryLimit: 1 }));
  await world.run(5000);
  for (const image of ['web:2', 'web:3', 'web:4']) {
    await deployments.patch('web', 'merge', setImage(image));
    await world.run(40_000);
  }
  assert.deepEqual(
    sets(world)
      .map((set) => imageOf(set) ?? '')
      .toSorted(),
    ['web:3', 'web:4'],
  );
  await process.kill();
});

test('a set of that name with another template is a collision: counted, and another name is found', async () => {
  const { world, process, deployments } = setUp();
  const probe = await deployments.create(deployment());
  await world.run(5000);
  const name = sets(world)[0]?.metadata.name ?? '';
  await process.kill();
  await deployments.delete('web');
  await world.client.resource(REPLICA_SETS, 'default').delete(name);
  await world.client.resource(REPLICA_SETS, 'default').create({
    metadata: { name },
    spec: {
      replicas: 0,
      selector: { matchLabels: { x: 'y' } },
      template: { metadata: { labels: { x: 'y' } }, spec: { containers: [{ name: 'c', image: 'x' }] } },
    },
  });
  const second = world.start(WHICH);
  await deployments.create(deployment());
  await world.run(20_000);
  assert.equal(current(world).status?.collisionCount, 1);
  assert.equal(current(world).status?.availableReplicas, 4);
  assert.ok(probe.metadata.uid);
  await second.kill();
});

test('killed at random moments it still ends where it should', async () => {
  const { world, process, deployments } = setUp();
  let running = process;
  await deployments.create(deployment());
  for (let round = 0; round < 12; round++) {
    await deployments.patch('web', 'merge', setImage(`web:${round % 3}`));
    await world.run(700 * (1 + (round % 4)));
    await running.kill();
    running = world.start(WHICH);
  }
  await world.run(120_000);
  assert.equal(current(world).status?.availableReplicas, 4);
  assert.equal(setOf(world, 'web:2').spec.replicas, 4);
  assert.equal(active(world).length, 4);
  await running.kill();
});

function rolling(maxSurge: number, maxUnavailable: number): NonNullable<Deployment['spec']['strategy']> {
  return { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } };
}
