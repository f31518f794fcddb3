import { strict as assert } from 'node:assert';
import { randomBelow } from '@binnacle/base';
import { CRON_JOBS, EVENTS, JOBS } from '@binnacle/api';
import type { CronJobSpec, Job } from '@binnacle/api/batch/v1';
import type { WatchEvent } from '@binnacle/machinery';
import { LIFE_SECONDS_MAX, survive } from '../test-crash.ts';
import type { TestWorld } from '../test-world.ts';

export const WHICH = ['cronjob-controller'];
export const spec = (more: Partial<CronJobSpec> = {}): CronJobSpec => ({
  schedule: '*/5 * * * *',
  successfulJobsHistoryLimit: 3,
  failedJobsHistoryLimit: 1,
  jobTemplate: {
    metadata: { labels: { a: 'b' } },
    spec: { template: { metadata: {}, spec: { containers: [{ name: 'c', image: 'x' }], restartPolicy: 'Never' } } },
  },
  ...more,
});
export const create = (world: TestWorld, more: Partial<CronJobSpec> = {}) =>
  world.client.resource(CRON_JOBS, 'default').create({ metadata: { name: 'tick' }, spec: spec(more) });
export const jobs = (world: TestWorld) => world.api.objects(JOBS);
export const cronJob = (world: TestWorld) => world.api.objects(CRON_JOBS)[0];
export const reasons = (world: TestWorld) => new Set(world.api.objects(EVENTS).map((event) => event.reason));
export const scheduledAt = (job: Job) => job.metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp'];

export function end(world: TestWorld, job: Job): void {
  const at = new Date(world.clock.now()).toISOString();
  const conditions = [{ type: 'Complete', status: 'True' }];
  world.api.setStatus(JOBS, job, { startTime: at, completionTime: at, conditions });
}

/** Killed and restarted at random: one job for each time, none twice, none left out; with `Forbid` and `Replace` never two at a time. */
export async function live(seed: number, policy: 'Allow' | 'Forbid' | 'Replace' = 'Allow'): Promise<void> {
  const made = new Map<string, string>();
  const running = new Set<string>();
  const together: string[] = [];
  const follow = ({ type, object }: WatchEvent<Job>): void => {
    const { uid = '', name = '', deletionTimestamp } = object.metadata;
    if (type === 'ADDED') made.set(uid, name);
    const isOver = type === 'DELETED' || deletionTimestamp !== undefined || object.status?.conditions !== undefined;
    if (isOver) running.delete(name);
    else running.add(name);
    if (running.size > 1) together.push([...running].join(' and '));
  };
  const world = await survive({
    seed,
    which: WHICH,
    steps: 25,
    prepare: async (at) => {
      await create(at, { schedule: '* * * * *', successfulJobsHistoryLimit: 100, concurrencyPolicy: policy });
      const jobs = at.observer.resource(JOBS, 'default');
      const events = (batch: readonly WatchEvent<Job>[]): void =>
        batch.forEach((event) => event.type !== 'BOOKMARK' && follow(event));
      jobs.watch({ sendInitialEvents: true, timeoutSeconds: LIFE_SECONDS_MAX }, { events, end: () => undefined });
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
  if (policy === 'Forbid' || policy === 'Replace') assert.deepEqual(together, [], `seed ${seed}: at a time`);
  // Of peace nobody ends the job that was begun last, which keeps the others waiting.
  if (policy !== 'Forbid') assert.ok(last - (times.at(-1) ?? 0) <= 1, `seed ${seed}: up to now`);
  assert.ok(made.size >= 8, `seed ${seed}: ${made.size}`);
}
