import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { EVENTS, isPodActive, PODS } from '@binnacle/api';
import type { JobSpec } from '@binnacle/api/batch/v1';
import { startFakeNode } from '../test-node.ts';
import type { FakeNode } from '../test-node.ts';
import { createTestWorld } from '../test-world.ts';
import type { TestProcess, TestWorld } from '../test-world.ts';
import { TRACKING } from './accounting.ts';
import { indexOf, job, jobs, pods, spec, WHICH } from './test-lives.ts';

const conditions = (world: TestWorld) =>
  (job(world)?.status?.conditions ?? []).map((one) => `${one.type} ${one.status} ${one.reason}`);

async function run(more: Partial<JobSpec>, behave: (node: FakeNode) => void): Promise<TestWorld> {
  const world = createTestWorld();
  behave(startFakeNode(world));
  const process = world.start(WHICH);
  await jobs(world).create({ metadata: { name: 'j' }, spec: spec(more) });
  await world.run(1000);
  for (let i = 0; i < 60; i++) await world.run(5000);
  await process.kill();
  return world;
}

test('runs to its completions, never more than its parallelism, and lets its pods go', async () => {
  const world = await run({}, (node) => (node.ends = () => 'Succeeded'));
  assert.deepEqual(conditions(world), [
    'SuccessCriteriaMet True CompletionsReached',
    'Complete True CompletionsReached',
  ]);
  const { succeeded, active, failed, completionTime, startTime, uncountedTerminatedPods } = job(world)?.status ?? {};
  assert.deepEqual([succeeded, active, failed, uncountedTerminatedPods], [3, undefined, undefined, {}]);
  assert.ok(Date.parse(completionTime ?? '') > Date.parse(startTime ?? ''));
  assert.equal(pods(world).length, 3);
  assert.ok(pods(world).every((pod) => pod.metadata.finalizers === undefined || pod.metadata.finalizers.length === 0));
  const told = world.api.objects(EVENTS).map((event) => event.reason);
  assert.equal(told.filter((reason) => reason === 'Completed').length, 1);
});

test('indexed: each index once, with its name, mark and variable', async () => {
  const world = await run(
    { completionMode: 'Indexed', completions: 4, parallelism: 3 },
    (node) => (node.ends = () => 'Succeeded'),
  );
  assert.equal(job(world)?.status?.completedIndexes, '0-3');
  assert.equal(job(world)?.status?.succeeded, 4);
  assert.deepEqual(pods(world).map(indexOf).toSorted(), ['0', '1', '2', '3']);
  const pod = pods(world).find((one) => indexOf(one) === '2');
  assert.equal(pod?.spec.hostname, 'j-2');
  assert.match(pod?.metadata.name ?? '', /^j-2-/);
  assert.equal(pod?.metadata.labels?.['batch.kubernetes.io/job-completion-index'], '2');
  assert.equal(pod?.spec.containers[0]?.env?.[0]?.name, 'JOB_COMPLETION_INDEX');
});

test('failures wait longer each time, and the job gives up past its limit', async () => {
  const world = await run({ backoffLimit: 2, parallelism: 1, completions: 1 }, (node) => (node.ends = () => 'Failed'));
  assert.deepEqual(conditions(world), ['FailureTarget True BackoffLimitExceeded', 'Failed True BackoffLimitExceeded']);
  assert.equal(job(world)?.status?.failed, 3);
  const made = pods(world).map((pod) => Date.parse(pod.metadata.creationTimestamp ?? '') / 1000);
  const gaps = made.toSorted((a, b) => a - b).map((at, i, all) => at - (all[i - 1] ?? at));
  // 3 s of life each, then 10 and 20 s of back-off.
  assert.deepEqual(gaps.map(Math.round), [0, 13, 23]);
});

