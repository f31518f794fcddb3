import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@binnacle/base';
import type { Gate } from '@binnacle/base';
import { LEASES, NODES, PODS } from '@binnacle/api';
import { status as statusErrors } from '@binnacle/machinery';
import type { Pod } from '@binnacle/api/core/v1';
import { isStatic } from './container/static-pod.ts';
import { createApiPodSource } from './source/api-source.ts';
import { createFileSource } from './source/file-source.ts';
import { createObjectReader } from './source/object-reader.ts';
import { createTestApi } from './testing/api.ts';
import type { TestApi } from './testing/api.ts';
import { HandSource, pass, startTestNode, testMachine, testPod } from './testing/node.ts';
import type { TestNode } from './testing/node.ts';
import { createMemoryFiles } from './volume/memory-files.ts';

async function startWithApi(
  hostFiles = createMemoryFiles(),
  more: Partial<Parameters<typeof startTestNode>[0]> = {},
): Promise<TestNode & { readonly api: TestApi; readonly files: HandSource }> {
  const clock = new VirtualClock();
  const api = createTestApi(clock);
  const files = new HandSource('file');
  const node = await startTestNode({
    clock,
    client: api.client,
    objects: createObjectReader(api.client, api.world, api.scope),
    sources: [createApiPodSource(api.client, api.world, api.scope), files],
    files: hostFiles,
    ...more,
  });
  await pass(clock, 10);
  return { ...node, api, files };
}

async function stop(t: TestNode & { readonly api: TestApi }): Promise<void> {
  await t.scope.close();
  await t.api.scope.close();
}

function podOf(t: { readonly api: TestApi }, name = 'web'): Pod | undefined {
  return t.api.fake.objects(PODS).find((p) => p.metadata.name === name);
}

test('the node is registered, Ready, and holds its Lease', async () => {
  const t = await startWithApi();
  const [node] = t.api.fake.objects(NODES);
  assert.equal(node?.status?.conditions?.find((c) => c.type === 'Ready')?.status, 'True');
  assert.equal(node?.metadata.labels?.['kubernetes.io/hostname'], 'node-1');
  assert.deepEqual(node?.status?.allocatable?.['pods'], '110');
  const [lease] = t.api.fake.objects(LEASES);
  assert.equal(lease?.spec?.holderIdentity, 'node-1');
  const renewedAt = (): number => Date.parse(t.api.fake.objects(LEASES)[0]?.spec?.renewTime ?? '');
  const before = renewedAt();
  await pass(t.clock, 10_100);
  assert.ok(renewedAt() > before, 'renewed');
  await stop(t);
});

test('a pod of the API runs with two status writes at most, and is deleted with its object', async () => {
  const t = await startWithApi();
  t.api.fake.seed(PODS, testPod());
  await pass(t.clock, 500);
  assert.equal(podOf(t)?.status?.phase, 'Running');
  assert.equal(podOf(t)?.status?.observedGeneration, 1);
  assert.ok(t.api.podWrites().length <= 2, t.api.podWrites().join(', '));
  await t.api.client.resource(PODS, 'default').delete('web');
  await pass(t.clock, 5_000);
  assert.equal(podOf(t), undefined);
  assert.deepEqual(await t.runtime.listSandboxes(), []);
  assert.equal(t.kubelet.pods().length, 0);
  await stop(t);
});

test('what it told of a pod comes back without a further pass over the pod; what others tell makes one', async () => {
  let passes = 0;
  const gate: Gate = {
    join: () => undefined,
    pass: (_, { what }) => void (what === 'sync pod default/web' && passes++),
  };
  const t = await startWithApi(undefined, { gate });
  t.api.fake.seed(PODS, testPod({ spec: { readinessGates: [{ conditionType: 'example.com/gate' }] } }));
  await pass(t.clock, 500);
  assert.equal(podOf(t)?.status?.phase, 'Running');
  const first = passes;
  assert.ok(first <= 2, `${first} passes`);
  const condition = { type: 'example.com/gate', status: 'True' as const };
  const pods = t.api.client.resource(PODS, 'default');
  await pods.patch('web', 'strategic', { status: { conditions: [condition] } }, { subresource: 'status' });
  await pass(t.clock, 500);
  assert.equal(podOf(t)?.status?.conditions?.find(({ type }) => type === 'Ready')?.status, 'True');
  assert.equal(passes, first + 1);
  await pods.patch('web', 'merge', { metadata: { labels: { a: 'b' } } });
  await pass(t.clock, 500);
  assert.equal(passes, first + 2);
  await stop(t);
});

