import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pass, startTestNode, testPod } from '../testing/node.ts';
import { annotatedGrace, graceSeconds } from './killing.ts';

test("grace: the deletion's own, else the pod's, else thirty; at least one", () => {
  const of = (deletion: number | undefined, spec: number | undefined): number =>
    graceSeconds({
      metadata: deletion === undefined ? {} : { deletionGracePeriodSeconds: deletion },
      spec: { containers: [], ...(spec === undefined ? {} : { terminationGracePeriodSeconds: spec }) },
    });
  assert.deepEqual([of(5, 60), of(undefined, 60), of(undefined, undefined), of(0, 60)], [5, 60, 30, 1]);
  assert.deepEqual(
    [
      annotatedGrace({}),
      annotatedGrace({ 'io.kubernetes.pod.terminationGracePeriod': '7' }),
      annotatedGrace({ 'io.kubernetes.pod.terminationGracePeriod': 'x' }),
    ],
    [30, 7, 30],
  );
});

const deleted = (pod: ReturnType<typeof testPod>, grace: number): ReturnType<typeof testPod> => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: 'now', deletionGracePeriodSeconds: grace },
});

test('a stubborn container is killed when its time is over', async () => {
  const t = await startTestNode();
  const pod = testPod({ metadata: { annotations: { 'simulated.binnacle.dev/ignore-stop': 'true' } } });
  t.source.put(pod);
  await pass(t.clock, 100);
  t.source.put(deleted(pod, 10));
  await pass(t.clock, 9_000);
  assert.equal((await t.runtime.listContainers())[0]?.state, 'running');
  await pass(t.clock, 2_000);
  assert.deepEqual(await t.runtime.listContainers(), []);
  assert.equal(t.kubelet.pods()[0]?.status.phase, 'Failed');
  assert.ok(t.events.lines.includes('Normal Killing Stopping container main'));
  await t.scope.close();
});

test('a shorter grace hastens the end', async () => {
  const t = await startTestNode();
  const pod = testPod({ metadata: { annotations: { 'simulated.binnacle.dev/ignore-stop': 'true' } } });
  t.source.put(pod);
  await pass(t.clock, 100);
  t.source.put(deleted(pod, 60));
  await pass(t.clock, 1_000);
  t.source.put(deleted(pod, 2));
  await pass(t.clock, 4_000);
  assert.deepEqual(await t.runtime.listContainers(), []);
  await t.scope.close();
});

test('the preStop hook runs first, in the time of the grace', async () => {
  const t = await startTestNode();
  const pod = testPod({ container: { lifecycle: { preStop: { sleep: { seconds: 5 } } } } });
  t.source.put(pod);
  await pass(t.clock, 100);
  t.source.put(deleted(pod, 30));
  await pass(t.clock, 4_000);
  assert.equal((await t.runtime.listContainers())[0]?.state, 'running');
  await pass(t.clock, 2_000);
  assert.deepEqual(await t.runtime.listContainers(), []);
  await t.scope.close();
});

test('sidecars end after the others', async () => {
  const t = await startTestNode();
  const pod = testPod({
    spec: { initContainers: [{ name: 'sc', image: 'busybox:1', restartPolicy: 'Always' }] },
    metadata: { annotations: { 'main.simulated.binnacle.dev/stop-delay': '5s' } },
  });
  t.source.put(pod);
  await pass(t.clock, 100);
  assert.equal(t.kubelet.pods()[0]?.status.phase, 'Running');
  t.source.put(deleted(pod, 30));
  await pass(t.clock, 2_000);
  const states = (await t.runtime.listContainers()).map((c) => `${c.name} ${c.state}`).toSorted();
  assert.deepEqual(states, ['main running', 'sc running']);
  await pass(t.clock, 5_000);
  assert.deepEqual(await t.runtime.listContainers(), []);
  await t.scope.close();
});

test("a sidecar's preStop hook begins with all others, and its end waits for theirs", async () => {
  const t = await startTestNode();
  const sleep = (seconds: number): object => ({ preStop: { sleep: { seconds } } });
  const pod = testPod({
    container: { lifecycle: sleep(4) },
    spec: { initContainers: [{ name: 'side', image: 'busybox:1', restartPolicy: 'Always', lifecycle: sleep(3) }] },
  });
  t.source.put(pod);
  await pass(t.clock, 500);
  t.source.put(deleted(pod, 20));
  await pass(t.clock, 3_500);
  assert.deepEqual(
    (await t.runtime.listContainers()).map((c) => c.state),
    ['running', 'running'],
  );
  await pass(t.clock, 1_500);
  assert.deepEqual(await t.runtime.listContainers(), []);
  await t.scope.close();
});

test('a sandbox that died by itself is stopped: its address and ports are free before the next is made', async () => {
  const t = await startTestNode();
  const calls: string[] = [];
  const stopSandbox = t.runtime.stopSandbox.bind(t.runtime);
  const runSandbox = t.runtime.runSandbox.bind(t.runtime);
  t.runtime.stopSandbox = async (id) => {
    calls.push('stop');
    await stopSandbox(id);
  };
  t.runtime.runSandbox = async (config) => {
    calls.push(`run ${config.attempt}`);
    return runSandbox(config);
  };
  t.source.put(testPod());
  await pass(t.clock, 500);
  const [sandbox] = await t.runtime.listSandboxes();
  await stopSandbox(sandbox!.id);
  await pass(t.clock, 2_000);
  assert.deepEqual(calls.slice(0, 3), ['run 0', 'stop', 'run 1']);
  await t.scope.close();
});

test('a container is stopped by the signal that it asks for, now and by who knows nothing of its pod any more', async () => {
  const t = await startTestNode();
  const signals: (string | undefined)[] = [];
  const stop = t.runtime.stopContainer.bind(t.runtime);
  t.runtime.stopContainer = (id, grace, signal) => {
    signals.push(signal);
    return stop(id, grace);
  };
  const pod = testPod({ container: { lifecycle: { stopSignal: 'SIGUSR1' } } });
  t.source.put(pod);
  await pass(t.clock, 100);
  assert.equal(t.kubelet.pods()[0]?.status.containerStatuses?.[0]?.stopSignal, 'SIGUSR1');
  t.source.put(deleted(pod, 10));
  await pass(t.clock, 1_000);
  assert.deepEqual(signals, ['SIGUSR1']);
  await t.scope.close();
});
