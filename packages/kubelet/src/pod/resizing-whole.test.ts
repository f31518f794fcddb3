import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import type { Container, Pod, PodStatus, ResourceRequirements } from '@binnacle/api/core/v1';
import type { GroupValues } from '../ports.ts';
import { type TestNode, HandSource, pass, startTestNode, testMachine, testPod } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';

const GI = 2 ** 30;
const GROUP = '/kubepods/burstable/poduid-web';

const whole = (cpu: string, memory: string): ResourceRequirements => ({
  requests: { cpu, memory: '1Gi' },
  limits: { cpu, memory },
});

interface Wish {
  readonly resources?: ResourceRequirements;
  readonly generation: number;
  readonly container?: Partial<Container>;
  readonly usageBytes?: number;
  readonly status?: PodStatus;
}

function podOf({ resources, generation, container = {}, usageBytes = 0, status }: Wish): Pod {
  return testPod({
    container,
    spec: resources === undefined ? {} : { resources },
    metadata: {
      generation,
      annotations: { 'simulated.binnacle.dev/memory-usage-bytes': String(usageBytes) },
    },
    status: { phase: 'Running', qosClass: 'Burstable', ...status },
  });
}

/** What was done, in its order: `group 1024 2Gi`, `container 2Gi`. */
async function start(of: Parameters<typeof startTestNode>[0] = {}): Promise<TestNode & { readonly done: string[] }> {
  const done: string[] = [];
  const gi = (bytes: number | undefined): string => (bytes === undefined || bytes < 0 ? '-' : `${bytes / GI}Gi`);
  const setCgroup = async (path: string, { cpuShares, memoryLimitBytes }: GroupValues): Promise<void> => {
    if (path === GROUP) done.push(`group ${cpuShares} ${gi(memoryLimitBytes)}`);
  };
  const t = await startTestNode({ machine: { ...testMachine, setCgroup }, ...of });
  const update = t.runtime.updateResources.bind(t.runtime);
  t.runtime.updateResources = (id, resources) => {
    done.push(`container ${gi(resources.memoryLimitBytes)}`);
    return update(id, resources);
  };
  return { ...t, done };
}

interface Shown {
  readonly allocated: unknown;
  readonly resources: unknown;
  readonly pending: string;
  readonly progress: string;
}

function shown(t: TestNode): Shown {
  const { status } = t.kubelet.pods()[0] ?? {};
  const words = (type: string): string => {
    const found = status?.conditions?.find((one) => one.type === type);
    return [found?.reason, found?.observedGeneration].filter(Boolean).join(' ');
  };
  const { allocatedResources: allocated, resources } = status ?? {};
  return { allocated, resources, pending: words('PodResizePending'), progress: words('PodResizeInProgress') };
}

const has = (resources: ResourceRequirements): Shown => ({
  allocated: resources.requests,
  resources,
  pending: '',
  progress: '',
});

