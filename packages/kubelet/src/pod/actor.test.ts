import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { RuntimeError } from '@binnacle/runtime';
import { pass, startTestNode, testPod } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';
import type { TestNode } from '../testing/node.ts';

const simulated = (of: { [name: string]: string }): { annotations: { [key: string]: string } } => ({
  annotations: Object.fromEntries(Object.entries(of).map(([key, value]) => [`simulated.binnacle.dev/${key}`, value])),
});
const statusOf = (
  t: TestNode,
  name = 'web',
): NonNullable<ReturnType<TestNode['kubelet']['pods']>[number]>['status'] | undefined =>
  t.kubelet.pods().find((p) => p.pod.metadata.name === name)?.status;
const waiting = (t: TestNode): object | undefined => statusOf(t)?.containerStatuses?.[0]?.state?.waiting;

test('an image that cannot be pulled: the error, then the back-off', async () => {
  const t = await startTestNode();
  t.source.put(
    testPod({
      metadata: simulated({ 'image-absent': 'true', 'pull-failure': 'no such image' }),
      container: { image: 'nowhere/x:1' },
    }),
  );
  await pass(t.clock, 100);
  assert.equal((waiting(t) as { reason: string }).reason, 'ErrImagePull');
  assert.deepEqual(t.events.reasons().slice(0, 3), ['Pulling', 'Failed', 'Failed']);
  t.kubelet.pods();
  t.source.put({
    ...testPod({
      metadata: simulated({ 'image-absent': 'true', 'pull-failure': 'no such image' }),
      container: { image: 'nowhere/x:1' },
    }),
  });
  await pass(t.clock, 100);
  assert.equal((waiting(t) as { reason: string }).reason, 'ImagePullBackOff');
  assert.match((waiting(t) as { message: string }).message, /^Back-off pulling image "nowhere\/x:1": ErrImagePull: /);
  await t.scope.close();
});

test('an image that is absent and must not be pulled', async () => {
  const t = await startTestNode();
  t.source.put(
    testPod({
      metadata: simulated({ 'image-absent': 'true' }),
      container: { image: 'absent:1', imagePullPolicy: 'Never' },
    }),
  );
  await pass(t.clock, 100);
  assert.deepEqual(waiting(t), {
    reason: 'ErrImageNeverPull',
    message: 'Container image "absent:1" is not present with pull policy of Never',
  });
  await t.scope.close();
});

test('a reason that is longer than any is cut: it goes to everybody who watches pods', async () => {
  const t = await startTestNode();
  t.source.put(testPod({ metadata: simulated({ 'image-absent': 'true', 'pull-failure': 'x'.repeat(1 << 20) }) }));
  await pass(t.clock, 100);
  const { message } = waiting(t) as { message: string };
  assert.ok(message.length > 1_000 && message.length <= 4_096, String(message.length));
  await t.scope.close();
});

test('a sandbox that cannot be made is tried again', async () => {
  const t = await startTestNode();
  t.source.put(testPod({ metadata: simulated({ 'sandbox-failure': 'no network' }) }));
  await pass(t.clock, 100);
  assert.ok(t.events.lines.some((l) => l.startsWith('Warning FailedCreatePodSandBox Failed to create pod sandbox: ')));
  const said = t.events.lines.length;
  await pass(t.clock, 11_000);
  assert.ok(t.events.lines.length > said);
  await t.scope.close();
});

