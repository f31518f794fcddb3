import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { randomBelow } from '@binnacle/base';
import { CRON_JOBS, EVENTS, JOBS } from '@binnacle/api';
import type { CronJobSpec, Job } from '@binnacle/api/batch/v1';
import { survive } from '../test-crash.ts';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';

const WHICH = ['cronjob-controller'];
const spec = (more: Partial<CronJobSpec> = {}): CronJobSpec => ({
  schedule: '*/5 * * * *',
  successfulJobsHistoryLimit: 3,
  failedJobsHistoryLimit: 1,
  jobTemplate: {
    metadata: { labels: { a: 'b' } },
    spec: { template: { metadata: {}, spec: { containers: [{ name: 'c', image: 'x' }] } } },
  },
  ...more,
});
const create = (world: TestWorld, more: Partial<CronJobSpec> = {}) =>
  world.client.resource(CRON_JOBS, 'default').create({ metadata: { name: 'tick' }, spec: spec(more) });
const jobs = (world: TestWorld) => world.wire.objects(JOBS);
const cronJob = (world: TestWorld) => world.wire.objects(CRON_JOBS)[0];
const reasons = (world: TestWorld) => new Set(world.wire.objects(EVENTS).map((event) => event.reason));
const scheduledAt = (job: Job) => job.metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp'];

function end(world: TestWorld, job: Job): void {
  const at = new Date(world.clock.now()).toISOString();
  const conditions = [{ type: 'Complete', status: 'True' }];
  world.wire.setStatus(JOBS, job, { startTime: at, completionTime: at, conditions });
}

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
  assert.deepEqual(cronJob(world)?.status?.active, []);
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

test('killed and restarted at random: one job for each time, none twice, none left out', async () => {
  for (let seed = 1; seed <= 5; seed++) {
    const made = new Map<string, string>();
    const world = await survive({
      seed,
      which: WHICH,
      steps: 25,
      prepare: async (at) => {
        await create(at, { schedule: '* * * * *', successfulJobsHistoryLimit: 100 });
        at.client.resource(JOBS, 'default').watch(
          { sendInitialEvents: true },
          {
            events: (batch) => {
              for (const { type, object } of batch) {
                if (type === 'ADDED') made.set(object.metadata.uid ?? '', object.metadata.name ?? '');
              }
            },
            end: () => undefined,
          },
        );
      },
      disturb: async (at, random) => {
        await at.run(60_000);
        const running = jobs(at).filter((job) => job.status?.conditions === undefined);
        const job = running[randomBelow(random, Math.max(1, running.length))];
        if (job !== undefined) end(at, job);
      },
      never: () => undefined,
    });
    const names = jobs(world).map((job) => job.metadata.name);
    assert.equal(new Set(made.values()).size, made.size, `seed ${seed}: a time twice`);
    const last = Math.floor(world.clock.now() / 60_000);
    const times = names.map((name) => Number(name?.slice('tick-'.length))).toSorted((a, b) => a - b);
    assert.ok(last - (times.at(-1) ?? 0) <= 1, `seed ${seed}: up to now`);
    assert.ok(times.length >= 8, `seed ${seed}: ${times.length}`);
  }
});
