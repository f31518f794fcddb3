import type { CronJob, CronJobStatus, Job } from '@binnacle/api/batch/v1';
import type { ObjectReference } from '@binnacle/api/core/v1';

/** What is told about a job of a cron job. */
export type JobNote =
  | { readonly kind: 'unexpected'; readonly name: string }
  | { readonly kind: 'completed'; readonly name: string; readonly condition: string }
  | { readonly kind: 'missing'; readonly name: string };

/** How a job ended, by the first condition that says so; undefined while it goes on. */
export function endOf(job: Job): 'Complete' | 'Failed' | undefined {
  for (const { type, status } of job.status?.conditions ?? []) {
    if (status === 'True' && (type === 'Complete' || type === 'Failed')) return type;
  }
  return undefined;
}

/** The status that the jobs call for, and what is worth telling. */
export function followJobs(
  status: CronJobStatus,
  jobs: readonly Job[],
): { readonly status: CronJobStatus; readonly notes: readonly JobNote[] } {
  const notes: JobNote[] = [];
  const byUid = new Map(jobs.map((job) => [job.metadata.uid ?? '', job]));
  const active: ObjectReference[] = [];
  for (const reference of status.active ?? []) {
    const job = byUid.get(reference.uid ?? '');
    const end = job === undefined ? undefined : endOf(job);
    if (job !== undefined && end === undefined) active.push(reference);
    else if (job === undefined) notes.push({ kind: 'missing', name: reference.name ?? '' });
    else notes.push({ kind: 'completed', name: reference.name ?? '', condition: end ?? '' });
  }
  const known = new Set((status.active ?? []).map((reference) => reference.uid));
  let { lastSuccessfulTime } = status;
  for (const job of jobs) {
    const { name = '', uid } = job.metadata;
    const end = endOf(job);
    if (end === undefined && !known.has(uid)) notes.push({ kind: 'unexpected', name });
    const at = job.status?.completionTime;
    if (end !== 'Complete' || at === undefined) continue;
    if (lastSuccessfulTime === undefined || at > lastSuccessfulTime) lastSuccessfulTime = at;
  }
  return { status: { ...status, active, ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }) }, notes };
}

/** Ended jobs beyond the history limits, the oldest first; without those that go already. */
export function surplusJobs({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const beyond = (end: 'Complete' | 'Failed', limit: number | undefined): readonly Job[] => {
    if (limit === undefined) return [];
    const ended = jobs
      .filter((job) => endOf(job) === end && job.metadata.deletionTimestamp === undefined)
      .toSorted(byStart);
    return ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [...beyond('Complete', spec.successfulJobsHistoryLimit), ...beyond('Failed', spec.failedJobsHistoryLimit)];
}

function byStart(a: Job, b: Job): number {
  const keyOf = ({ status, metadata }: Job): string => `${status?.startTime ?? '~'} ${metadata.name ?? ''}`;
  return keyOf(a) < keyOf(b) ? -1 : 1;
}
