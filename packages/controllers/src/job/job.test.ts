import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { randomBelow } from '@binnacle/base';
import { EVENTS, isPodActive, JOBS, PODS } from '@binnacle/api';
import type { JobSpec } from '@binnacle/api/batch/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { losePod, retried, survive } from '../test-crash.ts';
import { startFakeNode } from '../test-node.ts';
import type { FakeNode } from '../test-node.ts';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

const WHICH = ['job-controller'];
const spec = (more: Partial<JobSpec> = {}): JobSpec => ({
  parallelism: 2,
  completions: 3,
  backoffLimit: 6,
  selector: { matchLabels: { job: 'j' } },
  template: {
    metadata: { labels: { job: 'j' } },
    spec: { containers: [{ name: 'c', image: 'x' }], restartPolicy: 'Never' },
  },
  ...more,
});
const jobs = (world: TestWorld) => world.client.resource(JOBS, 'default');
const job = (world: TestWorld) => world.wire.objects(JOBS)[0];
const pods = (world: TestWorld) => world.wire.objects(PODS);
const conditions = (world: TestWorld) =>
  (job(world)?.status?.conditions ?? []).map((one) => `${one.type} ${one.status} ${one.reason}`);
const indexOf = (pod: Pod): string => pod.metadata.annotations?.['batch.kubernetes.io/job-completion-index'] ?? '';

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
  const told = world.wire.objects(EVENTS).map((event) => event.reason);
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

interface Seen {
  readonly succeeded: Set<string>;
  readonly failed: Set<string>;
}

/** Every pod that ever ended, by a watch of the test's own. */
function watchEnds(world: TestWorld): Seen {
  const seen: Seen = { succeeded: new Set(), failed: new Set() };
  const note = (pod: Pod): void => {
    const uid = pod.metadata.uid ?? '';
    if (seen.succeeded.has(uid) || seen.failed.has(uid)) return;
    if (pod.status?.phase === 'Succeeded') seen.succeeded.add(uid);
    else if (pod.status?.phase === 'Failed' || pod.metadata.deletionTimestamp !== undefined) seen.failed.add(uid);
  };
  const follow = (): void => {
    world.client.resource(PODS).watch(
      { sendInitialEvents: true },
      {
        events: (batch) => batch.forEach((event) => event.type !== 'BOOKMARK' && note(event.object)),
        end: () => world.clock.after(1, follow),
      },
    );
  };
  follow();
  return seen;
}

for (const completionMode of ['NonIndexed', 'Indexed'] as const) {
  test(`${completionMode}, killed and restarted at random: no pod counted twice, none lost, never one too many`, async () => {
    for (let seed = 1; seed <= 5; seed++) {
      let seen: Seen | undefined;
      let parallelism = 3;
      const world = await survive({
        seed,
        which: WHICH,
        late: false,
        steps: 30,
        node: (node) => (node.ends = () => 'Succeeded'),
        prepare: async (at) => {
          seen = watchEnds(at);
          const of = spec({ completionMode, completions: 8, parallelism, backoffLimit: 1000 });
          await jobs(at).create({ metadata: { name: 'j' }, spec: of });
        },
        disturb: async (at, random) => {
          if (randomBelow(random, 2) === 0) return losePod(at, random);
          parallelism = 1 + randomBelow(random, 4);
          await retried(() => jobs(at).patch('j', 'merge', { spec: { parallelism } }));
        },
        never: (all) => {
          const active = all.filter(isPodActive);
          assert.ok(active.length <= 4, `${active.length} active`);
          if (completionMode === 'NonIndexed') return;
          assert.equal(new Set(active.map(indexOf)).size, active.length, 'an index twice');
        },
      });
      const { status } = job(world) ?? {};
      const told = `seed ${seed}: ${JSON.stringify(status)}`;
      assert.equal(
        status?.conditions?.some((one) => one.type === 'Complete' && one.status === 'True'),
        true,
        told,
      );
      assert.equal(status?.succeeded, 8, told);
      assert.equal(seen?.succeeded.size, 8, told);
      assert.ok((status?.failed ?? 0) <= (seen?.failed.size ?? 0), told);
      assert.deepEqual(status?.uncountedTerminatedPods, {}, told);
      const kept = pods(world).filter((pod) => (pod.metadata.finalizers ?? []).length > 0);
      assert.equal(kept.length, 0, told);
    }
  });
}
