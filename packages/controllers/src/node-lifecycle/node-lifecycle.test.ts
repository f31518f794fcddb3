import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { formatMicroTime, formatTime } from '@binnacle/base';
import { EVENTS, isPodReady, LEASES, NODES, PODS } from '@binnacle/api';
import type { Pod, Toleration } from '@binnacle/api/core/v1';
import { status } from '@binnacle/machinery';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';
import type { EvictionRates } from './eviction-turns.ts';

const WHICH = ['node-lifecycle-controller', 'taint-eviction-controller', 'pod-garbage-collector-controller'];

async function addNode(world: TestWorld, name: string): Promise<void> {
  const node = await world.client.resource(NODES).create({ metadata: { name }, spec: {} });
  const now = formatTime(world.clock.now());
  const ready = { type: 'Ready', status: 'True' as const, lastHeartbeatTime: now, lastTransitionTime: now };
  world.api.setStatus(NODES, node, { conditions: [ready] });
  await world.client.resource(LEASES, 'kube-node-lease').create({ metadata: { name }, spec: { holderIdentity: name } });
}

/** Every ten seconds, as kubelets do, for those nodes. */
async function live(world: TestWorld, names: readonly string[], seconds: number): Promise<void> {
  for (let at = 0; at < seconds; at += 10) {
    for (const name of names) {
      const spec = { renewTime: formatMicroTime(world.clock.now()) };
      await world.client.resource(LEASES, 'kube-node-lease').patch(name, 'merge', { spec });
    }
    await world.run(10_000);
  }
}

