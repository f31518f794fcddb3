import { isPodActive, isPodTerminating, JOBS } from '@binnacle/api';
import type { IndexInterval } from '@binnacle/api';
import type { Job, JobCondition, PodFailurePolicyAction } from '@binnacle/api/batch/v1';
import type { Pod } from '@binnacle/api/core/v1';
import type { OwnerReference } from '@binnacle/machinery';
import { judgeFailure } from './failure-policy.ts';
import { activeIndexes, failuresOfIndex, indexOf, lastFailures, outcomeOf } from './index-failures.ts';
import { addIndexes, hasIndex, readIndexes, withoutIndexes } from './indexes.ts';

/** The finalizer that keeps a pod until it is counted. */
export const TRACKING = 'batch.kubernetes.io/job-tracking';
/**
 * Put on a pod that is too many with the write that takes its finalizer, before it is deleted: one that has this and is not
 * going was counted by nobody, even if it has ended.
 */
export const LET_GO = 'batch.binnacle.dev/let-go';
/** A status names at most this many pods that are not counted yet. */
const UNCOUNTED_MAX = 500;

/** A job and all of its pods. */
export interface JobSeen {
  readonly job: Job;
  readonly pods: readonly Pod[];
  /** Whether the cache still shows a finalizer that was taken away already. */
  readonly isReleased: (pod: Pod) => boolean;
  /** When its pods failed since the last success, rising; as many as a wait can tell apart, also of pods that are gone. */
  readonly failedAtMs: readonly number[];
  readonly nowMs: number;
}

/** The book of a job: what is counted, what is about to be. */
export interface Account {
  readonly succeeded: number;
  readonly failed: number;
  readonly completed: readonly IndexInterval[];
  readonly failedIndexes: readonly IndexInterval[];
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  /** How many more failed that are on no record yet: their replacements are to learn from them. */
  readonly held: number;
  /** Pods whose finalizer may go once the uncounted are on record. */
  readonly release: readonly Pod[];
  /** Set by the first failed pod that the policy calls fatal. */
  readonly fatal: string | undefined;
  /** What rules of the policy said of failed pods that were on no record yet. */
  readonly judged: readonly PodFailurePolicyAction[];
}

export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === 'Indexed';
}

export function conditionOf(job: Job, type: string): JobCondition | undefined {
  return job.status?.conditions?.find((one) => one.type === type && one.status === 'True');
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
    held: fresh.held,
    release: [...[...known].flatMap((uid) => pods.get(uid) ?? []), ...fresh.release],
    fatal: fresh.fatal,
    judged: fresh.judged,
  };
}

