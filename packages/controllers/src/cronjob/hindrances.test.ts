import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { CRON_JOBS, EVENTS, JOBS } from '@binnacle/api';
import type { ApiCall } from '@binnacle/machinery';
import { status } from '@binnacle/machinery';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';
import { create, cronJob, end, jobs, scheduledAt, WHICH } from './test-lives.ts';

const times = (world: TestWorld) => jobs(world).map((job) => scheduledAt(job)?.slice(11, 19));
const told = (world: TestWorld, reason: string) => world.api.objects(EVENTS).filter((event) => event.reason === reason);
const isOfJobs = ({ resource, verb }: ApiCall, which: ApiCall['verb']) =>
  resource.resource === JOBS.resource && verb === which;

test('a schedule that was just changed has missed nothing', async () => {
  const world = createTestWorld();
  const process = world.start(WHICH);
  await create(world, { schedule: '0 12 * * *' });
  await world.run(7 * 60_000);
  await world.client.resource(CRON_JOBS, 'default').patch('tick', 'merge', { spec: { schedule: '*/5 * * * *' } });
  await world.run(1000);
  assert.deepEqual(times(world), [], 'not that of five minutes past');
  await world.run(3 * 60_000);
  assert.deepEqual(times(world), ['00:10:00']);
  await process.kill();
});

test('@every counts from the last time, whoever looks in between', async () => {
  const world = createTestWorld();
  let process = world.start(WHICH);
  await create(world, { schedule: '@every 10m' });
  for (const [at, expected] of [
    [7, []],
    [11, ['00:10:00']],
    [17, ['00:10:00']],
    [21, ['00:10:00', '00:20:00']],
  ] as const) {
    await world.run(at * 60_000 - (world.clock.now() - Date.parse('2026-01-01T00:00:00Z')));
    assert.deepEqual(times(world), expected, `after ${at} minutes`);
    await process.kill();
    process = world.start(WHICH);
  }
  await process.kill();
});

test('@every comes true also where its deadline is shorter', async () => {
  const world = createTestWorld();
  const process = world.start(WHICH);
  await create(world, { schedule: '@every 10m', startingDeadlineSeconds: 30 });
  await world.run(11 * 60_000);
  assert.deepEqual(times(world), ['00:10:00']);
  await process.kill();
});

test('a schedule that never comes true is told of', async () => {
  const world = createTestWorld();
  const process = world.start(WHICH);
  await create(world, { schedule: '0 0 30 2 *' });
  await world.run(1000);
  assert.equal(
    told(world, 'InvalidSchedule')[0]?.message,
    'invalid schedule: 0 0 30 2 * : time difference between two schedules is less than 1 second',
  );
  await process.kill();
});

test('an old job that nobody can delete does not keep the next from being started', async () => {
  const world = createTestWorld();
  const process = world.start(WHICH);
  await create(world, { successfulJobsHistoryLimit: 0 });
  await world.run(5 * 60_000 + 1000);
  world.network.faults.call = (call) =>
    isOfJobs(call, 'delete') ? { kind: 'refuse', error: status.serviceUnavailable('no') } : undefined;
  const [first] = jobs(world);
  assert.ok(first !== undefined);
  end(world, first);
  await world.run(5 * 60_000);
  assert.deepEqual(times(world), ['00:05:00', '00:10:00']);
  assert.equal(cronJob(world)?.status?.lastScheduleTime, '2026-01-01T00:10:00Z');
  assert.equal(told(world, 'SawCompletedJob').length, 1);
  world.network.faults.call = undefined;
  await world.run(5 * 60_000);
  assert.deepEqual(times(world), ['00:10:00', '00:15:00']);
  await process.kill();
});

for (const concurrencyPolicy of ['Allow', 'Replace'] as const)
  test(`what ended is reported while no job can be made (${concurrencyPolicy})`, async () => {
    const world = createTestWorld();
    const process = world.start(WHICH);
    await create(world, { concurrencyPolicy });
    await world.run(5 * 60_000 + 1000);
    world.network.faults.call = (call) =>
      isOfJobs(call, 'create') ? { kind: 'refuse', error: status.serviceUnavailable('no') } : undefined;
    const [first] = jobs(world);
    assert.ok(first !== undefined);
    await world.run(5 * 60_000);
    if (concurrencyPolicy === 'Allow') end(world, first);
    await world.run(4 * 60_000);
    assert.equal(cronJob(world)?.status?.active, undefined);
    assert.equal(told(world, 'MissingJob').length, 0);
    const completed = told(world, 'SawCompletedJob');
    assert.ok(completed.length <= 1 && (completed[0]?.count ?? 1) === 1, 'told once');
    world.network.faults.call = undefined;
    await world.run(10 * 60_000);
    assert.ok(times(world).includes('00:20:00'));
    await process.kill();
  });
