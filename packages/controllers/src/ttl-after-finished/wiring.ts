import { exponentialBounds } from '@binnacle/base';
import { JOBS } from '@binnacle/api';
import type { Job } from '@binnacle/api/batch/v1';
import { cacheKey } from '@binnacle/client';
import { deleteIfThere, getOrUndefined, runController, triggerOf } from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import type { ControllerKit } from '../controller-kit.ts';

/** Starts the controller that deletes jobs a given time after their end. */
export function runTtlAfterFinishedController(kit: ControllerKit): Controller {
  const jobs = kit.informers.need(JOBS);
  const name = 'ttl_after_finished_controller_job_deletion_duration_seconds';
  const help = 'How long after its time a job was deleted.';
  const late = kit.figures.spread({ name, help }, exponentialBounds(0.1, 2, 14));
  const sync = async (key: string, context: SyncContext): Promise<void> => {
    const seen = jobs.get(key);
    if (seen === undefined || waitMs(seen, kit.world.clock.now()) === undefined) return;
    const client = kit.client.resource(JOBS, seen.metadata.namespace);
    // The server is asked: the time to live may just have been put off.
    const job = await getOrUndefined(client, seen.metadata.name ?? '', context);
    const due = job === undefined ? undefined : dueMs(job);
    if (job === undefined || due === undefined) return;
    const wait = due - kit.world.clock.now();
    if (wait > 0) return context.requeueAfter(wait);
    const { uid = '', resourceVersion = '' } = job.metadata;
    const preconditions = { uid, resourceVersion };
    const options = { propagationPolicy: 'Foreground', preconditions } as const;
    if (await deleteIfThere({ client, context }, job.metadata.name ?? '', options)) {
      late.observe([], (kit.world.clock.now() - due) / 1000);
    }
  };
  const controller = runController({
    name: 'ttl-after-finished-controller',
    about: { group: 'batch', resource: 'jobs' },
    world: kit.world,
    scope: kit.scope,
    caches: [jobs],
    sync,
  });
  const follow = (event: string, job: Job): void => {
    const wait = waitMs(job, kit.world.clock.now());
    if (wait !== undefined) controller.enqueueAfter(cacheKey(job), wait, triggerOf(event, job));
  };
  kit.scope.defer(
    jobs.subscribe({
      add: (job) => follow('ADDED', job),
      update: (_before, job) => follow('MODIFIED', job),
    }),
  );
  return controller;
}

/** Until the job may go, ms; undefined for one that stays: not ended, without a time to live, or going already. */
export function waitMs(job: Job, nowMs: number): number | undefined {
  const due = dueMs(job);
  return due === undefined ? undefined : Math.max(0, due - nowMs);
}

function dueMs({ spec, status, metadata }: Job): number | undefined {
  const { ttlSecondsAfterFinished } = spec;
  if (ttlSecondsAfterFinished === undefined || metadata.deletionTimestamp !== undefined) return undefined;
  const end = status?.conditions?.find(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  );
  if (end?.lastTransitionTime === undefined) return undefined;
  return Date.parse(end.lastTransitionTime) + ttlSecondsAfterFinished * 1000;
}