/** Whether an owner is a Job of ours: other groups have a kind of that name, and may keep their pods with the same finalizer. */
export function isJob({ apiVersion, kind }: Pick<OwnerReference, 'apiVersion' | 'kind'>): boolean {
  return kind === JOBS.kind && apiVersion === `${JOBS.group}/${JOBS.version}`;
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

interface Fresh {
  readonly succeeded: string[];
  readonly failed: string[];
  readonly completed: number[];
  readonly failedIndexes: number[];
  readonly release: Pod[];
  readonly judged: PodFailurePolicyAction[];
  fatal: string | undefined;
  held: number;
}

/** Pods that ended, have their finalizer and are on no record. */
function freshlyEnded(seen: JobSeen, known: ReadonlySet<string>, room: number): Fresh {
  const { job } = seen;
  const fresh: Fresh = {
    ...{ succeeded: [], failed: [], completed: [], failedIndexes: [], release: [], judged: [] },
    ...{ fatal: undefined, held: 0 },
  };
  const isFresh = (pod: Pod): boolean =>
    !known.has(pod.metadata.uid ?? '') && isTrackedPod(pod) && !seen.isReleased(pod);
  const ending = endingOf(job);
  const awaited = ending === undefined ? awaitedFailures(seen, isFresh) : NOBODY;
  for (const pod of seen.pods) {
    if (fresh.release.length >= room) break;
    const uid = pod.metadata.uid ?? '';
    // Who is ended with the job has no end of its own to wait for: there may be no kubelet that ever tells of one.
    const isEnded = ending !== undefined && isPodTerminating(pod) && pod.status?.phase !== 'Succeeded';
    const outcome = isEnded ? 'failed' : outcomeOf(job, pod);
    if (outcome === undefined || !isFresh(pod)) continue;
    const index = isIndexed(job) ? indexOf(pod) : undefined;
    const beyond = isIndexed(job) && (index === undefined || index >= (job.spec.completions ?? 0));
    if (awaited.has(pod)) {
      const { action, message } = judgeFailure(job.spec.podFailurePolicy, pod);
      if (action !== 'Ignore') fresh.held++;
      if (action === 'FailJob') fresh.fatal ??= message;
      continue;
    }
    fresh.release.push(pod);
    // What the job's success ends is no failure.
    if (beyond || (isEnded && ending === 'SuccessCriteriaMet')) continue;
    if (outcome === 'succeeded') {
      fresh.succeeded.push(uid);
      if (index !== undefined) fresh.completed.push(index);
    } else noteFailure(job, { pod, uid, index: isEnded ? undefined : index }, fresh);
  }
  return fresh;
}

const NOBODY: ReadonlySet<Pod> = new Set();

/** How the job is ending, as its status says already. */
function endingOf(job: Job): 'FailureTarget' | 'SuccessCriteriaMet' | undefined {
  return (['FailureTarget', 'SuccessCriteriaMet'] as const).find((type) => conditionOf(job, type) !== undefined);
}

/**
 * With limits per index the last failed pod of each keeps its finalizer until another takes its place: that one is to know
 * how often the index failed, and whoever deletes the failed pod meanwhile (a drain does) would take that along.
 */
function awaitedFailures({ job, pods }: JobSeen, isFresh: (pod: Pod) => boolean): ReadonlySet<Pod> {
  const { backoffLimitPerIndex, completions = 0 } = job.spec;
  if (backoffLimitPerIndex === undefined || !isIndexed(job) || job.metadata.deletionTimestamp !== undefined) {
    return NOBODY;
  }
  const last = lastFailures(job, pods.filter(isFresh));
  if (last.size === 0) return NOBODY;
  const active = activeIndexes(pods);
  const completed = readIndexes(job.status?.completedIndexes, completions);
  const failed = readIndexes(job.status?.failedIndexes, completions);
  const done = new Set(pods.flatMap((pod) => (outcomeOf(job, pod) === 'succeeded' ? (indexOf(pod) ?? []) : [])));
  const awaited = new Set<Pod>();
  for (const [index, pod] of last) {
    if (active.has(index) || done.has(index) || failsIndex(job, pod)) continue;
    if (!hasIndex(completed, index) && !hasIndex(failed, index)) awaited.add(pod);
  }
  return awaited;
}

/** Whether the index of a failed pod has failed for good. */
function failsIndex(job: Job, pod: Pod): boolean {
  const { backoffLimitPerIndex = Infinity, podFailurePolicy } = job.spec;
  const { action } = judgeFailure(podFailurePolicy, pod);
  return action === 'FailIndex' || (action !== 'Ignore' && failuresOfIndex(job, pod).counted > backoffLimitPerIndex);
}

function noteFailure(job: Job, of: { pod: Pod; uid: string; index: number | undefined }, fresh: Fresh): void {
  const { action, message } = judgeFailure(job.spec.podFailurePolicy, of.pod);
  // Without a message no rule fitted.
  if (message !== '') fresh.judged.push(action);
  if (action === 'FailJob') fresh.fatal ??= message;
  if (action !== 'Ignore') fresh.failed.push(of.uid);
  if (of.index === undefined || job.spec.backoffLimitPerIndex === undefined) return;
  if (failsIndex(job, of.pod)) fresh.failedIndexes.push(of.index);
}
