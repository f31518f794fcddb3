import { controllerOf, selectorFromObject } from '@binnacle/machinery';
import { JOBS, PODS } from '@binnacle/api';
import type { Job } from '@binnacle/api/batch/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { cacheKey } from '@binnacle/client';
import {
  BY_CONTROLLER,
  enqueueOn,
  Expectations,
  followPods,
  gatherMs,
  OWNERSHIP_INDEXES,
  podStateChanged,
  runController,
  triggerOf,
} from '@binnacle/reconcile';
import type { Controller } from '@binnacle/reconcile';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { isJob, isTrackedPod } from './accounting.ts';
import { JobFigures } from './figures.ts';
import { JobSync } from './sync.ts';

const ORPHAN = 'orphan ';
/** What ends within this time is counted by the same two writes of the status. */
const GATHER_MS_MIN = 10;

/** Starts the jobs' controller. Beside jobs its queue has pods that wait for a job which is not there. */
export function runJobController(kit: ControllerKit): Controller {
  const jobs = kit.informers.need(JOBS, { indexes: OWNERSHIP_INDEXES });
  const pods = kit.informers.need(PODS, { indexes: OWNERSHIP_INDEXES });
  const { client, world } = kit;
  const expectations = new Expectations(world.clock);
  const events = recorderFor(kit, 'job-controller');
  const figures = new JobFigures(kit.figures);
  const sync = new JobSync({ client, clock: world.clock, events, expectations, jobs, pods, figures });
  const controller = runController({
    name: 'job-controller',
    about: { group: 'batch', resource: 'jobs' },
    world,
    scope: kit.scope,
    caches: [jobs, pods],
    sync: (key, context) =>
      key.startsWith(ORPHAN) ? sync.releaseOrphan(key.slice(ORPHAN.length), context) : sync.sync(key, context),
  });
  const checkOrphan = (pod: Pod): void => {
    if (!isTrackedPod(pod)) return;
    const owner = controllerOf(pod);
    if (owner !== undefined && !isJob(owner)) return;
    const job = owner === undefined ? undefined : jobs.get(`${pod.metadata.namespace ?? ''}/${owner.name}`);
    if (job === undefined || job.metadata.uid !== owner?.uid) {
      controller.enqueue(ORPHAN + cacheKey(pod), triggerOf('MODIFIED', pod));
    }
  };
  kit.scope.defer(
    jobs.subscribe({
      add: (job) => {
        figures.appeared(job);
        sync.see(job);
      },
      update: (_before, job) => sync.see(job),
      remove: (job) => {
        sync.forget(job);
        for (const pod of pods.byIndex(BY_CONTROLLER, job.metadata.uid ?? '')) checkOrphan(pod);
      },
    }),
  );
  kit.scope.defer(enqueueOn(jobs, controller, (job) => [cacheKey(job)]));
  kit.scope.defer(pods.subscribe(figures.pods));
  kit.scope.defer(
    pods.subscribe({
      add: checkOrphan,
      update: (_before, pod) => {
        sync.settle(pod, false);
        checkOrphan(pod);
      },
      remove: (pod) => sync.settle(pod, true),
    }),
  );
  kit.scope.defer(
    followPods({
      ref: JOBS,
      pods,
      owners: jobs,
      expectations,
      selector: (job) => selectorFromObject(job.spec.selector ?? {}),
      concerns: (before, after) => podStateChanged(before, after) || isTrackedPod(before) !== isTrackedPod(after),
      // Also what is urgent elsewhere is gathered: pods of a job end by the thousand, and each sync looks at all.
      wake: (job, { trigger }) => {
        controller.enqueueAfter(cacheKey(job), Math.max(GATHER_MS_MIN, gatherMs(podsOf(job))), trigger);
      },
    }),
  );
  return controller;
}

/** How many pods a round looks at: those that have ended stay. */
function podsOf({ spec, status = {} }: Job): number {
  const { active = 0, succeeded = 0, failed = 0 } = status;
  return Math.max(spec.parallelism ?? 1, active + succeeded + failed);
}