test("a pod waits for the network before anything of it is there, unless it is on the node's", async () => {
  const t = await startTestNode();
  const why = { ready: false, reason: 'NetworkPluginNotReady', message: 'cni plugin not initialized' };
  t.node.setCondition('network', why);
  let asked = 0;
  const status = t.runtime.status.bind(t.runtime);
  t.runtime.status = () => (asked++, status());
  const pods = Array.from({ length: 20 }, (_, at) => testPod({ metadata: { name: `p${at}`, uid: `uid-${at}` } }));
  for (const pod of pods) t.source.put(pod);
  t.source.put(testPod({ metadata: { name: 'host', uid: 'host' }, spec: { hostNetwork: true } }));
  await pass(t.clock, 10_000);
  assert.deepEqual(
    (await t.runtime.listSandboxes()).map(({ name }) => name),
    ['host'],
  );
  const message =
    'network is not ready: container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:cni plugin not initialized';
  const told = t.events.lines.filter((line) => line.startsWith('Warning NetworkNotReady'));
  assert.deepEqual(new Set(told), new Set([`Warning NetworkNotReady ${message}`]));
  assert.equal(told.length, pods.length, 'each is told once');
  assert.ok(asked < 50, `the runtime was asked ${asked} times`);
  const [gone] = pods;
  t.source.put({
    ...gone,
    metadata: { ...gone?.metadata, deletionTimestamp: 'now', deletionGracePeriodSeconds: 1 },
  } as Pod);
  t.node.setCondition('network', { ready: true, reason: '', message: '' });
  await pass(t.clock, 2_000);
  assert.equal((await t.runtime.listSandboxes()).length, pods.length, 'soon after, all but the one that ended');
  await t.scope.close();
});

test('a container that cannot be started', async () => {
  const t = await startTestNode();
  t.source.put(testPod({ metadata: simulated({ 'start-failure': 'no such file' }) }));
  await pass(t.clock, 100);
  // Two tries, then the back-off.
  assert.equal((waiting(t) as { reason: string }).reason, 'CrashLoopBackOff');
  assert.equal(statusOf(t)?.containerStatuses?.[0]?.restartCount, 1);
  assert.ok(t.events.lines.some((l) => l.startsWith('Warning Failed Error: ')));
  await t.scope.close();
});

test('a pull that takes long does not hold up the end of the pod', async () => {
  const t = await startTestNode();
  const pod = testPod({
    metadata: simulated({ 'image-absent': 'true', 'pull-delay': '10m' }),
    container: { image: 'slow:1' },
  });
  t.source.put(pod);
  await pass(t.clock, 1_000);
  assert.ok(t.events.reasons().includes('Pulling'));
  t.source.put({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: 'now', deletionGracePeriodSeconds: 1 } });
  await pass(t.clock, 5_000);
  assert.deepEqual(await t.runtime.listSandboxes(), []);
  await t.scope.close();
});

test('a hook that takes long does not hold up the end of a pod that was deleted before the hook began', async () => {
  const t = await startTestNode();
  const pod = testPod({
    metadata: simulated({ 'start-delay': '5s', 'exec-delay': '10m' }),
    container: { lifecycle: { postStart: { exec: { command: ['wait'] } } } },
  });
  t.source.put(pod);
  await pass(t.clock, 1_000);
  t.source.put({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: 'now', deletionGracePeriodSeconds: 1 } });
  await pass(t.clock, 20_000);
  assert.deepEqual(await t.runtime.listSandboxes(), []);
  await t.scope.close();
});

test('policies that never answer do not hold up the end of a pod that was deleted before they were asked', async () => {
  const asked: string[] = [];
  const whenHeld = (): Promise<void> => {
    asked.push('asked');
    return Promise.withResolvers<void>().promise;
  };
  const t = await startTestNode({ policies: { whenHeld, released: () => undefined } });
  const pod = testPod({ metadata: simulated({ 'sandbox-delay': '5s' }) });
  t.source.put(pod);
  await pass(t.clock, 1_000);
  t.source.put({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: 'now', deletionGracePeriodSeconds: 1 } });
  await pass(t.clock, 20_000);
  assert.deepEqual([await t.runtime.listSandboxes(), asked], [[], ['asked']]);
  await t.scope.close();
});

test('policies hear of the end of a pod when nothing of it runs any more, though its object stays', async () => {
  const heard: Promise<readonly string[]>[] = [];
  const policies = {
    whenHeld: async () => undefined,
    released: (pod: Pod) =>
      void heard.push(
        t.runtime.listSandboxes().then((all) => [pod.metadata.name ?? '', ...all.map(({ state }) => state)]),
      ),
  };
  const t = await startTestNode({ policies });
  t.source.put(
    testPod({ metadata: simulated({ 'exit-after': '1s', 'exit-code': '0' }), spec: { restartPolicy: 'Never' } }),
  );
  await pass(t.clock, 500);
  assert.equal(heard.length, 0);
  await pass(t.clock, 5_000);
  assert.equal(statusOf(t)?.phase, 'Succeeded');
  assert.deepEqual(await Promise.all(heard), [['web', 'notReady']]);
  await t.scope.close();
});

