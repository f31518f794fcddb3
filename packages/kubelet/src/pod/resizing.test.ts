import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import type { Pod, PodCondition, ResourceRequirements } from '@binnacle/api/core/v1';
import { ALLOCATED_RESOURCES } from '../container/labels.ts';
import { HandSource, pass, startTestNode, testPod } from '../testing/node.ts';
import type { TestNode } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';

const requesting = (cpu: string, memory = '1Gi'): ResourceRequirements => ({ requests: { cpu, memory } });

function burstable(name: string, resources: ResourceRequirements, more: Partial<Pod['metadata']> = {}): Pod {
  return testPod({
    name,
    container: { resources },
    metadata: more,
    status: { phase: 'Running', qosClass: 'Burstable' },
  });
}

interface Shown {
  readonly pending: string | undefined;
  readonly progress: string | undefined;
  readonly resources: ResourceRequirements | undefined;
  readonly allocated: unknown;
  readonly restarts: number | undefined;
}

function shown(t: TestNode, name = 'web'): Shown {
  const status = t.kubelet.pods().find((p) => p.pod.metadata.name === name)?.status;
  const words = (type: string): string | undefined => {
    const found: PodCondition | undefined = status?.conditions?.find((c) => c.type === type);
    return found && [found.status, found.reason, found.observedGeneration].filter(Boolean).join(' ');
  };
  const [main] = status?.containerStatuses ?? [];
  return {
    pending: words('PodResizePending'),
    progress: words('PodResizeInProgress'),
    resources: main?.resources,
    allocated: main?.allocatedResources,
    restarts: main?.restartCount,
  };
}

async function running(of: Parameters<typeof startTestNode>[0] = {}): Promise<TestNode> {
  const t = await startTestNode(of);
  t.source.put(burstable('web', requesting('1')));
  await pass(t.clock, 1_000);
  return t;
}

const done = (cpu: string, restarts = 0, memory = '1Gi'): Shown => ({
  pending: undefined,
  progress: undefined,
  resources: requesting(cpu, memory),
  allocated: { cpu, memory },
  restarts,
});

test('a container is given more as it runs', async () => {
  const t = await running();
  t.source.put(burstable('web', requesting('2'), { generation: 2 }));
  await pass(t.clock, 100);
  assert.deepEqual(shown(t), done('2'));
  const [container] = await t.runtime.listContainers();
  assert.equal((await t.runtime.containerResources(container!.id)).cpuShares, 2048);
  assert.deepEqual(
    t.events.lines.filter((line) => line.includes('Resize')),
    ['started', 'completed'].map(
      (what) =>
        `Normal Resize${what[0]?.toUpperCase()}${what.slice(1)} Pod resize ${what}: {"containers":[{"name":"main","resources":{"requests":{"cpu":"2","memory":"1Gi"}}}],"generation":2}`,
    ),
  );
  await t.scope.close();
});

test('what has more by a new container is made anew with it, and its count goes on', async () => {
  const t = await startTestNode();
  const resizePolicy = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }];
  const pod = (cpu: string, generation: number): Pod =>
    testPod({ container: { resources: requesting(cpu), resizePolicy }, metadata: { generation } });
  t.source.put(pod('1', 1));
  await pass(t.clock, 1_000);
  t.source.put(pod('2', 2));
  await pass(t.clock, 2_000);
  assert.deepEqual(shown(t), done('2', 1));
  assert.ok(t.events.lines.includes('Normal Killing Container main resize requires restart'));
  await t.scope.close();
});

