import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pass, startTestNode, testMachine, testPod } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';

function conditions(status: { conditions?: readonly { type: string; status?: string }[] }): Record<string, string> {
  return Object.fromEntries((status.conditions ?? []).map((c) => [c.type, c.status ?? '']));
}

test('a pod goes from nothing to Running and Ready', async () => {
  const t = await startTestNode();
  t.source.put(testPod());
  await pass(t.clock, 1_000);
  const [pod] = t.kubelet.pods();
  assert.equal(pod?.status.phase, 'Running');
  assert.deepEqual(conditions(pod.status), {
    PodReadyToStartContainers: 'True',
    Initialized: 'True',
    Ready: 'True',
    ContainersReady: 'True',
    PodScheduled: 'True',
  });
  assert.match(pod.status.podIP ?? '', /^10\.88\./);
  assert.equal(pod.status.containerStatuses?.[0]?.ready, true);
  assert.deepEqual(t.events.lines, [
    'Normal Pulled Container image "busybox:1" already present on machine and can be accessed by the pod',
    'Normal Created Container created',
    'Normal Started Container started',
  ]);
  await t.scope.close();
});

test('a container that exits is restarted at once, then with back-off', async () => {
  const t = await startTestNode();
  t.source.put(
    testPod({
      metadata: { annotations: { 'simulated.binnacle.dev/exit-after': '1s', 'simulated.binnacle.dev/exit-code': '3' } },
    }),
  );
  await pass(t.clock, 1_500);
  const first = t.kubelet.pods()[0]?.status.containerStatuses?.[0];
  assert.equal(first?.restartCount, 1);
  assert.equal(first?.lastState?.terminated?.exitCode, 3);
  await pass(t.clock, 1_000);
  const waiting = t.kubelet.pods()[0]?.status.containerStatuses?.[0];
  assert.equal(waiting?.state?.waiting?.reason, 'CrashLoopBackOff');
  assert.equal(
    waiting?.state?.waiting?.message,
    'back-off 10s restarting failed container=main pod=web_default(uid-web)',
  );
  assert.equal(t.kubelet.pods()[0]?.status.phase, 'Running');
  await pass(t.clock, 10_000);
  assert.equal(t.kubelet.pods()[0]?.status.containerStatuses?.[0]?.restartCount, 2);
  await pass(t.clock, 2_000);
  assert.match(t.kubelet.pods()[0]?.status.containerStatuses?.[0]?.state?.waiting?.message ?? '', /^back-off 20s/);
  await t.scope.close();
});

test('a pod being deleted is stopped and cleared away', async () => {
  const t = await startTestNode();
  const pod = testPod({ metadata: { annotations: { 'simulated.binnacle.dev/stop-delay': '2s' } } });
  t.source.put(pod);
  await pass(t.clock, 100);
  t.source.put({
    ...pod,
    metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 },
  });
  await pass(t.clock, 1_000);
  assert.equal((await t.runtime.listContainers()).length, 1);
  await pass(t.clock, 1_500);
  assert.equal((await t.runtime.listContainers()).length, 0);
  assert.equal((await t.runtime.listSandboxes()).length, 0);
  assert.equal(t.kubelet.pods()[0]?.status.phase, 'Succeeded');
  t.source.drop(pod);
  await pass(t.clock, 10);
  assert.equal(t.kubelet.pods().length, 0);
  assert.equal(t.clock.pending, 0);
  await t.scope.close();
});

test('adoption: a new kubelet takes over what runs, with the same ids', async () => {
  const t = await startTestNode();
  const pod = testPod();
  t.source.put(pod);
  await pass(t.clock, 100);
  const before = await t.runtime.listContainers();
  await t.scope.close();
  const again = await startTestNode({ clock: t.clock, node: t.node, source: t.source });
  await pass(t.clock, 1_000);
  const after = await again.runtime.listContainers();
  assert.deepEqual(
    after.map((c) => [c.id, c.state]),
    before.map((c) => [c.id, c.state]),
  );
  assert.equal(again.kubelet.pods()[0]?.status.phase, 'Running');
  assert.deepEqual(again.events.lines, []);
  await again.scope.close();
});

test('orphans: what nobody claims is ended once the sources are ready, its control groups too', async () => {
  const t = await startTestNode();
  const pod = testPod();
  t.source.put(pod);
  await pass(t.clock, 100);
  await t.scope.close();
  t.source.pods.clear();
  const groups: string[] = [];
  const machine = { ...testMachine, removeCgroup: async (path: string): Promise<void> => void groups.push(path) };
  const again = await startTestNode({ clock: t.clock, node: t.node, source: t.source, machine });
  await pass(t.clock, 31_000);
  assert.equal((await again.runtime.listContainers()).length, 0);
  assert.equal((await again.runtime.listSandboxes()).length, 0);
  assert.ok(groups.includes('/kubepods/besteffort/poduid-web'), groups.join());
  await again.scope.close();
});

test('orphans: what the runtime made for a kubelet that was killed is found when it is done', async () => {
  const t = await startTestNode({ config: { relistPeriodMs: 60_000 } });
  await pass(t.clock, 1_000);
  const late = await startTestNode({ clock: t.clock, node: t.node });
  late.source.put(testPod());
  await pass(t.clock, 100);
  await late.scope.close();
  assert.equal((await t.runtime.listSandboxes()).length, 1);
  await pass(t.clock, 120_000);
  assert.deepEqual(await t.runtime.listSandboxes(), []);
  await t.scope.close();
});

