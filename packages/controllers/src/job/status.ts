import { formatTime } from '@binnacle/base';
import { isPodActive, isPodTerminal } from '@binnacle/api';
import type { Job, JobCondition, JobStatus } from '@binnacle/api/batch/v1';
import { isIndexed } from './accounting.ts';
import type { Account, JobSeen } from './accounting.ts';
import { podCounts } from './decide.ts';
import type { Ending } from './decide.ts';
import { writeIndexes } from './indexes.ts';

/** What the job reports. The end itself is told only when every pod has ended and is counted. */
export function jobStatus(seen: JobSeen, book: Account, ending: Ending | undefined): JobStatus {
  const { job, nowMs, pods } = seen;
  const now = formatTime(nowMs);
  const before = job.status ?? {};
  const suspended = job.spec.suspend === true && ending === undefined;
  const quiet = !pods.some((pod) => isPodActive(pod) || !isPodTerminal(pod));
  const counted = book.uncounted.succeeded.length + book.uncounted.failed.length + book.release.length === 0;
  const over = ending !== undefined && quiet && counted;
  const conditions = decideConditions(job, { ending, over, suspended, now });
  const startTime = suspended ? undefined : (before.startTime ?? now);
  const { uncounted } = book;
  const hasUncounted = uncounted.succeeded.length + uncounted.failed.length > 0;
  const completed = over && ending.type === 'SuccessCriteriaMet';
  return {
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(completed ? { completionTime: now } : {}),
    ...nonZero({ ...podCounts(pods), succeeded: book.succeeded, failed: book.failed }),
    terminating: podCounts(pods).terminating,
    ready: podCounts(pods).ready,
    ...(isIndexed(job) && book.completed.length > 0 ? { completedIndexes: writeIndexes(book.completed) } : {}),
    ...(job.spec.backoffLimitPerIndex === undefined ? {} : { failedIndexes: writeIndexes(book.failedIndexes) }),
    uncountedTerminatedPods: hasUncounted
      ? {
          ...(uncounted.succeeded.length === 0 ? {} : { succeeded: uncounted.succeeded }),
          ...(uncounted.failed.length === 0 ? {} : { failed: uncounted.failed }),
        }
      : {},
  };
}

function nonZero(counts: { readonly [name: string]: number }): { readonly [name: string]: number } {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

interface Standing {
  readonly ending: Ending | undefined;
  readonly over: boolean;
  readonly suspended: boolean;
  readonly now: string;
}

function decideConditions(job: Job, { ending, over, suspended, now }: Standing): readonly JobCondition[] {
  let conditions: readonly JobCondition[] = job.status?.conditions ?? [];
  const add = (type: string, status: 'True' | 'False', why: { reason: string; message: string }): void => {
    const current = conditions.find((one) => one.type === type);
    if (current?.status === status || (current === undefined && status === 'False')) return;
    const { reason, message } = why;
    const next = { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message };
    conditions = [...conditions.filter((one) => one !== current), next];
  };
  if (ending === undefined) {
    if (suspended) add('Suspended', 'True', { reason: 'JobSuspended', message: 'Job suspended' });
    else add('Suspended', 'False', { reason: 'JobResumed', message: 'Job resumed' });
    return conditions;
  }
  add(ending.type, 'True', ending);
  if (over) add(ending.type === 'FailureTarget' ? 'Failed' : 'Complete', 'True', ending);
  return conditions;
}
