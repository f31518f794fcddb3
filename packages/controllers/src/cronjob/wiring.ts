import { exponentialBounds } from '@binnacle/base';
import { controllerOf } from '@binnacle/machinery';
import { CRON_JOBS, JOBS } from '@binnacle/api';
import { cacheKey } from '@binnacle/client';
import { enqueueOn, OWNERSHIP_INDEXES, runController } from '@binnacle/reconcile';
import type { Controller } from '@binnacle/reconcile';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { CronJobSync } from './sync.ts';

/** Starts the cron jobs' controller. */
export function runCronJobController(kit: ControllerKit): Controller {
  const cronJobs = kit.informers.need(CRON_JOBS);
  const jobs = kit.informers.need(JOBS, { indexes: OWNERSHIP_INDEXES });
  const events = recorderFor(kit, 'cronjob-controller');
  const name = 'cronjob_controller_job_creation_skew_duration_seconds';
  const help = 'How long after its time a job was made.';
  const skew = kit.figures.spread({ name, help }, exponentialBounds(1, 2, 10));
  const sync = new CronJobSync({ client: kit.client, clock: kit.world.clock, events, cronJobs, jobs, skew });
  const controller = runController({
    name: 'cronjob-controller',
    about: { group: 'batch', resource: 'cronjobs' },
    world: kit.world,
    scope: kit.scope,
    caches: [cronJobs, jobs],
    sync: (key, context) => sync.sync(key, context),
  });
  kit.scope.defer(
    cronJobs.subscribe({
      add: (cronJob) => sync.see(cronJob),
      update: (before, cronJob) => sync.see(cronJob, before),
    }),
  );
  kit.scope.defer(enqueueOn(cronJobs, controller, (cronJob) => [cacheKey(cronJob)]));
  kit.scope.defer(
    enqueueOn(jobs, controller, (job) => {
      const owner = controllerOf(job);
      return owner?.kind === CRON_JOBS.kind ? [`${job.metadata.namespace ?? ''}/${owner.name}`] : [];
    }),
  );
  return controller;
}
