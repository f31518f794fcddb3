/** What a pod that had to go gives back: its volumes too, and nobody else has to go before they are gone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod, PodStatus } from '@binnacle/api/core/v1';
import type { NodeUsage } from '../figures.ts';
import { pass, startTestNode, testMachine, testPod } from '../testing/node.ts';
import type { TestNode } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';

const CAPACITY = 100_000;
const PODS_FOLDER = '/var/lib/kubelet/pods';

interface Bench extends TestNode {
  readonly files: ReturnType<typeof createMemoryFiles>;
  /** A pod with a volume that so many bytes are in. */
  readonly keeping: (name: string, bytes: number, sizeLimit?: string) => Promise<Pod>;
  readonly folder: (name: string) => string;
}

/** Pods' files are all that is on the node's disk; 15 % of it must stay free. */
async function start(): Promise<Bench> {
  const files = createMemoryFiles();
  const usage = async (): Promise<NodeUsage> => {
    const usedBytes = await files.usage(PODS_FOLDER, Infinity);
    const availableBytes = CAPACITY - usedBytes;
    return {
      startedAt: 0,
      cpuUsageNanos: 0,
      memoryAvailableBytes: 0,
      memoryUsageBytes: 0,
      memoryWorkingSetBytes: 0,
      filesystem: { availableBytes, capacityBytes: CAPACITY, usedBytes, inodesFree: 9, inodes: 10, inodesUsed: 1 },
      pids: 0,
      maxPids: 10,
    };
  };
  const config = { evictionHard: { 'nodefs.available': '15%' } };
  const t = await startTestNode({ files, config, machine: { ...testMachine, usage } });
  const folder = (name: string): string => `${PODS_FOLDER}/uid-${name}/volumes/kubernetes.io~empty-dir/v`;
  const keeping: Bench['keeping'] = async (name, bytes, sizeLimit) => {
    const pod = testPod({
      name,
      spec: { volumes: [{ name: 'v', emptyDir: sizeLimit === undefined ? {} : { sizeLimit } }] },
    });
    t.source.put(pod);
    await pass(t.clock, 1_000);
    await files.writeFile(`${folder(name)}/file`, new Uint8Array(bytes));
    return pod;
  };
  return { ...t, files, keeping, folder };
}

const statusOf = (t: TestNode, name: string): PodStatus | undefined =>
  t.kubelet.pods().find((p) => p.pod.metadata.name === name)?.status;

test('what a pod that had to go kept in a volume goes with it, though its object stays: nobody else has to', async () => {
  const t = await start();
  await t.keeping('writer', 60_000);
  await t.keeping('innocent', 30_000);
  await pass(t.clock, 11_000);
  assert.equal(statusOf(t, 'writer')?.reason, 'Evicted');
  await pass(t.clock, 90_000);
  assert.deepEqual(
    [statusOf(t, 'innocent')?.phase, await t.files.kind(t.folder('writer')), await t.files.kind(t.folder('innocent'))],
    ['Running', 'absent', 'directory'],
  );
  await t.scope.close();
});

test('likewise of a pod that has done its work', async () => {
  const t = await start();
  const metadata = { annotations: { 'simulated.binnacle.dev/exit-after': '5s' } };
  const spec = { restartPolicy: 'Never' as const, volumes: [{ name: 'v', emptyDir: {} }] };
  t.source.put(testPod({ name: 'done', metadata, spec }));
  await pass(t.clock, 1_000);
  assert.equal(await t.files.kind(t.folder('done')), 'directory');
  await pass(t.clock, 6_000);
  assert.deepEqual([statusOf(t, 'done')?.phase, await t.files.kind(t.folder('done'))], ['Succeeded', 'absent']);
  await t.scope.close();
});

const goes: readonly [string, string | undefined][] = [
  ['for the node', undefined],
  ['for a limit of his own', '1Ki'],
];

for (const [why, sizeLimit] of goes) {
  test(`who goes ${why} is waited for until his volumes are gone, not only his containers`, async () => {
    const t = await start();
    const { promise: unmounted, resolve } = Promise.withResolvers<void>();
    t.files.unmount = () => unmounted;
    await t.keeping('innocent', 30_000);
    await t.keeping('writer', 60_000, sizeLimit);
    await pass(t.clock, 11_000);
    assert.equal(statusOf(t, 'writer')?.reason, 'Evicted');
    await pass(t.clock, 15_000);
    const ended = statusOf(t, 'writer')?.containerStatuses?.[0]?.state?.terminated;
    assert.deepEqual([ended?.exitCode !== undefined, statusOf(t, 'innocent')?.phase], [true, 'Running']);
    resolve();
    await pass(t.clock, 60_000);
    assert.deepEqual([statusOf(t, 'innocent')?.phase, await t.files.kind(t.folder('writer'))], ['Running', 'absent']);
    await t.scope.close();
  });
}
