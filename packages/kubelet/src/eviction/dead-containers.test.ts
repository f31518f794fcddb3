/** What is dead takes room too: it goes before anybody else has to, and what it told of itself stays. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod, PodStatus } from '@binnacle/api/core/v1';
import { createSeededRandom, VirtualClock } from '@binnacle/base';
import { createClient, TransportError } from '@binnacle/client';
import { RuntimeError } from '@binnacle/runtime';
import { callEach } from '@binnacle/machinery';
import type { Wire } from '@binnacle/machinery';
import { createSimulatedNode } from '@binnacle/runtime/simulated';
import type { Container, Runtime } from '@binnacle/runtime';
import type { FilesystemUsage, NodeUsage } from '../figures.ts';
import type { Machine } from '../ports.ts';
import { pass, startTestNode, testMachine, testPod } from '../testing/node.ts';
import type { TestNode } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';

const refuse = (): Promise<never> => Promise.reject(new TransportError('connect', 'nobody listens'));
/** An API that is away. */
const awayWire: Wire = {
  call: refuse,
  batch: (calls, settled) => callEach(refuse, calls, settled),
  raw: refuse,
  open: refuse,
  watch: () => ({ stop: () => undefined }),
  close: async () => undefined,
};
const CAPACITY = 100;
const POD_NAME = 'io.kubernetes.pod.name';

interface Bench extends TestNode {
  readonly files: ReturnType<typeof createMemoryFiles>;
  readonly containers: () => Promise<readonly string[]>;
  /** So much is taken of the disk of layers by others. */
  readonly others: { taken: number };
}

/** Layers lie on a disk of their own; each container takes so much of it as long as it is there, dead or not. `isAway`: the API is. */
async function start(takes: (container: Container) => number, isAway = false): Promise<Bench> {
  const clock = new VirtualClock();
  const node = createSimulatedNode({ clock, random: createSeededRandom(1) });
  const runtime: Runtime = node.connect();
  const others = { taken: 0 };
  const disk = (availableBytes: number): FilesystemUsage => ({
    availableBytes,
    capacityBytes: CAPACITY,
    usedBytes: 0,
    inodesFree: 9,
    inodes: 10,
    inodesUsed: 1,
  });
  const usage = async (): Promise<NodeUsage> => ({
    startedAt: 0,
    cpuUsageNanos: 0,
    memoryAvailableBytes: 0,
    memoryUsageBytes: 0,
    memoryWorkingSetBytes: 0,
    filesystem: disk(CAPACITY),
    pids: 0,
    maxPids: 10,
  });
  const filesystem: Machine['filesystem'] = async (folder) => {
    if (folder !== '/images') return { device: '1', usage: disk(CAPACITY) };
    const all = await runtime.listContainers();
    const taken = all.reduce((sum, container) => sum + takes(container), others.taken);
    return { device: '2', usage: disk(CAPACITY - taken) };
  };
  runtime.filesystems = async () => ({ images: { folder: '/images' } });
  runtime.stats = async () =>
    (await runtime.listContainers()).map((container) => ({
      id: container.id,
      cpuUsageNanos: 0,
      memoryWorkingSetBytes: 0,
      filesystem: { usedBytes: takes(container), inodesUsed: 1 },
    }));
  const files = createMemoryFiles();
  const config = { evictionHard: { 'imagefs.available': '15%' }, imageMinimumAgeMs: 3_600_000 };
  const t = await startTestNode({
    ...{ clock, node, runtime, files, config },
    ...(isAway ? { client: createClient(awayWire) } : {}),
    machine: { ...testMachine, usage, filesystem },
  });
  const containers = async (): Promise<readonly string[]> =>
    (await runtime.listContainers()).map(({ labels, attempt }) => `${labels[POD_NAME] ?? ''}/${attempt}`).toSorted();
  return { ...t, files, containers, others };
}

const statusOf = (t: TestNode, name: string): PodStatus | undefined =>
  t.kubelet.pods().find((p) => p.pod.metadata.name === name)?.status;

const sized =
  (sizes: { readonly [pod: string]: number }) =>
  ({ labels }: Container): number =>
    sizes[labels[POD_NAME] ?? ''] ?? 0;

/** It ends by itself after a second. */
function ending(name: string, more: Partial<Pod['spec']> = {}): Pod {
  const annotations = { 'simulated.binnacle.dev/exit-after': '1s' };
  return testPod({ name, metadata: { annotations }, spec: { restartPolicy: 'Never', ...more } });
}

