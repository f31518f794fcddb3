/** How pods count that somebody deletes, and those that end with their job. */
import { strict as assert } from 'node:assert';
import { describe, test } from 'node:test';
import { EVENTS, JOBS, PODS } from '@binnacle/api';
import type { JobSpec } from '@binnacle/api/batch/v1';
import { startFakeNode } from '../test-node.ts';
import type { FakeNode } from '../test-node.ts';
import { createTestWorld } from '../test-world.ts';
import type { TestProcess, TestWorld } from '../test-world.ts';
import { INDEX_FAILURES, INDEX_IGNORED_FAILURES } from './index-failures.ts';
import { indexOf, job, jobs, pods, spec, WHICH } from './test-lives.ts';

async function begin(more: Partial<JobSpec>, behave?: (node: FakeNode) => void): Promise<[TestWorld, TestProcess]> {
  const world = createTestWorld();
  if (behave !== undefined) behave(startFakeNode(world));
  const process = world.start(WHICH);
  await jobs(world).create({ metadata: { name: 'j' }, spec: spec(more) });
  return [world, process];
}

async function deleteRunning(world: TestWorld): Promise<void> {
  for (const { metadata, status } of pods(world)) {
    if (status?.phase === 'Running') await world.client.resource(PODS, 'default').delete(metadata.name ?? '');
  }
}

const marks = (world: TestWorld): unknown =>
  pods(world).map(({ metadata: { annotations } }) => [
    annotations?.[INDEX_FAILURES],
    annotations?.[INDEX_IGNORED_FAILURES],
  ]);

const ONE_INDEX = { completionMode: 'Indexed', completions: 1, parallelism: 1, backoffLimit: 2_147_483_647 } as const;

describe('pods of an index that are deleted', () => {
  test('are failures of the index: past its limit it fails, though nothing is left of them', async () => {
    const [world, process] = await begin({ ...ONE_INDEX, backoffLimitPerIndex: 2 }, () => undefined);
    for (const failures of ['0', '1', '2']) {
      await world.run(60_000);
      assert.deepEqual(marks(world), [[failures, undefined]]);
      await deleteRunning(world);
    }
    await world.run(60_000);
    const { failedIndexes, failed, conditions } = job(world)?.status ?? {};
    assert.deepEqual([failedIndexes, failed, conditions?.at(-1)?.reason], ['0', 3, 'FailedIndexes']);
    assert.equal(pods(world).length, 0);
    await process.kill();
  });

  test('are waited for as any failure of theirs is', async () => {
    const [world, process] = await begin({ ...ONE_INDEX, backoffLimitPerIndex: 2 }, () => undefined);
    await world.run(60_000);
    await deleteRunning(world);
    await world.run(9_000);
    assert.deepEqual(
      pods(world).filter(({ status }) => status?.phase === 'Running'),
      [],
    );
    await world.run(3_000);
    assert.deepEqual(
      pods(world).map(({ status }) => status?.phase),
      ['Running'],
    );
    await process.kill();
  });

  test('that the failure policy passes over are told of besides, and fail no index', async () => {
    const rule = { action: 'Ignore' as const, onExitCodes: { operator: 'In' as const, values: [1] } };
    const more = { ...ONE_INDEX, backoffLimitPerIndex: 0, podFailurePolicy: { rules: [rule] } };
    const [world, process] = await begin(more, (node) => (node.ends = () => 'Failed'));
    const seen = new Set<unknown>();
    for (let i = 0; i < 90; i++) {
      await world.run(1_000);
      for (const { metadata } of pods(world)) seen.add(metadata.annotations?.[INDEX_IGNORED_FAILURES]);
      // As a collector does.
      for (const { metadata, status } of pods(world)) {
        if (status?.phase === 'Failed') await world.client.resource(PODS, 'default').delete(metadata.name ?? '');
      }
    }
    // 3 s of life each, then 10, 20, 40 s of back-off.
    assert.deepEqual([...seen], [undefined, '1', '2', '3']);
    assert.equal(job(world)?.status?.failed, undefined);
    await process.kill();
  });
});

