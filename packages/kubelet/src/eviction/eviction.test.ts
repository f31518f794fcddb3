import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod, PodStatus } from '@binnacle/api/core/v1';
import { PathError } from '../errors.ts';
import { createSeededRandom, VirtualClock } from '@binnacle/base';
import { createSimulatedNode } from '@binnacle/runtime/simulated';
import type { FilesystemUsage, NodeUsage } from '../figures.ts';
import type { Machine } from '../ports.ts';
import { pass, startTestNode, testMachine, testPod } from '../testing/node.ts';
import type { TestNode } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';

const MI = 2 ** 20;

interface Bench extends TestNode {
  /** What is left of the node's memory and disk. */
  readonly left: { memory: number; disk: number; inodes: number; pids: number };
  readonly files: ReturnType<typeof createMemoryFiles>;
}

async function start(): Promise<Bench> {
  const left = { memory: 4096 * MI, disk: 50, inodes: 9, pids: 1000 };
  const usage = async (): Promise<NodeUsage> => ({
    startedAt: 0,
    cpuUsageNanos: 0,
    memoryAvailableBytes: left.memory,
    memoryUsageBytes: 0,
    memoryWorkingSetBytes: testMachine.memoryBytes - left.memory,
    filesystem: {
      availableBytes: left.disk,
      capacityBytes: 100,
      usedBytes: 0,
      inodesFree: left.inodes,
      inodes: 10,
      inodesUsed: 1,
    },
    pids: 1000 - left.pids,
    maxPids: 1000,
  });
  const files = createMemoryFiles();
  const disk = { 'nodefs.available': '10%', 'nodefs.inodesFree': '5%' };
  const config = { evictionHard: { 'memory.available': '100Mi', ...disk, 'pid.available': '5%' } };
  const t = await startTestNode({ files, config, machine: { ...testMachine, usage } });
  return { ...t, left, files };
}

/** A pod that uses so much memory. */
function using(name: string, mebibytes: number, more: Partial<Pod['spec']> = {}): Pod {
  return testPod({
    name,
    spec: more,
    metadata: { annotations: { 'simulated.binnacle.dev/memory-usage-bytes': String(mebibytes * MI) } },
  });
}

const statusOf = (t: TestNode, name: string): PodStatus | undefined =>
  t.kubelet.pods().find((p) => p.pod.metadata.name === name)?.status;

test('where memory runs out the one who uses the most beyond his request goes, and nobody with him', async () => {
  const t = await start();
  for (const pod of [using('small', 10), using('large', 500)]) t.source.put(pod);
  await pass(t.clock, 1_000);
  t.left.memory = 50 * MI;
  await pass(t.clock, 11_000);
  const gone = statusOf(t, 'large');
  assert.deepEqual([gone?.phase, gone?.reason], ['Failed', 'Evicted']);
  assert.match(
    gone?.message ?? '',
    /^The node was low on resource: memory\. Threshold quantity: 100Mi, available: 50Mi\. /,
  );
  const told = gone?.conditions?.find((c) => c.type === 'DisruptionTarget');
  assert.deepEqual([told?.status, told?.reason], ['True', 'TerminationByKubelet']);
  assert.equal(statusOf(t, 'small')?.phase, 'Running');
  assert.ok(t.events.reasons().includes('Evicted'));
  await t.scope.close();
});

test('where all pods together are about to take more than they may, one goes before the kernel kills any', async () => {
  const usage = async (): Promise<NodeUsage> => ({
    startedAt: 0,
    cpuUsageNanos: 0,
    memoryAvailableBytes: 0,
    memoryUsageBytes: 0,
    memoryWorkingSetBytes: 0,
    pids: 0,
    maxPids: 10,
  });
  const left = { pods: 500 };
  const asked: string[] = [];
  const groupUsage: Machine['groupUsage'] = async (path) => {
    asked.push(path);
    const workingSetBytes = (1000 - left.pods) * MI;
    const others = { usageBytes: workingSetBytes, rssBytes: 0, pageFaults: 0, majorPageFaults: 0 };
    return { startedAt: 0, memory: { workingSetBytes, limitBytes: 1000 * MI, ...others } };
  };
  const config = { evictionHard: { 'memory.available': '100Mi' } };
  const files = createMemoryFiles();
  const t = await startTestNode({ files, config, machine: { ...testMachine, usage, groupUsage } });
  for (const pod of [using('small', 10), using('large', 500)]) t.source.put(pod);
  await pass(t.clock, 11_000);
  assert.equal(statusOf(t, 'large')?.phase, 'Running');
  left.pods = 50;
  await pass(t.clock, 11_000);
  assert.match(
    statusOf(t, 'large')?.message ?? '',
    /^The node was low on resource: memory\. Threshold quantity: 100Mi, available: 50Mi\. /,
  );
  assert.deepEqual([statusOf(t, 'small')?.phase, asked[0]], ['Running', '/kubepods']);
  await t.scope.close();
});