test('limits per index, the failure policy and the success policy', async () => {
  const perIndex = await run(
    { completionMode: 'Indexed', completions: 3, parallelism: 3, backoffLimitPerIndex: 1, backoffLimit: 2_147_483_647 },
    (node) => (node.ends = (pod) => (indexOf(pod) === '1' ? 'Failed' : 'Succeeded')),
  );
  assert.deepEqual(conditions(perIndex), ['FailureTarget True FailedIndexes', 'Failed True FailedIndexes']);
  const { completedIndexes, failedIndexes, failed } = job(perIndex)?.status ?? {};
  assert.deepEqual([completedIndexes, failedIndexes, failed], ['0,2', '1', 2]);

  const onExitCodes = { operator: 'In' as const, values: [1] };
  const policy = await run(
    { podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes }] }, podReplacementPolicy: 'Failed' },
    (node) => (node.ends = () => 'Failed'),
  );
  assert.deepEqual(conditions(policy), ['FailureTarget True PodFailurePolicy', 'Failed True PodFailurePolicy']);

  const success = await run(
    {
      completionMode: 'Indexed',
      completions: 5,
      parallelism: 5,
      successPolicy: { rules: [{ succeededIndexes: '0-1', succeededCount: 1 }] },
    },
    (node) => (node.ends = (pod) => (indexOf(pod) === '0' ? 'Succeeded' : undefined)),
  );
  assert.deepEqual(conditions(success), ['SuccessCriteriaMet True SuccessPolicy', 'Complete True SuccessPolicy']);
  assert.equal(pods(success).filter(isPodActive).length, 0);
});

test('a deadline, a pause, and a job that somebody else manages', async () => {
  const deadline = await run({ activeDeadlineSeconds: 30 }, () => undefined);
  assert.deepEqual(conditions(deadline), ['FailureTarget True DeadlineExceeded', 'Failed True DeadlineExceeded']);
  assert.equal(pods(deadline).filter(isPodActive).length, 0);
  assert.equal(pods(await run({ managedBy: 'example.com/queue' }, () => undefined)).length, 0);

  const world = createTestWorld();
  startFakeNode(world);
  const process = world.start(WHICH);
  await jobs(world).create({ metadata: { name: 'j' }, spec: spec({ suspend: true }) });
  await world.run(5000);
  assert.deepEqual([pods(world).length, job(world)?.status?.startTime], [0, undefined]);
  await jobs(world).patch('j', 'merge', { spec: { suspend: false } });
  await world.run(5000);
  assert.equal(pods(world).length, 2);
  assert.deepEqual(conditions(world), ['Suspended False JobResumed']);
  await jobs(world).patch('j', 'merge', { spec: { suspend: true } });
  await world.run(10_000);
  assert.deepEqual([pods(world).length, job(world)?.status?.failed], [0, undefined], 'not counted as failed');
  assert.deepEqual(conditions(world), ['Suspended True JobSuspended']);
  await process.kill();
});

test('pods of a job that is deleted are let go', async () => {
  const world = createTestWorld();
  startFakeNode(world);
  const process = world.start([...WHICH, 'garbage-collector-controller']);
  await jobs(world).create({ metadata: { name: 'j' }, spec: spec() });
  await world.run(5000);
  await jobs(world).delete('j', { propagationPolicy: 'Background' });
  await world.run(60_000);
  assert.equal(pods(world).length, 0);
  await process.kill();
});

test("a pod of another group's Job keeps its finalizer", async () => {
  const world = createTestWorld();
  const process = world.start(WHICH);
  const kept = (apiVersion: string): string[] => {
    const ownerReferences = [{ apiVersion, kind: 'Job', name: 'v', uid: 'v', controller: true }];
    const metadata = { namespace: 'default', name: `of-${apiVersion.length}`, finalizers: [TRACKING], ownerReferences };
    world.api.seed(PODS, { metadata, spec: { containers: [{ name: 'c', image: 'i' }] } });
    return [metadata.name];
  };
  const [[theirs], [ours]] = [kept('batch.volcano.sh/v1alpha1'), kept('batch/v1')];
  await world.run(5_000);
  const finalizersOf = (name?: string) =>
    pods(world).find(({ metadata }) => metadata.name === name)?.metadata.finalizers;
  assert.deepEqual([finalizersOf(theirs), finalizersOf(ours)?.length ?? 0], [[TRACKING], 0]);
  await process.kill();
});

/** A job of two pods that run, of which one is too many from the next second on. */
async function tooMany(): Promise<{ readonly world: TestWorld; readonly process: TestProcess }> {
  const world = createTestWorld();
  startFakeNode(world);
  const process = world.start(WHICH);
  await jobs(world).create({ metadata: { name: 'j' }, spec: spec({ completions: 2, backoffLimit: 0 }) });
  await world.run(5000);
  assert.deepEqual(
    pods(world).map((pod) => pod.status?.phase),
    ['Running', 'Running'],
  );
  return { world, process };
}