test('who says of himself that he comes from a file is an object of the API all the same: he is told of, and can be deleted', async () => {
  const t = await startWithApi();
  const annotations = { 'kubernetes.io/config.source': 'file', 'kubernetes.io/config.hash': 'x' };
  t.api.fake.seed(PODS, testPod({ metadata: { annotations } }));
  await pass(t.clock, 500);
  assert.equal(podOf(t)?.status?.phase, 'Running');
  assert.equal(isStatic(t.kubelet.pods()[0]!.pod), false);
  await t.api.client.resource(PODS, 'default').delete('web');
  await pass(t.clock, 5_000);
  assert.equal(podOf(t), undefined);
  assert.deepEqual(await t.runtime.listSandboxes(), []);
  await stop(t);
});

test('nothing is written while nothing changes', async () => {
  const t = await startWithApi();
  t.api.fake.seed(PODS, testPod());
  await pass(t.clock, 500);
  const writes = t.api.podWrites().length;
  await pass(t.clock, 600_000);
  assert.equal(t.api.podWrites().length, writes);
  await stop(t);
});

test('a missing ConfigMap holds the container until it appears', async () => {
  const t = await startWithApi();
  t.api.fake.seed(PODS, testPod({ container: { envFrom: [{ configMapRef: { name: 'cm' } }] } }));
  await pass(t.clock, 500);
  const waiting = podOf(t)?.status?.containerStatuses?.[0]?.state?.waiting;
  assert.deepEqual(waiting, { reason: 'CreateContainerConfigError', message: 'configmap "cm" not found' });
  await t.api.client
    .dynamic({ group: '', version: 'v1', resource: 'configmaps' }, 'default')
    .create({ metadata: { name: 'cm' }, apiVersion: 'v1', kind: 'ConfigMap' });
  await pass(t.clock, 500);
  assert.equal(podOf(t)?.status?.phase, 'Running');
  await stop(t);
});

test('a missing Secret of a volume is a FailedMount; the pod starts when it appears', async () => {
  const t = await startWithApi();
  t.api.fake.seed(
    PODS,
    testPod({ spec: { volumes: ['v', 'w'].map((name) => ({ name, secret: { secretName: 's' } })) } }),
  );
  await pass(t.clock, 500);
  assert.equal(podOf(t)?.status?.containerStatuses?.[0]?.state?.waiting?.reason, 'ContainerCreating');
  for (const name of ['v', 'w']) {
    const line = `Warning FailedMount MountVolume.SetUp failed for volume "${name}" : secret "s" not found`;
    assert.ok(t.events.lines.includes(line), line);
  }
  await t.api.client
    .dynamic({ group: '', version: 'v1', resource: 'secrets' }, 'default')
    .create({ metadata: { name: 's' }, apiVersion: 'v1', kind: 'Secret' });
  await pass(t.clock, 500);
  assert.equal(podOf(t)?.status?.phase, 'Running');
  await stop(t);
});

