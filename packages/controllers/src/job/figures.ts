import { exponentialBounds } from '@binnacle/base';
import type { CountFigure, FigureMeasures, NamedFigure, SpreadFigure } from '@binnacle/base';
import { countIndexes, isPodTerminal } from '@binnacle/api';
import type { Job, JobStatus, PodFailurePolicyAction } from '@binnacle/api/batch/v1';
import type { Pod } from '@binnacle/api/core/v1';
import type { InformerHandler } from '@binnacle/client';
import { isIndexed, isTrackedPod } from './accounting.ts';
import type { Account } from './accounting.ts';
import { readIndexes } from './indexes.ts';

/** What a sync did to pods; `reconciling`: it did not come to that. */
export type SyncAction = 'reconciling' | 'tracking' | 'pods_created' | 'pods_deleted';

const SYNC = ['completion_mode', 'result', 'action'];

/** What the controller of jobs tells of itself (pkg/controller/job/metrics). */
export class JobFigures {
  readonly #syncs: CountFigure;
  readonly #syncSeconds: SpreadFigure;
  readonly #finished: CountFigure;
  readonly #external: CountFigure;
  readonly #podsFinished: CountFigure;
  readonly #judged: CountFigure;
  readonly #tracked: CountFigure;
  readonly #indexes: CountFigure;
  readonly #created: CountFigure;

  constructor(figures: FigureMeasures) {
    const counter = (name: string, help: string, labels: readonly string[]): CountFigure =>
      figures.counter(named(name, help, labels));
    this.#syncs = counter('job_syncs_total', 'Looks at a job.', SYNC);
    const seconds = named('job_sync_duration_seconds', 'How long a look at a job took.', SYNC);
    this.#syncSeconds = figures.spread(seconds, exponentialBounds(0.004, 2, 15));
    this.#finished = counter('jobs_finished_total', 'Jobs that ended.', ['completion_mode', 'result', 'reason']);
    const external = 'Jobs that another controller looks after.';
    this.#external = counter('jobs_by_external_controller_total', external, ['controller_name']);
    const podsFinished = 'Pods that ended and are counted in the status of their jobs.';
    this.#podsFinished = counter('job_pods_finished_total', podsFinished, ['completion_mode', 'result']);
    const judged = 'Failed pods that a rule of a failure policy fitted, by what it says.';
    this.#judged = counter('pod_failures_handled_by_failure_policy_total', judged, ['action']);
    const tracked = 'Pods that ended and are kept until they are counted (add), or are kept no more (delete).';
    this.#tracked = counter('terminated_pods_tracking_finalizer_total', tracked, ['event']);
    const indexes = 'Indexes that ended, and what limits their failures.';
    this.#indexes = counter('job_finished_indexes_total', indexes, ['status', 'backoffLimit']);
    const created = 'Pods that were to be made, why, and whether they were.';
    this.#created = counter('job_pods_creation_total', created, ['reason', 'status']);
  }

  synced(job: Job, of: { readonly action: SyncAction; readonly failed: boolean; readonly seconds: number }): void {
    const values = [modeOf(job), of.failed ? 'error' : 'success', of.action];
    this.#syncs.add(values);
    this.#syncSeconds.observe(values, of.seconds);
  }

  /** A status was written over what the job had. */
  counted(job: Job, after: JobStatus, judged: readonly PodFailurePolicyAction[]): void {
    const { succeeded, failed, ended } = newlyCounted(job, after);
    const mode = modeOf(job);
    this.#podsFinished.add([mode, 'succeeded'], succeeded);
    this.#podsFinished.add([mode, 'failed'], failed);
    for (const action of judged) this.#judged.add([action]);
    for (const { result, reason } of ended) this.#finished.add([mode, result, reason]);
    if (!isIndexed(job)) return;
    const limit = job.spec.backoffLimitPerIndex === undefined ? 'global' : 'perIndex';
    this.#indexes.add(['succeeded', limit], succeeded);
    const more = indexesIn(job, after.failedIndexes) - indexesIn(job, job.status?.failedIndexes);
    if (more > 0) this.#indexes.add(['failed', limit], more);
  }

  /** Pods were to be made. */
  made(of: { readonly reason: string; readonly made: number; readonly refused: number }): void {
    if (of.made > 0) this.#created.add([of.reason, 'succeeded'], of.made);
    if (of.refused > 0) this.#created.add([of.reason, 'failed'], of.refused);
  }

  appeared({ spec: { managedBy } }: Job): void {
    if (managedBy !== undefined && managedBy !== 'kubernetes.io/job-controller') this.#external.add([managedBy]);
  }

  /** Follows pods as they come, change and go. */
  readonly pods: InformerHandler<Pod> = {
    add: (pod) => this.#move(undefined, pod),
    update: (before, after) => this.#move(before, after),
    remove: (pod) => this.#move(pod, undefined),
  };

  #move(before: Pod | undefined, after: Pod | undefined): void {
    const [was, is] = [isKept(before), isKept(after)];
    if (was !== is) this.#tracked.add([is ? 'add' : 'delete']);
  }
}

/** Why pods are made: those before them failed or are going, or there were none. */
export function creationReason(job: Job, { failed, uncounted }: Account, terminating: number): string {
  const anyFailed = failed + uncounted.failed.length > 0;
  if (anyFailed && job.spec.podReplacementPolicy === 'Failed') return 'recreate_failed';
  return anyFailed || terminating > 0 ? 'recreate_terminating_or_failed' : 'new';
}

/** What a status has that the job's did not have: of an indexed job its indexes, as long as its completions let them count. */
export function newlyCounted(
  job: Job,
  after: JobStatus,
): {
  readonly succeeded: number;
  readonly failed: number;
  readonly ended: readonly { readonly result: 'succeeded' | 'failed'; readonly reason: string }[];
} {
  const before = job.status ?? {};
  const succeeded = isIndexed(job)
    ? indexesIn(job, after.completedIndexes) - indexesIn(job, before.completedIndexes)
    : (after.succeeded ?? 0) - (before.succeeded ?? 0);
  const ended = (after.conditions ?? []).flatMap(({ type, status, reason = '' }) => {
    if ((type !== 'Complete' && type !== 'Failed') || status !== 'True') return [];
    const known = before.conditions?.some((one) => one.type === type && one.status === 'True') === true;
    return known ? [] : [{ result: type === 'Complete' ? ('succeeded' as const) : ('failed' as const), reason }];
  });
  return { succeeded, failed: (after.failed ?? 0) - (before.failed ?? 0), ended };
}

function indexesIn(job: Job, text: string | undefined): number {
  return countIndexes(readIndexes(text, job.spec.completions ?? 0));
}

function isKept(pod: Pod | undefined): boolean {
  return pod !== undefined && isPodTerminal(pod) && isTrackedPod(pod);
}

function modeOf({ spec }: Job): string {
  return spec.completionMode ?? 'NonIndexed';
}

function named(name: string, help: string, labels: readonly string[]): NamedFigure {
  return { name: `job_controller_${name}`, help, labels };
}