test('the layer of a pod that was evicted goes with it: nobody else has to, and it is told of as before', async () => {
  const t = await start(sized({ writer: 60, innocent: 30 }));
  for (const name of ['writer', 'innocent']) t.source.put(testPod({ name }));
  await pass(t.clock, 1_000);
  await pass(t.clock, 11_000);
  const evicted = statusOf(t, 'writer');
  assert.equal(evicted?.reason, 'Evicted');
  await pass(t.clock, 60_000);
  assert.equal(statusOf(t, 'innocent')?.phase, 'Running');
  assert.deepEqual(await t.containers(), ['innocent/0']);
  assert.deepEqual(await t.runtime.listSandboxes({ podUid: 'uid-writer' }), []);
  const { conditions: before, ...was } = evicted;
  const { conditions: after, ...is } = statusOf(t, 'writer') ?? {};
  assert.deepEqual(
    [is, after?.map(({ type, status }) => [type, status])],
    [was, before?.map(({ type, status }) => [type, status])],
  );
  await t.scope.close();
});

test('what pods left that ended by themselves goes before anybody has to', async () => {
  const t = await start(sized({ done: 60, innocent: 30 }));
  for (const pod of [ending('done'), testPod({ name: 'innocent' })]) t.source.put(pod);
  await pass(t.clock, 5_000);
  const was = statusOf(t, 'done')?.containerStatuses;
  assert.deepEqual([await t.containers(), was?.[0]?.state?.terminated?.exitCode], [['done/0', 'innocent/0'], 0]);
  await pass(t.clock, 30_000);
  const is = statusOf(t, 'done');
  assert.deepEqual([is?.phase, is?.containerStatuses], ['Succeeded', was]);
  assert.deepEqual([await t.containers(), statusOf(t, 'innocent')?.phase], [['innocent/0'], 'Running']);
  await t.scope.close();
});

test('of a pod that goes on the last that ended of each name stays, as its state and log', async () => {
  const t = await start((container) => (container.labels[POD_NAME] === 'restless' ? 30 : 0));
  t.source.put(ending('restless', { restartPolicy: 'Always' }));
  // Ended, started at once, ended: two that are dead, until the next start in 10 s.
  await pass(t.clock, 3_000);
  const was = statusOf(t, 'restless')?.containerStatuses;
  assert.deepEqual(await t.containers(), ['restless/0', 'restless/1']);
  t.others.taken = 50;
  await pass(t.clock, 8_000);
  assert.deepEqual(await t.containers(), ['restless/1']);
  assert.deepEqual(statusOf(t, 'restless')?.containerStatuses, was);
  await pass(t.clock, 15_000);
  assert.equal(statusOf(t, 'restless')?.containerStatuses?.[0]?.restartCount, 2);
  await t.scope.close();
});

test('a dead container that the runtime does not remove keeps no other from going, and is tried again', async () => {
  const t = await start(sized({ stuck: 5, done: 60 }));
  for (const pod of [ending('stuck'), ending('done'), testPod({ name: 'innocent' })]) t.source.put(pod);
  await pass(t.clock, 5_000);
  const remove = t.runtime.removeContainer.bind(t.runtime);
  const [stuck] = await t.runtime.listContainers({ podUid: 'uid-stuck' });
  t.runtime.removeContainer = (id) =>
    id === stuck?.id ? Promise.reject(new RuntimeError('device or resource busy')) : remove(id);
  t.others.taken = 80;
  await pass(t.clock, 6_000);
  assert.deepEqual(await t.containers(), ['innocent/0', 'stuck/0']);
  assert.equal(statusOf(t, 'innocent')?.phase, 'Running');
  t.runtime.removeContainer = remove;
  t.others.taken = 84;
  await pass(t.clock, 11_000);
  assert.deepEqual(await t.containers(), ['innocent/0']);
  await t.scope.close();
});

test('the log goes with its container, with what was rotated away; logs of others stay', async () => {
  const t = await start(sized({ done: 90 }));
  for (const pod of [ending('done'), testPod({ name: 'innocent' })]) t.source.put(pod);
  await pass(t.clock, 5_000);
  const logs = '/var/log/pods/default_done_uid-done/main';
  for (const name of ['0.log', '0.log.20260101-000000', '00.log'])
    await t.files.writeFile(`${logs}/${name}`, new Uint8Array(9));
  await pass(t.clock, 11_000);
  assert.deepEqual([await t.containers(), await t.files.list(logs)], [['innocent/0'], ['00.log']]);
  await t.scope.close();
});

test('what ended by itself and is not told yet stays: only its container knows how it ended', async () => {
  const t = await start(sized({ done: 90 }), true);
  t.source.put(ending('done'));
  await pass(t.clock, 30_000);
  assert.deepEqual(await t.containers(), ['done/0']);
  await t.scope.close();
});