test('an init container is given more as it runs, one to come is made with more, one that ended is left alone', async () => {
  const t = await startTestNode();
  const pod = (cpu: string, generation: number): Pod => {
    const of = (name: string) => ({ name, image: 'busybox:1', resources: requesting(cpu) });
    const annotations = {
      'first.simulated.binnacle.dev/exit-after': '100ms',
      'second.simulated.binnacle.dev/exit-after': '2s',
      'third.simulated.binnacle.dev/exit-after': '1m',
    };
    return testPod({
      metadata: { generation, annotations },
      spec: { initContainers: [of('first'), of('second'), of('third')] },
    });
  };
  t.source.put(pod('1', 1));
  await pass(t.clock, 1_000);
  t.source.put(pod('2', 2));
  await pass(t.clock, 100);
  const shares = async (): Promise<Record<string, number | undefined>> => {
    const made = await t.runtime.listContainers();
    const each = made.map(async ({ id, name }) => [name, (await t.runtime.containerResources(id)).cpuShares] as const);
    return Object.fromEntries(await Promise.all(each));
  };
  assert.deepEqual(await shares(), { first: 1024, second: 2048 });
  assert.equal(shown(t).progress, undefined);
  const [, second] = t.kubelet.pods()[0]?.status.initContainerStatuses ?? [];
  assert.deepEqual([second?.resources, second?.restartCount], [requesting('2'), 0]);
  await pass(t.clock, 3_000);
  assert.deepEqual(await shares(), { first: 1024, second: 2048, third: 2048 });
  t.source.put(pod('5', 3));
  await pass(t.clock, 100);
  assert.equal(shown(t).pending, 'True Infeasible 3');
  await t.scope.close();
});

test('what the node never has is infeasible; a container that starts again has what it was given', async () => {
  const t = await running();
  t.source.put(burstable('web', requesting('5'), { generation: 2 }));
  await pass(t.clock, 100);
  const waits = { ...done('1'), pending: 'True Infeasible 2' };
  assert.deepEqual(shown(t), waits);
  t.node.endContainer((await t.runtime.listContainers())[0]!.id, 1);
  await pass(t.clock, 1_000);
  assert.deepEqual(shown(t), { ...waits, restarts: 1 });
  const [newest] = (await t.runtime.listContainers()).filter((c) => c.state === 'running');
  assert.equal(newest?.annotations[ALLOCATED_RESOURCES], JSON.stringify(requesting('1')));
  t.source.put(burstable('web', requesting('1'), { generation: 3 }));
  await pass(t.clock, 100);
  assert.deepEqual(shown(t), done('1', 1));
  assert.equal(t.events.reasons().filter((r) => r === 'ResizeInfeasible').length, 1);
  await t.scope.close();
});

test('what the node does not have now waits until another pod makes room, the more important one first', async () => {
  const t = await running();
  const other = burstable('other', requesting('2'));
  const important = (cpu: string, generation: number): Pod => {
    const pod = burstable('important', requesting(cpu), { generation });
    return { ...pod, spec: { ...pod.spec, priority: 100 } };
  };
  for (const pod of [other, important('1', 1)]) t.source.put(pod);
  await pass(t.clock, 1_000);
  t.source.put(burstable('web', requesting('3'), { generation: 2 }));
  t.source.put(important('3', 2));
  await pass(t.clock, 1_000);
  assert.deepEqual([shown(t).pending, shown(t, 'important').pending], ['True Deferred 2', 'True Deferred 2']);
  t.source.drop(other);
  await pass(t.clock, 3_000);
  assert.deepEqual(shown(t, 'important'), done('3'));
  assert.equal(shown(t).pending, 'True Deferred 2');
  t.source.put(important('1', 3));
  await pass(t.clock, 1_000);
  assert.deepEqual([shown(t), shown(t, 'important')], [done('3'), done('1')]);
  await t.scope.close();
});

test('a limit of memory below what is used is not set, and said so, until it can be', async () => {
  const t = await startTestNode();
  const limited = (memory: string, generation: number): Pod =>
    testPod({
      container: { resources: { limits: { memory } } },
      metadata: { generation, annotations: { 'simulated.binnacle.dev/memory-usage-bytes': String(2 ** 29) } },
    });
  t.source.put(limited('1Gi', 1));
  await pass(t.clock, 1_000);
  t.source.put(limited('512Mi', 2));
  await pass(t.clock, 1_000);
  assert.equal(shown(t).progress, 'True Error 2');
  assert.deepEqual(shown(t).resources, { limits: { memory: '1Gi' } });
  assert.match(t.events.lines.join('\n'), /Warning ResizeError .*\(536870912\) below current usage \(536870912\)/);
  t.source.put(limited('513Mi', 3));
  await pass(t.clock, 1_000);
  assert.deepEqual([shown(t).progress, shown(t).resources], [undefined, { limits: { memory: '513Mi' } }]);
  await t.scope.close();
});