test('a crash loop keeps one dead container, and no more', async () => {
  const t = await startTestNode();
  t.source.put(testPod({ metadata: simulated({ 'exit-after': '1s', 'exit-code': '1' }) }));
  for (let i = 0; i < 20; i++) await pass(t.clock, 10_000);
  const containers = await t.runtime.listContainers();
  assert.ok(containers.length <= 2, String(containers.length));
  assert.ok((statusOf(t)?.containerStatuses?.[0]?.restartCount ?? 0) >= 4);
  await t.scope.close();
});

for (const ends of [false, true])
  test(`a container that never starts, and ${ends ? 'ends by it' : 'stays as it was made'}, leaves two of itself and no more`, async () => {
    const files = createMemoryFiles();
    const t = await startTestNode({ files });
    const start = t.runtime.startContainer.bind(t.runtime);
    t.runtime.startContainer = async (id) => {
      if (ends) {
        await start(id);
        t.node.endContainer(id, 128);
      }
      throw new RuntimeError('exec: "nothing": executable file not found in $PATH');
    };
    t.source.put(testPod());
    for (let i = 0; i < 20; i++) await pass(t.clock, 60_000);
    const containers = await t.runtime.listContainers();
    assert.ok(containers.length <= 2, String(containers.length));
    const words = files.paths().filter((path) => path.startsWith('/var/lib/kubelet/pods/uid-web/containers/main/'));
    assert.ok(words.length <= 2, words.join());
    await t.scope.close();
  });

test('what is not built is refused visibly and never started', async () => {
  const t = await startTestNode();
  t.source.put(testPod({ spec: { volumes: [{ name: 'far', nfs: { server: 's', path: '/' } }] } }));
  await pass(t.clock, 100);
  assert.deepEqual(waiting(t), {
    reason: 'Unsupported',
    message: 'not supported by this kubelet: spec.volumes[far].nfs',
  });
  assert.deepEqual(await t.runtime.listSandboxes(), []);
  assert.deepEqual(t.events.reasons(), ['Unsupported']);
  await t.scope.close();
});

test('a sandbox that dies is replaced, with its containers', async () => {
  const t = await startTestNode();
  t.source.put(testPod());
  await pass(t.clock, 100);
  const [before] = await t.runtime.listSandboxes();
  await t.runtime.stopSandbox(before!.id);
  await pass(t.clock, 100);
  assert.ok(t.events.reasons().includes('SandboxChanged'));
  const ready = (await t.runtime.listSandboxes()).filter((s) => s.state === 'ready');
  assert.deepEqual([ready.length, ready[0]?.attempt], [1, 1]);
  assert.equal(statusOf(t)?.phase, 'Running');
  await t.scope.close();
});

test('nothing of a pod runs before policies hold it back', async () => {
  const asked: string[] = [];
  let answer: () => Promise<void> = () => Promise.reject(new RangeError('not yet'));
  const policies = {
    whenHeld: (pod: { readonly metadata: { readonly name?: string } }, addresses: readonly string[]) => {
      asked.push(`${pod.metadata.name} ${addresses.length}`);
      return answer();
    },
    released: () => undefined,
  };
  const t = await startTestNode({ policies });
  t.source.put(testPod());
  await pass(t.clock, 1_000);
  assert.deepEqual(asked, ['web 1']);
  assert.equal((await t.runtime.listContainers()).length, 0);
  assert.ok(
    t.events.lines.includes('Warning NetworkNotReady network policies do not hold the pod yet: not yet'),
    t.events.lines.join('\n'),
  );
  answer = () => Promise.resolve();
  await pass(t.clock, 11_000);
  assert.equal(statusOf(t)?.phase, 'Running');
  t.source.put(testPod({ name: 'host', spec: { hostNetwork: true } }));
  await pass(t.clock, 1_000);
  assert.equal(statusOf(t, 'host')?.phase, 'Running');
  assert.deepEqual(asked, ['web 1', 'web 1'], 'the network of the node is not a pod’s');
  await t.scope.close();
});