async function addPod(world: TestWorld, name: string, nodeName: string, tolerations: Toleration[] = []): Promise<Pod> {
  const spec = { nodeName, containers: [{ name: 'c', image: 'x' }], tolerations };
  const pod = await world.client.resource(PODS, 'default').create({ metadata: { name }, spec });
  world.api.setStatus(PODS, pod, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
  return pod;
}

const nodeOf = (world: TestWorld, name: string) => world.api.objects(NODES).find((node) => node.metadata.name === name);
const podOf = (world: TestWorld, name: string) => world.api.objects(PODS).find((pod) => pod.metadata.name === name);
const tolerate = (key: string, tolerationSeconds?: number): Toleration => ({
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});

test('a silent node: Unknown after 50 s, tainted, its pods not ready, then evicted as they tolerate', async () => {
  const world = createTestWorld();
  for (const name of ['good', 'bad']) await addNode(world, name);
  const process = world.start(WHICH);
  await addPod(world, 'patient', 'bad', [tolerate('unreachable', 300)]);
  await addPod(world, 'impatient', 'bad');
  await addPod(world, 'rooted', 'bad', [tolerate('unreachable')]);
  await addPod(world, 'lucky', 'good');
  await live(world, ['good', 'bad'], 120);
  assert.equal(nodeOf(world, 'bad')?.status?.conditions?.[0]?.status, 'True');
  await live(world, ['good'], 30);
  assert.equal(nodeOf(world, 'bad')?.status?.conditions?.[0]?.status, 'True', 'within grace');
  await live(world, ['good'], 20);
  const condition = nodeOf(world, 'bad')?.status?.conditions?.[0];
  assert.deepEqual(
    [condition?.status, condition?.reason, condition?.message],
    ['Unknown', 'NodeStatusUnknown', 'Kubelet stopped posting node status.'],
  );
  assert.deepEqual(
    nodeOf(world, 'bad')?.spec.taints?.map((taint) => `${taint.key}:${taint.effect}`),
    ['node.kubernetes.io/unreachable:NoSchedule', 'node.kubernetes.io/unreachable:NoExecute'],
  );
  assert.equal(isPodReady(podOf(world, 'rooted')!), false);
  assert.ok(isPodReady(podOf(world, 'lucky')!));
  assert.ok(podOf(world, 'impatient')?.metadata.deletionTimestamp, 'untolerated: at once');
  assert.equal(podOf(world, 'patient')?.metadata.deletionTimestamp, undefined);
  const reasons = new Set(world.api.objects(EVENTS).map((event) => event.reason));
  assert.deepEqual([...reasons].toSorted(), ['NodeNotReady', 'RegisteredNode', 'TaintManagerEviction']);
  await live(world, ['good'], 320);
  assert.ok(podOf(world, 'patient')?.metadata.deletionTimestamp, 'tolerated for 300 s');
  assert.equal(podOf(world, 'rooted')?.metadata.deletionTimestamp, undefined, 'tolerated for ever');
  const target = podOf(world, 'patient')?.status?.conditions?.find((one) => one.type === 'DisruptionTarget');
  assert.deepEqual([target?.reason, target?.observedGeneration], ['DeletionByTaintManager', 1]);
  await process.kill();
});

test('a node that comes back in time keeps its pods and loses its taints', async () => {
  const world = createTestWorld();
  for (const name of ['good', 'bad']) await addNode(world, name);
  const process = world.start(WHICH);
  await addPod(world, 'patient', 'bad', [tolerate('unreachable', 300)]);
  await live(world, ['good'], 100);
  const now = formatTime(world.clock.now());
  const ready = { type: 'Ready', status: 'True' as const, lastHeartbeatTime: now, lastTransitionTime: now };
  world.api.setStatus(NODES, nodeOf(world, 'bad')!, { conditions: [ready] });
  await live(world, ['good', 'bad'], 600);
  assert.equal(nodeOf(world, 'bad')?.spec.taints, undefined);
  assert.equal(podOf(world, 'patient')?.metadata.deletionTimestamp, undefined);
  await process.kill();
});

test('a node that reports while it is being called silent is not, and none of its pods goes', async () => {
  const world = createTestWorld();
  for (const name of ['good', 'late']) await addNode(world, name);
  const process = world.start(WHICH);
  await addPod(world, 'impatient', 'late');
  let conflicts = 0;
  world.network.faults.call = ({ verb, subresource, name }) => {
    if (verb !== 'update' || subresource !== 'status' || name !== 'late' || conflicts++ > 0) return undefined;
    const now = formatTime(world.clock.now());
    const ready = { type: 'Ready', status: 'True' as const, lastHeartbeatTime: now, lastTransitionTime: now };
    world.api.setStatus(NODES, nodeOf(world, 'late')!, { conditions: [ready] });
    return undefined;
  };
  await live(world, ['good'], 90);
  assert.equal(conflicts, 1);
  assert.equal(nodeOf(world, 'late')?.status?.conditions?.[0]?.status, 'True');
  assert.equal(nodeOf(world, 'late')?.spec.taints, undefined);
  assert.equal(podOf(world, 'impatient')?.metadata.deletionTimestamp, undefined);
  await process.kill();
});

test('when all nodes are silent nobody is evicted', async () => {
  const world = createTestWorld();
  for (const name of ['a', 'b']) await addNode(world, name);
  const process = world.start(WHICH);
  await addPod(world, 'impatient', 'a');
  await world.run(300_000);
  for (const name of ['a', 'b']) {
    const effects = nodeOf(world, name)?.spec.taints?.map((taint) => taint.effect);
    assert.deepEqual(effects, ['NoSchedule'], name);
  }
  assert.equal(podOf(world, 'impatient')?.metadata.deletionTimestamp, undefined);
  await process.kill();
});

/** A node elsewhere that lives, and those of a zone, which say nothing from now on. */
async function loseZone(
  names: readonly string[],
  rates: Partial<EvictionRates> = {},
): Promise<{ world: TestWorld; evicting: () => readonly string[] }> {
  const world = createTestWorld(1, { start: { nodeLifecycle: { rates } } });
  await addNode(world, 'elsewhere');
  const labels = { 'topology.kubernetes.io/zone': 'small' };
  for (const name of names) {
    await addNode(world, name);
    await world.client.resource(NODES).patch(name, 'merge', { metadata: { labels } });
  }
  const evicting = (): readonly string[] =>
    world.api.objects(NODES).flatMap((node) => {
      const evicts = node.spec.taints?.some((taint) => taint.effect === 'NoExecute') === true;
      return evicts ? [node.metadata.name ?? ''] : [];
    });
  return { world, evicting };
}

test('a zone that is lost as a whole is given up, one node after the other, where another zone lives', async () => {
  const { world, evicting } = await loseZone(['a', 'b', 'c', 'd']);
  const process = world.start(WHICH);
  await live(world, ['elsewhere'], 60);
  assert.ok(evicting().length < 4, 'at the pace of the zone');
  await live(world, ['elsewhere'], 60);
  assert.deepEqual(evicting().toSorted(), ['a', 'b', 'c', 'd']);
  await process.kill();
});

test('in a small zone of which most is lost evictions stand still, until more of it is back', async () => {
  const { world, evicting } = await loseZone(['a', 'b', 'c', 'd', 'e']);
  const process = world.start(WHICH);
  await live(world, ['elsewhere', 'e'], 150);
  const before = evicting();
  assert.ok(before.length < 4, 'evictions stand still');
  const back = ['a', 'b', 'c', 'd'].filter((name) => !before.includes(name)).slice(0, 2);
  const now = formatTime(world.clock.now());
  const ready = { type: 'Ready', status: 'True' as const, lastHeartbeatTime: now, lastTransitionTime: now };
  for (const name of back) world.api.setStatus(NODES, nodeOf(world, name)!, { conditions: [ready] });
  await live(world, ['elsewhere', 'e', ...back], 60);
  const gone = ['a', 'b', 'c', 'd'].filter((name) => !back.includes(name));
  assert.deepEqual(evicting().toSorted(), gone);
  await process.kill();
});

for (const last of ['b', 'c', 'd']) {
  test(`who waits first in a zone, and is told another, leaves its place to the next: ${last} stays`, async () => {
    const { world, evicting } = await loseZone(['a', 'b', 'c', 'd'], { normal: 0.01 });
    const process = world.start(WHICH);
    await live(world, ['elsewhere'], 60);
    assert.deepEqual(evicting(), ['a']);
    for (const name of ['b', 'c', 'd'].filter((one) => one !== last)) {
      const labels = { 'topology.kubernetes.io/zone': `of-${name}` };
      await world.client.resource(NODES).patch(name, 'merge', { metadata: { labels } });
    }
    await live(world, ['elsewhere'], 120);
    assert.deepEqual(evicting().toSorted(), ['a', 'b', 'c', 'd']);
    await process.kill();
  });
}

test('evictions of a zone go on when the others that are lost are not counted any more', async () => {
  const { world, evicting } = await loseZone(['a', 'b', 'c', 'd', 'e']);
  const process = world.start(WHICH);
  await live(world, ['elsewhere', 'e'], 150);
  assert.deepEqual(evicting(), [], 'evictions stand still');
  for (const name of ['c', 'd']) {
    const labels = { 'node.kubernetes.io/exclude-disruption': '' };
    await world.client.resource(NODES).patch(name, 'merge', { metadata: { labels } });
  }
  await live(world, ['elsewhere', 'e'], 60);
  assert.deepEqual(evicting().toSorted(), ['a', 'b', 'c', 'd']);
  await process.kill();
});

test('a pod is called not ready once: its kubelet, which lives on a node that is not ready, knows better', async () => {
  const world = createTestWorld();
  for (const name of ['good', 'bad']) await addNode(world, name);
  const process = world.start(WHICH);
  await addPod(world, 'served', 'bad', [tolerate('not-ready')]);
  await live(world, ['good', 'bad'], 20);
  const now = formatTime(world.clock.now());
  const conditions = [{ type: 'Ready', status: 'False' as const, lastHeartbeatTime: now, lastTransitionTime: now }];
  world.api.setStatus(NODES, nodeOf(world, 'bad')!, { conditions });
  await live(world, ['good', 'bad'], 20);
  assert.equal(isPodReady(podOf(world, 'served')!), false);
  world.api.setStatus(PODS, podOf(world, 'served')!, {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
  });
  await world.client.resource(NODES).patch('bad', 'merge', { spec: { unschedulable: true } });
  await live(world, ['good', 'bad'], 20);
  assert.equal(isPodReady(podOf(world, 'served')!), true);
  await process.kill();
});

test('a new node has the old names of its labels, and no taint for what it has not said yet', async () => {
  const world = createTestWorld();
  await addNode(world, 'good');
  const process = world.start(WHICH);
  const taints = [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' as const }];
  const labels = { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' };
  await world.client.resource(NODES).create({ metadata: { name: 'mute', labels }, spec: { taints } });
  await live(world, ['good'], 20);
  assert.deepEqual(nodeOf(world, 'mute')?.spec.taints, undefined);
  const kept = { 'beta.kubernetes.io/os': 'linux', 'beta.kubernetes.io/arch': 'amd64' };
  assert.deepEqual(nodeOf(world, 'mute')?.metadata.labels, { ...labels, ...kept });
  await live(world, ['good'], 60);
  const keys = nodeOf(world, 'mute')?.spec.taints?.map(({ key, effect }) => `${key}:${effect}`);
  assert.deepEqual(keys, ['node.kubernetes.io/unreachable:NoSchedule', 'node.kubernetes.io/unreachable:NoExecute']);
  await process.kill();
});

test('a node that never reports is Unknown a minute after it was made', async () => {
  const world = createTestWorld();
  await addNode(world, 'good');
  const process = world.start(WHICH);
  await world.client.resource(NODES).create({ metadata: { name: 'mute' }, spec: {} });
  await live(world, ['good'], 50);
  assert.equal(nodeOf(world, 'mute')?.status?.conditions, undefined);
  await live(world, ['good'], 20);
  assert.equal(nodeOf(world, 'mute')?.status?.conditions?.[0]?.reason, 'NodeStatusNeverUpdated');
  assert.equal(nodeOf(world, 'mute')?.status?.conditions?.length, 4);
  await process.kill();
});

test('pods of a deleted node go after forty seconds; pods that go without ever having a node, too', async () => {
  const world = createTestWorld();
  for (const name of ['good', 'bad']) await addNode(world, name);
  const process = world.start(WHICH);
  await addPod(world, 'lost', 'bad');
  await addPod(world, 'kept', 'good');
  await world.client.resource(NODES).delete('bad');
  await live(world, ['good'], 30);
  assert.ok(podOf(world, 'lost'));
  await live(world, ['good'], 20);
  assert.equal(podOf(world, 'lost'), undefined);
  assert.ok(podOf(world, 'kept'));
  await process.kill();
});

test('nodes that come and go are told of, each once', async () => {
  const world = createTestWorld();
  await addNode(world, 'here');
  world.start(WHICH);
  await addNode(world, 'there');
  await live(world, ['here', 'there'], 20);
  await world.client.resource(NODES).delete('there');
  await live(world, ['here'], 20);
  const told = world.api
    .objects(EVENTS)
    .filter(({ involvedObject }) => involvedObject.kind === 'Node')
    .map(({ reason, message, involvedObject, count }) => [involvedObject.name, reason, message, count].join(' '))
    .toSorted();
  assert.deepEqual(told, [
    'here RegisteredNode Node here event: Registered Node here in Controller 1',
    'there RegisteredNode Node there event: Registered Node there in Controller 1',
    'there RemovingNode Node there event: Removing Node there from Controller 1',
  ]);
});

test('of a silent node, a pod whose status somebody refuses keeps no other pod among those that are ready', async () => {
  const world = createTestWorld();
  for (const name of ['good', 'bad']) await addNode(world, name);
  for (const name of ['a', 'b']) await addPod(world, name, 'bad', [tolerate('unreachable')]);
  world.network.faults.call = ({ verb, name, subresource }) =>
    verb === 'update' && name === 'a' && subresource === 'status'
      ? { kind: 'refuse', error: status.forbidden(PODS, 'a', 'a webhook says so') }
      : undefined;
  const process = world.start(WHICH);
  await live(world, ['good'], 60);
  assert.deepEqual([isPodReady(podOf(world, 'a')!), isPodReady(podOf(world, 'b')!)], [true, false]);
  world.network.faults.call = undefined;
  await live(world, ['good'], 60);
  assert.equal(isPodReady(podOf(world, 'a')!), false);
  await process.kill();
});