describe('failed pods that somebody deletes', () => {
  const more = { completions: 1, parallelism: 1, backoffLimit: 100 } as const;

  test('are waited for all the same', async () => {
    const [world, process] = await begin(more, (node) => (node.ends = () => 'Failed'));
    const made = new Set<number>();
    for (let i = 0; i < 90; i++) {
      await world.run(1_000);
      for (const { metadata, status } of pods(world)) {
        made.add(Math.round(Date.parse(metadata.creationTimestamp ?? '') / 1000));
        // As a collector does.
        if (status?.phase === 'Failed') await world.client.resource(PODS, 'default').delete(metadata.name ?? '');
      }
    }
    const times = [...made];
    // 3 s of life each, then 10, 20, 40 s of back-off.
    assert.deepEqual(
      times.slice(1).map((at, i) => at - (times[i] ?? 0)),
      [13, 23, 43],
    );
    await process.kill();
  });

  test('while they run are waited for too; who is one too many is not', async () => {
    const [world, process] = await begin(more, () => undefined);
    await world.run(60_000);
    await deleteRunning(world);
    await world.run(9_000);
    assert.equal(pods(world).length, 0);
    await world.run(3_000);
    assert.equal(pods(world).length, 1);
    const suspend = (value: boolean) => jobs(world).patch('j', 'merge', { spec: { suspend: value } });
    await suspend(true);
    await world.run(60_000);
    assert.equal(pods(world).length, 0);
    await suspend(false);
    await world.run(2_000);
    assert.equal(pods(world).length, 1);
    await process.kill();
  });
});

test('more successes than were asked for are told of', async () => {
  const world = createTestWorld();
  const process = world.start(WHICH);
  const metadata = { name: 'j', namespace: 'default' };
  world.api.seed(JOBS, { metadata, spec: spec({ completions: 1 }), status: { succeeded: 2 } });
  await world.run(5_000);
  const told = world.api.objects(EVENTS).map(({ type, reason, message }) => [type, reason, message]);
  assert.deepEqual(told, [
    ['Warning', 'TooManySucceededPods', 'Too many succeeded pods running after completion count reached'],
    ['Normal', 'Completed', 'Job completed'],
  ]);
  await process.kill();
});

describe('pods that end with their job', () => {
  test('are no failures where it succeeded', async () => {
    const rules = [{ succeededIndexes: '0-1', succeededCount: 1 }];
    const [world, process] = await begin(
      { completionMode: 'Indexed', completions: 5, parallelism: 5, successPolicy: { rules } },
      (node) => (node.ends = (pod) => (indexOf(pod) === '0' ? 'Succeeded' : undefined)),
    );
    await world.run(60_000);
    const { succeeded, failed, conditions } = job(world)?.status ?? {};
    assert.deepEqual([succeeded, failed, conditions?.at(-1)?.type], [1, undefined, 'Complete']);
    await process.kill();
  });

  test('are failures of a job that failed, but of no index', async () => {
    const more = { completionMode: 'Indexed', completions: 5, parallelism: 5 } as const;
    const limits = { backoffLimit: 2_147_483_647, backoffLimitPerIndex: 0, maxFailedIndexes: 0 };
    const [world, process] = await begin(
      { ...more, ...limits },
      (node) => (node.ends = (pod) => (indexOf(pod) === '3' ? 'Failed' : undefined)),
    );
    await world.run(60_000);
    const { failed, failedIndexes, conditions } = job(world)?.status ?? {};
    assert.deepEqual([failed, failedIndexes, conditions?.at(-1)?.reason], [5, '3', 'MaxFailedIndexesExceeded']);
    await process.kill();
  });

  test('need no kubelet that tells of their end, also where only failed pods are replaced', async () => {
    const rule = { action: 'Ignore' as const, onPodConditions: [{ type: 'DisruptionTarget' }] };
    const [world, process] = await begin({ activeDeadlineSeconds: 30, podFailurePolicy: { rules: [rule] } });
    await world.run(60_000);
    const { failed, conditions } = job(world)?.status ?? {};
    assert.deepEqual([failed, conditions?.at(-1)?.type, pods(world).length], [2, 'Failed', 0]);
    await process.kill();
  });
});