test('a volume that cannot be mounted is tried again at growing intervals, and told of as often', async () => {
  const t = await startWithApi();
  t.api.fake.seed(PODS, testPod({ spec: { volumes: [{ name: 'v', hostPath: { path: '/late', type: 'File' } }] } }));
  const told = (): number => t.events.reasons().filter((reason) => reason === 'FailedMount').length;
  const seen: number[] = [];
  for (const ms of [100, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 122_000, 122_000]) {
    await pass(t.clock, ms);
    seen.push(told());
  }
  assert.deepEqual(seen, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  await stop(t);
});

test('a claim that is not there yet is looked for every ten seconds, and told of for the pod', async () => {
  const t = await startWithApi();
  const volumes = [
    { name: 'data', persistentVolumeClaim: { claimName: 'd' } },
    { name: 'v', emptyDir: {} },
  ];
  t.api.fake.seed(PODS, testPod({ spec: { volumes } }));
  await pass(t.clock, 100);
  const line =
    'Warning FailedMount Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: error processing PVC default/d: failed to fetch PVC from API server: persistentvolumeclaims "d" not found';
  const told = (): string[] => t.events.lines.filter((one) => one.includes('FailedMount'));
  assert.deepEqual(told(), [line]);
  await pass(t.clock, 20_000);
  assert.deepEqual(told(), [line, line, line]);
  await stop(t);
});

test('a resource that somebody told the API of is counted, as the API has it when it runs short', async () => {
  const t = await startWithApi();
  const tell = (amount: string): Promise<unknown> => {
    const amounts = { 'a.test/x': amount };
    const status = { capacity: amounts, allocatable: amounts };
    return t.api.client.resource(NODES).patch('node-1', 'strategic', { status }, { subresource: 'status' });
  };
  const put = async (name: string, count: string): Promise<Pod | undefined> => {
    const amounts = { 'a.test/x': count };
    t.api.fake.seed(PODS, testPod({ name, container: { resources: { limits: amounts, requests: amounts } } }));
    await pass(t.clock, 500);
    return podOf(t, name);
  };
  assert.equal((await put('unknown', '9'))?.status?.phase, 'Running', 'what the node does not tell of');
  await t.api.client.resource(PODS, 'default').delete('unknown');
  await tell('3');
  await pass(t.clock, 10_100);
  assert.equal((await put('first', '2'))?.status?.phase, 'Running');
  const refused = (await put('second', '2'))?.status;
  assert.deepEqual([refused?.phase, refused?.reason], ['Failed', 'OutOfa.test/x']);
  const why = "Node didn't have enough resource: a.test/x, requested: 2, used: 2, capacity: 3";
  assert.equal(refused?.message, `Pod was rejected: ${why}`);
  await tell('4');
  assert.equal((await put('third', '2'))?.status?.phase, 'Running', 'it was told a moment ago');
  await stop(t);
});

function staticPod(): Pod {
  const hash = 'f00d';
  const annotations = {
    'kubernetes.io/config.source': 'file',
    'kubernetes.io/config.hash': hash,
    'kubernetes.io/config.seen': 'x',
  };
  return testPod({ name: 'etcd-node-1', metadata: { uid: hash, annotations } });
}

test('a static pod that finds no room gets that of others, once they are off the node', async () => {
  const t = await startWithApi();
  const asking = (cpu: string) => ({ resources: { requests: { cpu } } });
  t.api.fake.seed(PODS, testPod({ name: 'small', container: asking('1') }));
  t.api.fake.seed(PODS, testPod({ name: 'large', container: asking('3') }));
  await pass(t.clock, 500);
  const pod = staticPod();
  const [main] = pod.spec.containers;
  t.files.put({ ...pod, spec: { ...pod.spec, containers: [{ ...main!, ...asking('2') }] } });
  await pass(t.clock, 500);
  const of = (name: string) => podOf(t, name)?.status;
  assert.deepEqual([of('small')?.phase, of('large')?.phase, of('large')?.reason], ['Running', 'Failed', 'Preempting']);
  const why = of('large')?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  assert.deepEqual(
    [why?.reason, why?.message],
    ['TerminationByKubelet', 'Pod was preempted by Kubelet to accommodate a critical pod.'],
  );
  assert.ok(t.events.lines.includes('Warning Preempting Preempted in order to admit critical pod'));
  await pass(t.clock, 5_000);
  assert.equal(of('etcd-node-1')?.phase, 'Running');
  t.files.put({
    ...pod,
    metadata: { ...pod.metadata, name: 'vast', uid: 'vast' },
    spec: { ...pod.spec, containers: [{ ...main!, ...asking('9') }] },
  });
  await pass(t.clock, 500);
  assert.equal(of('small')?.phase, 'Running', 'it would not be enough');
  const vast = t.kubelet.pods().find(({ pod: { metadata } }) => metadata.name === 'vast');
  assert.deepEqual(
    [vast?.status.reason, vast?.status.message],
    [
      'UnexpectedAdmissionError',
      'Pod was rejected: Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: cpu, q: 8000), ]',
    ],
  );
  await stop(t);
});

test('a static pod has a mirror with its status; deleting the mirror does not stop it', async () => {
  const t = await startWithApi();
  t.files.put(staticPod());
  await pass(t.clock, 500);
  const mirror = podOf(t, 'etcd-node-1');
  assert.equal(mirror?.metadata.annotations?.['kubernetes.io/config.mirror'], 'f00d');
  assert.equal(mirror?.status?.phase, 'Running');
  const [before] = await t.runtime.listContainers();
  await t.api.client.resource(PODS, 'default').delete('etcd-node-1');
  await pass(t.clock, 500);
  const again = podOf(t, 'etcd-node-1');
  assert.ok(again !== undefined && again.metadata.uid !== mirror?.metadata.uid, 'another one is there');
  assert.equal(again.metadata.deletionTimestamp, undefined);
  assert.equal(again?.status?.phase, 'Running');
  assert.deepEqual(
    (await t.runtime.listContainers()).map((c) => c.id),
    [before?.id],
  );
  t.files.drop(staticPod());
  await pass(t.clock, 500);
  assert.equal(podOf(t, 'etcd-node-1'), undefined);
  assert.deepEqual(await t.runtime.listContainers(), []);
  await stop(t);
});

test('while the API server is away from the start, static pods run: they wait for nothing of it', async () => {
  const clock = new VirtualClock();
  const api = createTestApi(clock);
  api.fake.faults.call = () => ({ kind: 'refuse', error: statusErrors.serviceUnavailable('down') });
  const files = new HandSource('file');
  const annotations = { 'kubernetes.io/config.source': 'file', 'kubernetes.io/config.hash': 'uid-web' };
  files.put(testPod({ metadata: { annotations } }));
  const t = await startTestNode({
    clock,
    client: api.client,
    objects: createObjectReader(api.client, api.world, api.scope),
    sources: [createApiPodSource(api.client, api.world, api.scope), files],
    files: createMemoryFiles(),
  });
  await pass(clock, 1_000);
  const [pod] = t.kubelet.pods();
  assert.equal(pod?.status.phase, 'Running');
  await t.scope.close();
  await api.scope.close();
});

test('a manifest that is refused can be asked for, and is told', async () => {
  const clock = new VirtualClock();
  const files = createMemoryFiles();
  await files.writeFile('/m/rc.yaml', new TextEncoder().encode('{apiVersion: v1, kind: ReplicationController}'));
  const t = await startTestNode({
    clock,
    sources: [createFileSource({ path: '/m', files, clock, log: silentLogger })],
  });
  const reason = '/m/rc.yaml: a v1 Pod is wanted, this is v1 ReplicationController';
  assert.deepEqual([...t.kubelet.refusedManifests()], [['rc.yaml', reason]]);
  assert.deepEqual(t.events.lines, [`Warning InvalidManifest Static pod manifest rc.yaml is refused: ${reason}`]);
  await files.remove('/m/rc.yaml');
  await pass(clock, 100);
  assert.equal(t.kubelet.refusedManifests().size, 0);
  await t.scope.close();
});

test('a container that ended before anybody looked: its end is told together with its last words', async () => {
  const hostFiles = createMemoryFiles();
  const t = await startWithApi(hostFiles);
  hostFiles.readRange = () =>
    new Promise((resolve) => void t.clock.after(50, () => resolve(new TextEncoder().encode('OK'))));
  // It has ended by the time the kubelet looks at what it has started.
  const start = t.runtime.startContainer.bind(t.runtime);
  t.runtime.startContainer = async (id) => {
    await start(id);
    t.node.endContainer(id, 0);
  };
  t.api.fake.seed(
    PODS,
    testPod({ spec: { restartPolicy: 'Never' }, container: { terminationMessagePath: '/dev/termination-log' } }),
  );
  const told: (string | undefined)[] = [];
  for (let ms = 0; ms < 1_000; ms++) {
    await pass(t.clock, 1);
    const ended = podOf(t)?.status?.containerStatuses?.[0]?.state?.terminated;
    if (ended !== undefined) told.push(ended.message);
  }
  assert.deepEqual([...new Set(told)], ['OK']);
  await stop(t);
});

test('a machine that was started anew has nothing of its pods: they run again, or have failed, and those that were to go are gone', async () => {
  const before = await startTestNode({ files: createMemoryFiles() });
  const pods = ['always', 'never', 'going'].map((name) =>
    testPod({
      name,
      spec: { restartPolicy: name === 'never' ? 'Never' : 'Always', volumes: [{ name: 'v', emptyDir: {} }] },
    }),
  );
  for (const pod of pods) before.source.put(pod);
  await pass(before.clock, 1_000);
  const told = new Map(before.kubelet.pods().map(({ pod, status }) => [pod.metadata.name, status]));
  await before.scope.close();
  const machine = { ...testMachine, bootId: 'another' };
  const source = new HandSource();
  for (const pod of pods) {
    const { name } = pod.metadata;
    const end = name === 'going' ? { deletionTimestamp: 'now', deletionGracePeriodSeconds: 30 } : {};
    source.pods.set(pod.metadata.uid ?? '', {
      ...pod,
      metadata: { ...pod.metadata, ...end },
      status: told.get(name) ?? {},
    });
  }
  const after = await startTestNode({ clock: before.clock, source, machine, files: createMemoryFiles() });
  await pass(after.clock, 5_000);
  const seen = after.kubelet.pods().map(({ pod: { metadata }, status: { phase, containerStatuses } }) => {
    const { restartCount, state } = containerStatuses?.[0] ?? {};
    return [metadata.name, phase, restartCount, state?.terminated?.reason];
  });
  assert.deepEqual(seen, [
    ['always', 'Running', 1, undefined],
    ['never', 'Failed', 0, 'ContainerStatusUnknown'],
    ['going', 'Failed', 0, 'ContainerStatusUnknown'],
  ]);
  assert.deepEqual(
    (await after.runtime.listSandboxes()).map(({ name }) => name),
    ['always'],
  );
  await after.scope.close();
});