const lessen = (world: TestWorld) => jobs(world).patch('j', 'merge', { spec: { parallelism: 1 } });

async function succeedAll(world: TestWorld): Promise<void> {
  for (const pod of pods(world)) {
    world.api.setStatus(PODS, pod, { phase: 'Succeeded', conditions: [{ type: 'Ready', status: 'False' }] });
  }
  for (let i = 0; i < 20; i++) await world.run(5000);
}

test('a pod that is too many, let go of but not deleted when its controller died, still counts when it ends', async () => {
  const { world, process } = await tooMany();
  // The finalizer goes, the deletion never comes.
  world.network.faults.call = ({ verb }) => (verb === 'delete' ? { kind: 'lose-request' } : undefined);
  await lessen(world);
  await world.run(0);
  await process.kill();
  world.network.faults.call = undefined;
  assert.equal(pods(world).filter((pod) => (pod.metadata.finalizers ?? []).length === 0).length, 1);
  const next = world.start(WHICH);
  await succeedAll(world);
  await next.kill();
  assert.deepEqual([job(world)?.status?.succeeded, job(world)?.status?.failed], [2, undefined]);
  assert.deepEqual(pods(world).length, 2);
});

test('a pod that ends while it is found too many counts as what it ended as', async () => {
  const { world, process } = await tooMany();
  let ended = false;
  world.network.faults.call = (call) => {
    if (ended || call.resource.resource !== 'pods' || call.verb !== 'patch') return undefined;
    ended = true;
    for (const pod of pods(world)) world.api.setStatus(PODS, pod, { phase: 'Succeeded' });
    return undefined;
  };
  await lessen(world);
  for (let i = 0; i < 20; i++) await world.run(5000);
  await process.kill();
  assert.ok(ended);
  assert.deepEqual([job(world)?.status?.succeeded, job(world)?.status?.failed], [2, undefined]);
});

test('what is too many goes, uncounted, with one write beside its deletion', async () => {
  const { world, process } = await tooMany();
  const before = world.network.calls.length;
  await lessen(world);
  for (let i = 0; i < 5; i++) await world.run(5000);
  await process.kill();
  const writes = world.network.calls.slice(before).filter(({ cause, verb, resource }) => {
    return cause !== undefined && resource.resource === 'pods' && verb !== 'list' && verb !== 'get';
  });
  assert.deepEqual(
    writes.map(({ verb }) => verb),
    ['patch', 'delete'],
  );
  const { active, failed } = job(world)?.status ?? {};
  assert.deepEqual([pods(world).length, active, failed], [1, 1, undefined]);
});

test('pods that end together are counted together, in few writes', async () => {
  const world = createTestWorld();
  startFakeNode(world).ends = () => 'Succeeded';
  const process = world.start(WHICH);
  await jobs(world).create({ metadata: { name: 'j' }, spec: spec({ completions: 20, parallelism: 20 }) });
  for (let i = 0; i < 60; i++) await world.run(1000);
  await process.kill();
  assert.equal(job(world)?.status?.succeeded, 20);
  const writes = world.network.calls.filter(({ subresource, resource }) => {
    return subresource === 'status' && resource.resource === 'jobs';
  });
  assert.ok(writes.length <= 8, `${writes.length} writes of the job's status`);
});

test('a job of more pods than go in one sync is suspended as a whole, and goes on', async () => {
  const world = createTestWorld();
  const process = world.start(WHICH);
  await jobs(world).create({ metadata: { name: 'j' }, spec: spec({ parallelism: 600, completions: 600 }) });
  await world.run(30_000);
  assert.equal(pods(world).length, 600);
  await jobs(world).patch('j', 'merge', { spec: { suspend: true } });
  await world.run(30_000);
  assert.deepEqual([pods(world).filter(isPodActive).length, job(world)?.status?.failed], [0, undefined]);
  await jobs(world).patch('j', 'merge', { spec: { suspend: false } });
  await world.run(30_000);
  assert.equal(pods(world).filter(isPodActive).length, 600);
  await process.kill();
});
