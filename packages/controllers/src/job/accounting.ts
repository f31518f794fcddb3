import { isPodActive, isPodTerminating, wellknown } from '@binnacle/api';
import type { IndexInterval } from '@binnacle/api';
import type { Job } from '@binnacle/api/batch/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { judgeFailure } from './failure-policy.ts';
import { addIndexes, readIndexes, withoutIndexes } from './indexes.ts';

/** The finalizer that keeps a pod until it is counted. */
export const TRACKING = 'batch.kubernetes.io/job-tracking';
/**
 * Put on a pod that is too many with the write that takes its finalizer, before it is deleted: one that has this and is not
 * going was counted by nobody, even if it has ended.
 */
export const LET_GO = 'batch.binnacle.dev/let-go';
/** How often the index of a pod had failed before it was made. */
export const INDEX_FAILURES = 'batch.kubernetes.io/job-index-failure-count';
/** A status names at most this many pods that are not counted yet. */
const UNCOUNTED_MAX = 500;

/** A job and all of its pods. */
export interface JobSeen {
  readonly job: Job;
  readonly pods: readonly Pod[];
  /** Whether the cache still shows a finalizer that was taken away already. */
  readonly isReleased: (pod: Pod) => boolean;
  readonly nowMs: number;
}

/** The book of a job: what is counted, what is about to be. */
export interface Account {
  readonly succeeded: number;
  readonly failed: number;
  readonly completed: readonly IndexInterval[];
  readonly failedIndexes: readonly IndexInterval[];
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  /** Pods whose finalizer may go once the uncounted are on record. */
  readonly release: readonly Pod[];
  /** Set by the first failed pod that the policy calls fatal. */
  readonly fatal: string | undefined;
}

export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === 'Indexed';
}

export function indexOf(pod: Pod): number | undefined {
  const text = pod.metadata.annotations?.[wellknown.LABEL_JOB_COMPLETION_INDEX];
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** A pod that ended, for the job's purposes: one that is deleted counts as failed unless only failed ones are replaced. */
export function outcomeOf({ spec }: Job, pod: Pod): 'succeeded' | 'failed' | undefined {
  if (pod.status?.phase === 'Succeeded') return 'succeeded';
  if (pod.status?.phase === 'Failed') return 'failed';
  const onlyFailed = (spec.podReplacementPolicy ?? (spec.podFailurePolicy ? 'Failed' : undefined)) === 'Failed';
  return isPodTerminating(pod) && !onlyFailed ? 'failed' : undefined;
}

/**
 * Counts each pod exactly once, over any number of crashes: a pod that ended is first named as uncounted in the
 * status, then loses its finalizer, and only then does its name make way for a higher count. Whatever of this was
 * done, the next round goes on from there.
 */
export function account(seen: JobSeen): Account {
  const { job } = seen;
  const completions = isIndexed(job) ? (job.spec.completions ?? 0) : 0;
  const before = job.status?.uncountedTerminatedPods ?? {};
  const pods = new Map(seen.pods.map((pod) => [pod.metadata.uid ?? '', pod]));
  const isTracked = (uid: string): boolean => {
    const pod = pods.get(uid);
    return pod !== undefined && isTrackedPod(pod) && !seen.isReleased(pod);
  };
  const stillSucceeded = (before.succeeded ?? []).filter(isTracked);
  const stillFailed = (before.failed ?? []).filter(isTracked);
  const counted = {
    succeeded: (before.succeeded ?? []).length - stillSucceeded.length,
    failed: (before.failed ?? []).length - stillFailed.length,
  };
  const known = new Set([...stillSucceeded, ...stillFailed]);
  const fresh = freshlyEnded(seen, known, UNCOUNTED_MAX - known.size);
  const completed = addIndexes(readIndexes(job.status?.completedIndexes, completions), fresh.completed);
  const ended = { succeeded: [...stillSucceeded, ...fresh.succeeded], failed: [...stillFailed, ...fresh.failed] };
  return {
    succeeded: isIndexed(job) ? lengthOf(completed) : (job.status?.succeeded ?? 0) + counted.succeeded,
    failed: (job.status?.failed ?? 0) + counted.failed,
    completed,
    failedIndexes: withoutIndexes(
      addIndexes(readIndexes(job.status?.failedIndexes, completions), fresh.failedIndexes),
      completed,
    ),
    uncounted: ended,
    release: [...[...known].flatMap((uid) => pods.get(uid) ?? []), ...fresh.release],
    fatal: fresh.fatal,
  };
}

export function isTrackedPod(pod: Pod): boolean {
  return pod.metadata.finalizers?.includes(TRACKING) === true;
}

/** Whether a pod without the finalizer has to get it: one that was adopted, or one that was let go of and has ended since. */
export function lacksTracking(pod: Pod): boolean {
  return !isTrackedPod(pod) && !isPodTerminating(pod) && isPodActive(pod) !== isLetGo(pod);
}

export function isLetGo(pod: Pod): boolean {
  return pod.metadata.annotations?.[LET_GO] !== undefined;
}

export function lengthOf(intervals: readonly IndexInterval[]): number {
  return intervals.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

/** How often the index of a failed pod has failed, this time included where it counts. */
export function failuresOfIndex(job: Job, pod: Pod): number {
  const text = pod.metadata.annotations?.[INDEX_FAILURES] ?? '';
  // What is no count was written by somebody else: it counts as none, and does not make the index fail for ever.
  const before = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return before + (judgeFailure(job.spec.podFailurePolicy, pod).action === 'Ignore' ? 0 : 1);
}

interface Fresh {
  readonly succeeded: string[];
  readonly failed: string[];
  readonly completed: number[];
  readonly failedIndexes: number[];
  readonly release: Pod[];
  fatal: string | undefined;
}

/** Pods that ended, have their finalizer and are on no record. */
function freshlyEnded(seen: JobSeen, known: ReadonlySet<string>, room: number): Fresh {
  const { job } = seen;
  const fresh: Fresh = { succeeded: [], failed: [], completed: [], failedIndexes: [], release: [], fatal: undefined };
  for (const pod of seen.pods) {
    if (fresh.release.length >= room) break;
    const uid = pod.metadata.uid ?? '';
    const outcome = outcomeOf(job, pod);
    if (outcome === undefined || known.has(uid) || !isTrackedPod(pod) || seen.isReleased(pod)) continue;
    const index = isIndexed(job) ? indexOf(pod) : undefined;
    const beyond = isIndexed(job) && (index === undefined || index >= (job.spec.completions ?? 0));
    fresh.release.push(pod);
    if (beyond) continue;
    if (outcome === 'succeeded') {
      fresh.succeeded.push(uid);
      if (index !== undefined) fresh.completed.push(index);
    } else noteFailure(job, { pod, uid, index }, fresh);
  }
  return fresh;
}

function noteFailure(job: Job, of: { pod: Pod; uid: string; index: number | undefined }, fresh: Fresh): void {
  const { action, message } = judgeFailure(job.spec.podFailurePolicy, of.pod);
  if (action === 'FailJob') fresh.fatal ??= message;
  if (action !== 'Ignore') fresh.failed.push(of.uid);
  const { backoffLimitPerIndex } = job.spec;
  if (of.index === undefined || backoffLimitPerIndex === undefined) return;
  const exhausted = failuresOfIndex(job, of.pod) > backoffLimitPerIndex;
  if (action === 'FailIndex' || exhausted) fresh.failedIndexes.push(of.index);
}
