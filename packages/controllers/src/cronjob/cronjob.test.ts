import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { CRON_JOBS } from '@binnacle/api';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';
import { create, cronJob, end, jobs, reasons, scheduledAt, WHICH } from './test-lives.ts';

async function minutes(world: TestWorld, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await world.run(60_000);
}

test('a job at each time, its time in its name and mark; old ones go', async () => {
  const world = createTestWorld();
  const process = world.start(WHICH);
  await create(world, { timeZone: 'Europe/Berlin' });
  for (let i = 0; i < 6; i++) {
    await minutes(world, 5);
    await world.run(1000);
    const job = jobs(world).find((one) => one.status?.conditions === undefined);
    if (i === 0) {
      assert.equal(job?.metadata.name, `tick-${Date.parse('2026-01-01T00:05:00Z') / 60_000}`);
      assert.equal(scheduledAt(job!), '2026-01-01T01:05:00+01:00');
      assert.deepEqual(job?.metadata.labels, { a: 'b' });
      assert.equal(cronJob(world)?.status?.active?.[0]?.name, job?.metadata.name);
      assert.equal(cronJob(world)?.status?.lastScheduleTime, '2026-01-01T00:05:00Z');
    }
    end(world, job!);
    await world.run(1000);
  }
  assert.equal(jobs(world).length, 3);
  assert.equal(cronJob(world)?.status?.active, undefined);
  assert.ok(cronJob(world)?.status?.lastSuccessfulTime);
  assert.deepEqual([...reasons(world)].toSorted(), ['SawCompletedJob', 'SuccessfulCreate', 'SuccessfulDelete']);
  await process.kill();
});

for (const [concurrencyPolicy, expected, reason] of [
  ['Allow', ['00:05', '00:10'], 'SuccessfulCreate'],
  ['Forbid', ['00:05'], 'JobAlreadyActive'],
  ['Replace', ['00:10'], 'SuccessfulDelete'],
] as const) {
  test(`while one runs: ${concurrencyPolicy}`, async () => {
    const world = createTestWorld();
    const process = world.start(WHICH);
    await create(world, { concurrencyPolicy });
    await minutes(world, 11);
    assert.deepEqual(
      jobs(world).map((job) => scheduledAt(job)?.slice(11, 16)),
      expected,
    );
    assert.equal(cronJob(world)?.status?.active?.length, expected.length);
    assert.ok(reasons(world).has(reason));
    await process.kill();
  });
}

test('after a pause the latest missed time is made up for, unless its deadline has passed', async () => {
  for (const [startingDeadlineSeconds, expected] of [
    [undefined, '01:00'],
    [60, undefined],
  ] as const) {
    const world = createTestWorld();
    let process = world.start(WHICH);
    await create(world, {
      schedule: '0 * * * *',
      suspend: true,
      ...(startingDeadlineSeconds === undefined ? {} : { startingDeadlineSeconds }),
    });
    await minutes(world, 90);
    assert.equal(jobs(world).length, 0);
    await process.kill();
    await world.client.resource(CRON_JOBS, 'default').patch('tick', 'merge', { spec: { suspend: false } });
    process = world.start(WHICH);
    await world.run(1000);
    assert.equal(jobs(world).map((job) => scheduledAt(job)?.slice(11, 16))[0], expected);
    await process.kill();
  }
});