test('init containers run in order before the others; a failed one of a Never pod ends it', async () => {
  const t = await startTestNode();
  const annotations = { 'one.simulated.binnacle.dev/exit-after': '1s', 'two.simulated.binnacle.dev/exit-after': '1s' };
  const initContainers = [
    { name: 'one', image: 'busybox:1' },
    { name: 'two', image: 'busybox:1' },
  ];
  t.source.put(testPod({ metadata: { annotations }, spec: { initContainers } }));
  t.source.put(
    testPod({
      name: 'bad',
      metadata: { annotations: { ...annotations, 'one.simulated.binnacle.dev/exit-code': '1' } },
      spec: { initContainers, restartPolicy: 'Never' },
    }),
  );
  await pass(t.clock, 1_500);
  const half = t.kubelet.pods()[0]?.status;
  assert.equal(half?.phase, 'Pending');
  assert.equal(
    half?.conditions?.find((c) => c.type === 'Initialized')?.message,
    'containers with incomplete status: [two]',
  );
  assert.equal(half?.containerStatuses?.[0]?.state?.waiting?.reason, 'PodInitializing');
  assert.equal(t.kubelet.pods()[1]?.status.phase, 'Failed');
  await pass(t.clock, 1_000);
  assert.equal(t.kubelet.pods()[0]?.status.phase, 'Running');
  await t.scope.close();
});

test('labels that change while a pod runs reach its downward API files', async () => {
  const files = createMemoryFiles();
  const t = await startTestNode({ files });
  const volumes = [
    { name: 'v', downwardAPI: { items: [{ path: 'out', fieldRef: { fieldPath: 'metadata.labels' } }] } },
  ];
  const pod = testPod({ spec: { volumes }, metadata: { labels: { a: '1' } } });
  const content = async (): Promise<string> => {
    const path = files.paths().find((one) => /downward-api\/v\/\.\.\d[^/]*\/out$/.test(one));
    return path === undefined ? '' : new TextDecoder().decode(await files.readFile(path));
  };
  t.source.put(pod);
  await pass(t.clock, 1_000);
  assert.equal(await content(), 'a="1"');
  t.source.put({ ...pod, metadata: { ...pod.metadata, labels: { a: '1', b: '2' } } });
  await pass(t.clock, 1_000);
  assert.equal(await content(), 'a="1"\nb="2"');
  await t.scope.close();
});

test('a container that did not start keeps what the runtime said of it', async () => {
  const t = await startTestNode({ files: createMemoryFiles() });
  const annotations = { 'simulated.binnacle.dev/start-failure': 'exec: "nope": not found' };
  t.source.put(testPod({ metadata: { annotations }, spec: { restartPolicy: 'Never' } }));
  await pass(t.clock, 1_000);
  const ended = t.kubelet.pods()[0]?.status.containerStatuses?.[0]?.state?.terminated;
  assert.deepEqual([ended?.reason, ended?.message], ['StartError', 'exec: "nope": not found']);
  await t.scope.close();
});

test('an init container that nobody scripted ends; a Job and a hook of Helm are seen running and end', async () => {
  const t = await startTestNode();
  const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'j', controller: true }];
  t.source.put(testPod({ name: 'a', spec: { initContainers: [{ name: 'i', image: 'busybox:1' }] } }));
  t.source.put(
    testPod({
      name: 'b',
      spec: { restartPolicy: 'Never' },
      metadata: { uid: 'uid-b', ownerReferences, namespace: 'default', name: 'b' },
    }),
  );
  t.source.put(testPod({ name: 'c', spec: { restartPolicy: 'Never' } }));
  const hook = { uid: 'uid-d', name: 'd', namespace: 'default', annotations: { 'helm.sh/hook': 'test' } };
  t.source.put(testPod({ name: 'd', spec: { restartPolicy: 'Never' }, metadata: hook }));
  const phases = (): unknown[] => t.kubelet.pods().map((p) => p.status.phase);
  await pass(t.clock, 500);
  assert.deepEqual(phases(), ['Running', 'Running', 'Running', 'Running']);
  await pass(t.clock, 1_500);
  assert.deepEqual(phases(), ['Running', 'Succeeded', 'Running', 'Succeeded']);
  await t.scope.close();
});

test('who comes to debug has volumes of the pod that nobody used before', async () => {
  const files = createMemoryFiles();
  const t = await startTestNode({ files });
  const folder = '/var/lib/kubelet/pods/uid-web/volumes/kubernetes.io~empty-dir/v';
  const pod = testPod({ spec: { volumes: [{ name: 'v', emptyDir: {} }] }, container: { volumeMounts: [] } });
  t.source.put(pod);
  await pass(t.clock, 200);
  assert.equal(await files.kind(folder), 'absent');
  const guest = { name: 'd', image: 'busybox:1', volumeMounts: [{ name: 'v', mountPath: '/v' }] };
  const metadata = { ...pod.metadata, generation: 2 };
  t.source.put({ ...pod, metadata, spec: { ...pod.spec, ephemeralContainers: [guest] } });
  await pass(t.clock, 200);
  const [status] = t.kubelet.pods()[0]?.status.ephemeralContainerStatuses ?? [];
  assert.deepEqual([await files.kind(folder), status?.state?.running !== undefined], ['directory', true]);
  await t.scope.close();
});