test('where inodes run out the one who has the most of them goes, not the one with the most bytes', async () => {
  const t = await start();
  for (const name of ['many', 'large'])
    t.source.put(testPod({ name, spec: { volumes: [{ name: 'v', emptyDir: {} }] } }));
  await pass(t.clock, 1_000);
  const at = (name: string): string => `/var/lib/kubelet/pods/uid-${name}/volumes/kubernetes.io~empty-dir/v`;
  for (let i = 0; i < 50; i++) await t.files.writeFile(`${at('many')}/${i}`, new Uint8Array());
  await t.files.writeFile(`${at('large')}/file`, new Uint8Array(9_000));
  t.left.inodes = 0;
  await pass(t.clock, 11_000);
  assert.match(statusOf(t, 'many')?.message ?? '', /^The node was low on resource: inodes\. /);
  assert.equal(statusOf(t, 'large')?.phase, 'Running');
  await t.scope.close();
});

test('who hides what he has, too deep to be counted, goes before the others', async () => {
  const t = await start();
  for (const name of ['deep', 'large'])
    t.source.put(testPod({ name, spec: { volumes: [{ name: 'v', emptyDir: {} }] } }));
  await pass(t.clock, 1_000);
  const usage = t.files.usage.bind(t.files);
  // As the node's own files answer of a tree that is too deep.
  t.files.usage = (path, enough, unit) =>
    path.includes('uid-deep') && enough < Infinity ? Promise.resolve(enough + 1) : usage(path, enough, unit);
  await t.files.writeFile(
    '/var/lib/kubelet/pods/uid-large/volumes/kubernetes.io~empty-dir/v/file',
    new Uint8Array(9_000),
  );
  t.left.disk = 5;
  await pass(t.clock, 11_000);
  assert.deepEqual([statusOf(t, 'deep')?.reason, statusOf(t, 'large')?.phase], ['Evicted', 'Running']);
  await t.scope.close();
});

test('a pod whose files cannot be looked at keeps no other one in', async () => {
  const t = await start();
  const container = { resources: { limits: { 'ephemeral-storage': '1Ki' } } };
  for (const name of ['odd', 'over']) t.source.put(testPod({ name, container }));
  await pass(t.clock, 1_000);
  const usage = t.files.usage.bind(t.files);
  t.files.usage = (path, ...rest) =>
    path.includes('uid-odd') ? Promise.reject(new PathError(path, 'Input/output error')) : usage(path, ...rest);
  await t.files.writeFile('/var/log/pods/default_over_uid-over/main/0.log', new Uint8Array(9_000));
  await pass(t.clock, 11_000);
  assert.deepEqual([statusOf(t, 'over')?.reason, statusOf(t, 'odd')?.phase], ['Evicted', 'Running']);
  await t.scope.close();
});

test('a pod that takes an hour to end keeps no other one from making room', async () => {
  const t = await start();
  const spec = { terminationGracePeriodSeconds: 3_600 };
  const slow = using('slow', 10, spec);
  const annotations = { ...slow.metadata.annotations, 'simulated.binnacle.dev/stop-delay': '3600s' };
  const ending = { ...slow, metadata: { ...slow.metadata, annotations } };
  for (const pod of [ending, using('small', 10), using('large', 500)]) t.source.put(pod);
  await pass(t.clock, 1_000);
  const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 3_600 };
  t.source.put({ ...ending, metadata: { ...ending.metadata, ...deleted } });
  await pass(t.clock, 1_000);
  t.left.memory = 50 * MI;
  await pass(t.clock, 11_000);
  assert.deepEqual([statusOf(t, 'large')?.reason, statusOf(t, 'small')?.phase], ['Evicted', 'Running']);
  await t.scope.close();
});

test('a pod that had to go and does not is waited for half a minute; then the next one has to', async () => {
  const t = await start();
  for (const pod of [using('stuck', 500), using('next', 100)]) t.source.put(pod);
  await pass(t.clock, 1_000);
  t.runtime.stopContainer = () => new Promise(() => undefined);
  t.left.memory = 50 * MI;
  await pass(t.clock, 25_000);
  assert.equal(statusOf(t, 'next')?.phase, 'Running');
  await pass(t.clock, 35_000);
  assert.equal(statusOf(t, 'next')?.reason, 'Evicted');
  await t.scope.close();
});

test('who asks for nothing is not let in while memory presses; who asks for some is', async () => {
  const t = await start();
  t.left.memory = 50 * MI;
  await pass(t.clock, 11_000);
  const burstable = testPod({
    name: 'burstable',
    container: { resources: { requests: { memory: '1Mi' } } },
    status: { phase: 'Pending', qosClass: 'Burstable' },
  });
  for (const pod of [testPod({ name: 'nothing' }), burstable]) t.source.put(pod);
  await pass(t.clock, 1_000);
  const refused = statusOf(t, 'nothing');
  assert.deepEqual([refused?.phase, refused?.reason], ['Failed', 'Evicted']);
  assert.equal(refused?.message, 'Pod was rejected: The node had condition: [MemoryPressure]. ');
  assert.equal(statusOf(t, 'burstable')?.phase, 'Running');
  await t.scope.close();
});