test('a pod as a whole is given more: its group first, then who has no limit of its own; and less the other way round', async () => {
  const t = await start();
  t.source.put(podOf({ resources: whole('1', '2Gi'), generation: 1 }));
  await pass(t.clock, 1_000);
  assert.deepEqual(shown(t), has(whole('1', '2Gi')));
  const [container] = await t.runtime.listContainers();
  assert.equal((await t.runtime.containerResources(container!.id)).memoryLimitBytes, 2 * GI);
  t.done.length = 0;
  t.source.put(podOf({ resources: whole('2', '3Gi'), generation: 2 }));
  await pass(t.clock, 100);
  assert.deepEqual(t.done, ['group 2048 3Gi', 'container 3Gi', 'group 2048 3Gi']);
  assert.deepEqual(shown(t), has(whole('2', '3Gi')));
  t.done.length = 0;
  t.source.put(podOf({ resources: whole('1', '1Gi'), generation: 3 }));
  await pass(t.clock, 100);
  assert.deepEqual(t.done, ['group 2048 3Gi', 'container 1Gi', 'group 1024 1Gi']);
  assert.deepEqual(shown(t), has(whole('1', '1Gi')));
  const status = t.kubelet.pods()[0]?.status.containerStatuses?.[0];
  assert.deepEqual([status?.restartCount, status?.resources], [0, {}]);
  assert.match(
    t.events.lines.join('\n'),
    /ResizeCompleted Pod resize completed: \{"resources":\{"requests":\{"cpu":"1"/,
  );
  await t.scope.close();
});

const rows: readonly [string, Partial<Container>, restarts: number, changes: number][] = [
  ['without a limit of its own it is changed', {}, 0, 1],
  ['with limits of its own it is left alone', { resources: { limits: { cpu: '1', memory: '1Gi' } } }, 0, 0],
  [
    'by its policy it is made anew',
    { resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }] },
    1,
    0,
  ],
  [
    'by its policy of what does not change',
    { resizePolicy: [{ resourceName: 'disk', restartPolicy: 'RestartContainer' }] },
    0,
    1,
  ],
];
for (const [name, container, restarts, changes] of rows)
  test(`a container of a pod that is given more as a whole: ${name}`, async () => {
    const t = await start();
    t.source.put(podOf({ resources: whole('1', '2Gi'), generation: 1, container }));
    await pass(t.clock, 1_000);
    t.done.length = 0;
    t.source.put(podOf({ resources: whole('2', '3Gi'), generation: 2, container }));
    await pass(t.clock, 1_000);
    assert.equal(t.kubelet.pods()[0]?.status.containerStatuses?.[0]?.restartCount, restarts);
    assert.equal(t.done.filter((line) => line.startsWith('container')).length, changes);
    assert.equal(t.done.at(-1), 'group 2048 3Gi');
    assert.deepEqual(shown(t), has(whole('2', '3Gi')));
    await t.scope.close();
  });

test('what the node never has is infeasible, and nothing is changed', async () => {
  const t = await start();
  t.source.put(podOf({ resources: whole('1', '2Gi'), generation: 1 }));
  await pass(t.clock, 1_000);
  t.done.length = 0;
  t.source.put(podOf({ resources: whole('9', '2Gi'), generation: 2 }));
  await pass(t.clock, 100);
  assert.deepEqual(shown(t), { ...has(whole('1', '2Gi')), pending: 'Infeasible 2' });
  assert.deepEqual(t.done, []);
  await t.scope.close();
});

test('a limit of memory of the whole below what it uses is not set, and said so, until it can be', async () => {
  const t = await start();
  const limited = { resources: { limits: { memory: '4Gi' } } };
  const put = (memory: string, generation: number): void =>
    t.source.put(podOf({ resources: whole('1', memory), generation, container: limited, usageBytes: 2 * GI }));
  put('4Gi', 1);
  await pass(t.clock, 1_000);
  t.done.length = 0;
  put('2Gi', 2);
  await pass(t.clock, 1_000);
  assert.deepEqual(shown(t), {
    allocated: whole('1', '2Gi').requests,
    resources: whole('1', '4Gi'),
    pending: '',
    progress: 'Error 2',
  });
  assert.deepEqual(t.done, []);
  assert.match(t.events.lines.join('\n'), /set pod memory limit \(2147483648\) below current usage \(2147483648\)/);
  put('3Gi', 3);
  await pass(t.clock, 1_000);
  assert.deepEqual(shown(t), has(whole('1', '3Gi')));
  await t.scope.close();
});

test('a limit of memory of the whole is not lowered while nobody tells what it uses', async () => {
  const t = await start();
  const limited = { resources: { limits: { memory: '4Gi' } } };
  const put = (memory: string, generation: number): void =>
    t.source.put(podOf({ resources: whole('1', memory), generation, container: limited }));
  put('4Gi', 1);
  await pass(t.clock, 1_000);
  const stats = t.runtime.stats.bind(t.runtime);
  t.runtime.stats = async (ids) => (await stats(ids)).map(({ memoryUsageBytes: _unknown, ...one }) => one);
  put('2Gi', 2);
  await pass(t.clock, 1_000);
  assert.equal(shown(t).progress, 'Error 2');
  t.runtime.stats = stats;
  await pass(t.clock, 10_000);
  assert.deepEqual(shown(t), has(whole('1', '2Gi')));
  await t.scope.close();
});

test('a pod that asked for nothing as a whole may do so later', async () => {
  const t = await start();
  t.source.put(podOf({ generation: 1 }));
  await pass(t.clock, 1_000);
  assert.deepEqual(shown(t), { allocated: undefined, resources: undefined, pending: '', progress: '' });
  t.source.put(podOf({ resources: whole('1', '2Gi'), generation: 2 }));
  await pass(t.clock, 100);
  assert.deepEqual(shown(t), has(whole('1', '2Gi')));
  assert.equal(t.done.at(-1), 'group 1024 2Gi');
  await t.scope.close();
});

for (const files of [createMemoryFiles(), undefined])
  test(`a kubelet that starts again knows what the whole was given ${files ? 'from its record' : 'from the API'}`, async () => {
    const clock = new VirtualClock();
    const t = await start({ clock, ...(files === undefined ? {} : { files }) });
    t.source.put(podOf({ resources: whole('1', '2Gi'), generation: 1 }));
    await pass(clock, 1_000);
    t.source.put(podOf({ resources: whole('2', '3Gi'), generation: 2 }));
    await pass(clock, 1_000);
    const status = t.kubelet.pods()[0]?.status;
    await t.scope.close();
    const source = new HandSource();
    const told = files === undefined && status !== undefined ? { status } : {};
    source.put(podOf({ resources: whole('9', '3Gi'), generation: 3, ...told }));
    const again = await start({ clock, source, node: t.node, ...(files === undefined ? {} : { files }) });
    await pass(clock, 1_000);
    assert.deepEqual(shown(again), { ...has(whole('2', '3Gi')), pending: 'Infeasible 3' });
    await again.scope.close();
  });