test('a runtime that refuses is asked again', async () => {
  const t = await running();
  const update = t.runtime.updateResources.bind(t.runtime);
  t.runtime.updateResources = () => Promise.reject(new Error('busy'));
  t.source.put(burstable('web', requesting('2'), { generation: 2 }));
  await pass(t.clock, 1_000);
  assert.deepEqual([shown(t).progress, shown(t).resources], ['True Error 2', requesting('1')]);
  t.runtime.updateResources = update;
  await pass(t.clock, 10_000);
  assert.deepEqual(shown(t), done('2'));
  await t.scope.close();
});

test('a kubelet that starts again knows what was given, and finishes what was granted', async () => {
  const files = createMemoryFiles();
  const clock = new VirtualClock();
  const t = await running({ files, clock });
  t.source.put(burstable('web', requesting('2'), { generation: 2 }));
  await pass(clock, 1_000);
  t.runtime.updateResources = () => Promise.reject(new Error('gone'));
  t.source.put(burstable('web', requesting('3'), { generation: 3 }));
  await pass(clock, 1_000);
  await t.scope.close();
  const source = new HandSource();
  source.put(burstable('web', requesting('9'), { generation: 4 }));
  const again = await startTestNode({ files, clock, node: t.node, source });
  await pass(clock, 1_000);
  assert.deepEqual(shown(again), { ...done('3'), pending: 'True Infeasible 4' });
  const [container] = await again.runtime.listContainers();
  assert.equal((await again.runtime.containerResources(container!.id)).cpuShares, 3072);
  await again.scope.close();
});

test('a kubelet that starts again while a resize waits does not give it to containers whose turn has not come', async () => {
  const files = createMemoryFiles();
  const clock = new VirtualClock();
  const pod = (cpu: string, generation: number): Pod =>
    testPod({
      container: { resources: requesting(cpu) },
      metadata: { generation, annotations: { 'long.simulated.binnacle.dev/exit-after': '1m' } },
      spec: { initContainers: [{ name: 'long', image: 'busybox:1' }] },
    });
  const t = await startTestNode({ files, clock });
  t.source.put(pod('1', 1));
  await pass(clock, 1_000);
  t.source.put(pod('5', 2));
  await pass(clock, 1_000);
  assert.equal(shown(t).pending, 'True Infeasible 2');
  await t.scope.close();
  const source = new HandSource();
  source.put(pod('5', 2));
  const again = await startTestNode({ files, clock, node: t.node, source });
  await pass(clock, 1_000);
  assert.equal(shown(again).pending, 'True Infeasible 2');
  await pass(clock, 60_000);
  const main = (await again.runtime.listContainers()).find(({ name }) => name === 'main');
  assert.equal(main?.annotations[ALLOCATED_RESOURCES], JSON.stringify(requesting('1')));
  await again.scope.close();
});

test('what could not be written down is written with the next look: a disk with room again', async () => {
  const files = createMemoryFiles();
  const clock = new VirtualClock();
  const t = await running({ files, clock });
  const write = files.writeFile.bind(files);
  let refused = 0;
  files.writeFile = (path, ...more) => {
    if (!path.includes('resources') || refused > 0) return write(path, ...more);
    refused++;
    return Promise.reject(new Error('no space left on device'));
  };
  t.source.put(burstable('web', requesting('99'), { generation: 2 }));
  await pass(clock, 60_000);
  assert.deepEqual([refused, shown(t).pending], [1, 'True Infeasible 2']);
  const kept = (await files.list('/var/lib/kubelet/pods/uid-web')).join();
  assert.match(kept, /resources/);
  await t.scope.close();
});

test('without a record a kubelet that starts again knows from the containers what they were made with', async () => {
  const clock = new VirtualClock();
  const t = await running({ clock });
  await t.scope.close();
  const source = new HandSource();
  source.put(burstable('web', requesting('9'), { generation: 2 }));
  const again = await startTestNode({ clock, node: t.node, source });
  await pass(clock, 1_000);
  assert.deepEqual(shown(again), { ...done('1'), pending: 'True Infeasible 2' });
  await again.scope.close();
});