test('where the disk is full the one who takes the most of it goes, and nobody comes', async () => {
  const t = await start();
  for (const name of ['a', 'b']) t.source.put(testPod({ name, spec: { volumes: [{ name: 'v', emptyDir: {} }] } }));
  await pass(t.clock, 1_000);
  await t.files.writeFile('/var/lib/kubelet/pods/uid-b/volumes/kubernetes.io~empty-dir/v/file', new Uint8Array(9_000));
  t.left.disk = 5;
  await pass(t.clock, 11_000);
  assert.match(statusOf(t, 'b')?.message ?? '', /^The node was low on resource: ephemeral-storage\. /);
  assert.equal(statusOf(t, 'a')?.phase, 'Running');
  t.source.put(testPod({ name: 'late' }));
  await pass(t.clock, 1_000);
  assert.match(statusOf(t, 'late')?.message ?? '', /DiskPressure/);
  await t.scope.close();
});

test('images fill a disk of their own: they go, then the pod that wrote the most there; the disk of pods is not meant', async () => {
  const disk = (availableBytes: number): FilesystemUsage => ({
    availableBytes,
    capacityBytes: 100,
    usedBytes: 0,
    inodesFree: 9,
    inodes: 10,
    inodesUsed: 1,
  });
  const left = { images: 50 };
  const usage = async (): Promise<NodeUsage> => ({
    startedAt: 0,
    cpuUsageNanos: 0,
    memoryAvailableBytes: 0,
    memoryUsageBytes: 0,
    memoryWorkingSetBytes: 0,
    filesystem: disk(50),
    pids: 0,
    maxPids: 10,
  });
  const filesystem: Machine['filesystem'] = async (folder) =>
    folder === '/images' ? { device: '2', usage: disk(left.images) } : { device: '1', usage: disk(50) };
  const clock = new VirtualClock();
  const node = createSimulatedNode({ clock, random: createSeededRandom(1) });
  const runtime = node.connect();
  runtime.filesystems = async () => ({ images: { folder: '/images' } });
  runtime.stats = async () =>
    (await node.connect().listContainers()).map(({ id, labels }) => {
      const usedBytes = labels['io.kubernetes.pod.name'] === 'writer' ? 5_000 : 1;
      return { id, cpuUsageNanos: 0, memoryWorkingSetBytes: 0, filesystem: { usedBytes, inodesUsed: 1 } };
    });
  const files = createMemoryFiles();
  const config = { evictionHard: { 'nodefs.available': '10%', 'imagefs.available': '15%' }, imageMinimumAgeMs: 0 };
  const t = await startTestNode({
    clock,
    node,
    runtime,
    files,
    config,
    machine: { ...testMachine, usage, filesystem },
  });
  for (const name of ['writer', 'logger'])
    t.source.put(testPod({ name, spec: { volumes: [{ name: 'v', emptyDir: {} }] } }));
  await pass(clock, 1_000);
  await files.writeFile('/var/log/pods/default_logger_uid-logger/main/0.log', new Uint8Array(90_000));
  left.images = 5;
  await pass(clock, 11_000);
  assert.match(
    statusOf(t, 'writer')?.message ?? '',
    /^The node was low on resource: ephemeral-storage\. Threshold quantity: 15, available: 5\. /,
  );
  assert.equal(statusOf(t, 'logger')?.phase, 'Running');
  assert.ok(t.events.lines.includes('Warning EvictionThresholdMet Attempting to reclaim ephemeral-storage'));
  await t.scope.close();
});

test('the less important one goes where processes run out; what is critical stays', async () => {
  const t = await start();
  const critical = using('critical', 1, { priority: 2_000_001_000 });
  for (const pod of [using('important', 1, { priority: 100 }), using('plain', 1), critical]) t.source.put(pod);
  await pass(t.clock, 1_000);
  t.left.pids = 10;
  await pass(t.clock, 11_000);
  assert.equal(
    statusOf(t, 'plain')?.message,
    'The node was low on resource: pids. Threshold quantity: 50, available: 10. ',
  );
  await pass(t.clock, 60_000);
  assert.deepEqual([statusOf(t, 'important')?.phase, statusOf(t, 'critical')?.phase], ['Failed', 'Running']);
  await t.scope.close();
});

test('a pod over its limit of ephemeral storage goes whatever the node has left', async () => {
  const t = await start();
  t.source.put(testPod({ container: { resources: { limits: { 'ephemeral-storage': '1Ki' } } } }));
  await pass(t.clock, 1_000);
  await t.files.writeFile('/var/log/pods/default_web_uid-web/main/0.log', new Uint8Array(9_000));
  await pass(t.clock, 11_000);
  assert.equal(
    statusOf(t, 'web')?.message,
    'Pod ephemeral local storage usage exceeds the total limit of containers 1Ki. ',
  );
  await t.scope.close();
});

test('a kubelet whose thresholds cannot be read does not start', async () => {
  const config = { evictionHard: { nonsense: '1' } };
  await assert.rejects(startTestNode({ files: createMemoryFiles(), config }), /unsupported eviction signal nonsense/);
});
