import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import type { Runtime } from '@binnacle/runtime';
import { createSimulatedNode } from '@binnacle/runtime/simulated';
import { createSeededRandom, VirtualClock } from '@binnacle/base';
import { HandSource, pass, startTestNode, testPod } from '../testing/node.ts';

const staticPod = (uid: string): Pod =>
  testPod({
    name: 'etcd',
    metadata: {
      uid,
      annotations: { 'kubernetes.io/config.source': 'file', 'simulated.binnacle.dev/stop-delay': '5s' },
    },
  });

test('a static pod that replaces another waits until that one is gone', async () => {
  const source = new HandSource('file');
  const t = await startTestNode({ source });
  source.put(staticPod('one'));
  await pass(t.clock, 100);
  source.drop(staticPod('one'));
  source.put(staticPod('two'));
  await pass(t.clock, 1_000);
  assert.deepEqual(
    (await t.runtime.listSandboxes()).map((s) => s.uid),
    ['one'],
  );
  await pass(t.clock, 6_000);
  assert.deepEqual(
    (await t.runtime.listSandboxes()).map((s) => s.uid),
    ['two'],
  );
  assert.equal(t.kubelet.pods().length, 1);
  await t.scope.close();
});

test('pods of the API with one name do not wait for each other', async () => {
  const t = await startTestNode();
  const old = testPod({ metadata: { uid: 'old', annotations: { 'simulated.binnacle.dev/stop-delay': '20s' } } });
  t.source.put(old);
  await pass(t.clock, 100);
  const ending = { ...old.metadata, deletionTimestamp: 'now', deletionGracePeriodSeconds: 30 };
  t.source.put({ ...old, metadata: ending });
  t.source.put(testPod({ metadata: { uid: 'new' } }));
  await pass(t.clock, 3_000);
  assert.deepEqual((await t.runtime.listSandboxes()).map((s) => s.uid).toSorted(), ['new', 'old']);
  // Deleted by force: nobody waits for the rest of its grace.
  t.source.drop(old);
  await pass(t.clock, 2_000);
  assert.deepEqual(
    (await t.runtime.listSandboxes()).map((s) => s.uid),
    ['new'],
  );
  await t.scope.close();
});

test("events of containers that are nobody's are passed over; a lost one is found by listing again", async () => {
  const t = await startTestNode({ config: { relistPeriodMs: 60_000 } });
  t.source.put(testPod());
  await pass(t.clock, 100);
  const [running] = await t.runtime.listContainers();
  t.node.endContainer(running!.id, 1);
  await pass(t.clock, 100);
  assert.equal(t.kubelet.pods()[0]?.status.containerStatuses?.[0]?.restartCount, 1);
  await pass(t.clock, 120_000);
  assert.equal(t.kubelet.pods()[0]?.status.phase, 'Running');
  await t.scope.close();
});

test('what the runtime tells of a container that is being started brings no second look; its end then does', async () => {
  const [clock, looks]: [VirtualClock, string[]] = [new VirtualClock(), []];
  const node = createSimulatedNode({ clock, random: createSeededRandom(1) });
  const runtime = node.connect();
  const watched: { [call in keyof Runtime]?: Runtime[call] } = {
    containerStatus: (id) => (looks.push('look'), runtime.containerStatus(id)),
    startContainer: async (id) => (await runtime.startContainer(id), void looks.push('started')),
  };
  const told = new Proxy(runtime, {
    get: (target, call: keyof Runtime) => watched[call] ?? (target[call] as (() => void) | undefined)?.bind(target),
  });
  const t = await startTestNode({ clock, node, runtime: told });
  const annotations = { 'simulated.binnacle.dev/exit-after': '1s' };
  t.source.put(testPod({ metadata: { annotations }, spec: { restartPolicy: 'Never' } }));
  await pass(t.clock, 500);
  assert.deepEqual(looks, ['started', 'look']);
  assert.equal(t.kubelet.pods()[0]?.status.phase, 'Running');
  await pass(t.clock, 1_000);
  assert.deepEqual(looks, ['started', 'look', 'look']);
  assert.equal(t.kubelet.pods()[0]?.status.phase, 'Succeeded');
  await t.scope.close();
});

test("a pod over the node's number is refused for good", async () => {
  const t = await startTestNode({ config: { maxPods: 1 } });
  t.source.put(testPod({ name: 'one' }));
  t.source.put(testPod({ name: 'two' }));
  await pass(t.clock, 200);
  const statuses = t.kubelet.pods().map((p) => [p.status.phase, p.status.reason]);
  assert.deepEqual(statuses, [
    ['Running', undefined],
    ['Failed', 'OutOfpods'],
  ]);
  await t.scope.close();
});

test('a pod that is deleted by force has no host port any more, though its containers go on for a moment', async () => {
  const t = await startTestNode();
  const holder = (uid: string): Pod =>
    testPod({
      metadata: { uid, annotations: { 'simulated.binnacle.dev/stop-delay': '20s' } },
      container: { ports: [{ containerPort: 80, hostPort: 8080 }] },
    });
  const old = holder('old');
  t.source.put(old);
  await pass(t.clock, 100);
  t.source.drop(old);
  t.source.put(holder('new'));
  await pass(t.clock, 500);
  assert.deepEqual((await t.runtime.listSandboxes()).map((s) => s.uid).toSorted(), ['new', 'old']);
  await t.scope.close();
});
