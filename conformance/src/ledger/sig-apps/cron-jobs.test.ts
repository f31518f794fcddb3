/**
 * Cron jobs and what they do while a job still runs. A last schedule time in the past makes the first job due at once; the
 * second waits for the clock's next full minute, so this file takes up to one minute, its behaviours side by side.
 */
import assert from 'node:assert/strict';
import { CRON_JOBS, EVENTS, JOBS } from '@binnacle/api';
import type { CronJob, CronJobSpec, Job } from '@binnacle/api/batch/v1';
import { waitFor } from '@binnacle/testkit';
import { template, untilOne } from '../objects.ts';
import { behavioursInTime } from '../world.ts';
import type { World } from '../world.ts';

/** Longer than from one full minute to the next. */
const MINUTE = 90_000;

/** Work that outlives the test: simulated work of jobs ends soon unless told otherwise. */
function lasting(app: string) {
  const { metadata, spec } = template(app, { restartPolicy: 'OnFailure' });
  return { metadata: { ...metadata, annotations: { 'simulated.binnacle.dev/exit-after': '1h' } }, spec };
}

function make(world: World, name: string, spec: Partial<CronJobSpec>): Promise<CronJob> {
  return world.client.resource(CRON_JOBS, world.namespace).create({
    metadata: { name },
    spec: {
      schedule: '*/1 * * * ?',
      jobTemplate: { metadata: {}, spec: { template: lasting(name) } },
      ...spec,
    },
  });
}

/** As if it had last been due some minutes ago. */
async function makeDue(world: World, name: string, now = Date.now()): Promise<void> {
  const lastScheduleTime = new Date(now - 5 * 60_000).toISOString().replace(/\.\d+Z$/, 'Z');
  await world.client
    .resource(CRON_JOBS, world.namespace)
    .patch(name, 'merge', { status: { lastScheduleTime } }, { subresource: 'status' });
}

const until = async (world: World, name: string, what: string, holds: (one: CronJob) => boolean): Promise<CronJob> =>
  (await untilOne(world, CRON_JOBS, { name, what, deadlineMs: MINUTE, until: holds })) as CronJob;

const active = (count: number) => (one: CronJob) => one.status?.active?.length === count;
const activeAtLeast = (count: number) => (one: CronJob) => (one.status?.active?.length ?? 0) >= count;

const jobsOf = async (world: World, owner: string): Promise<Job[]> =>
  (await world.client.resource(JOBS, world.namespace).list()).items.filter(
    (job) => job.metadata.ownerReferences?.[0]?.name === owner,
  );

/** The job that is due at once: one for all the minutes that went by. The next minute may begin meanwhile, and bring another. */
async function first(world: World, name: string): Promise<Job> {
  const now = Date.now();
  await makeDue(world, name, now);
  await until(world, name, 'one active', activeAtLeast(1));
  const dueAt = (job: Job): number =>
    Date.parse(job.metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp'] ?? '');
  const [job, ...more] = (await jobsOf(world, name)).toSorted((a, b) => dueAt(a) - dueAt(b));
  assert.ok(job);
  assert.deepEqual(
    more.filter((one) => !(dueAt(one) > now)),
    [],
  );
  return job;
}

behavioursInTime('simulated', 'cron jobs', (check) => {
  check('[sig-apps] CronJob should schedule multiple jobs concurrently [Conformance]', async (world) => {
    await make(world, 'concurrent', { concurrencyPolicy: 'Allow' });
    await first(world, 'concurrent');
    const two = await until(world, 'concurrent', 'two active', activeAtLeast(2));
    const jobs = await jobsOf(world, 'concurrent');
    assert.deepEqual(
      jobs.map((job) => [job.metadata.name, job.status?.active ?? 1]).toSorted(),
      (two.status?.active ?? []).map((ref) => [ref.name, 1]).toSorted(),
    );
    await world.client.resource(CRON_JOBS, world.namespace).delete('concurrent');
    await untilOne(world, CRON_JOBS, { name: 'concurrent', what: 'gone' });
  });

  check('[sig-apps] CronJob should not schedule jobs when suspended [Slow] [Conformance]', async (world) => {
    await make(world, 'suspended', { concurrencyPolicy: 'Allow', suspend: true });
    await makeDue(world, 'suspended');
    // One beside it that is not suspended shows when the controller's minute has come.
    await make(world, 'beside', { concurrencyPolicy: 'Allow' });
    await first(world, 'beside');
    await until(world, 'beside', 'two active', activeAtLeast(2));
    const suspended = await world.client.resource(CRON_JOBS, world.namespace).get('suspended');
    assert.deepEqual(suspended.status?.active ?? [], []);
    assert.deepEqual(await jobsOf(world, 'suspended'), []);
  });

  check('[sig-apps] CronJob should not schedule new jobs when ForbidConcurrent [Slow] [Conformance]', async (world) => {
    await make(world, 'forbid', { concurrencyPolicy: 'Forbid' });
    const job = await first(world, 'forbid');
    await waitFor({
      client: world.client,
      resource: EVENTS,
      namespace: world.namespace,
      what: 'the next time passed over',
      deadlineMs: MINUTE,
      until: (events) => events.some((e) => e.reason === 'JobAlreadyActive' && e.involvedObject.name === 'forbid'),
    });
    assert.deepEqual(
      (await jobsOf(world, 'forbid')).map((one) => one.metadata.uid),
      [job.metadata.uid],
    );
    const seen = await world.client.resource(CRON_JOBS, world.namespace).get('forbid');
    assert.equal(seen.status?.active?.length, 1);
  });

  check('[sig-apps] CronJob should replace jobs when ReplaceConcurrent [Conformance]', async (world) => {
    await make(world, 'replace', { concurrencyPolicy: 'Replace' });
    const job = await first(world, 'replace');
    const replaced = await until(
      world,
      'replace',
      'another active in its place',
      (one) => active(1)(one) && one.status?.active?.[0]?.uid !== job.metadata.uid,
    );
    await untilOne(world, JOBS, { name: job.metadata.name ?? '', what: 'gone' });
    assert.deepEqual(
      (await jobsOf(world, 'replace')).map((one) => one.metadata.uid),
      [replaced.status?.active?.[0]?.uid],
    );
  });
});
