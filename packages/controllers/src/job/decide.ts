import { countIndexes, isPodActive, isPodReady, isPodTerminal, isPodTerminating } from '@binnacle/api';
import type { Job } from '@binnacle/api/batch/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { conditionOf, isIndexed, lengthOf } from './accounting.ts';
import type { Account, JobSeen } from './accounting.ts';
import { endedAtMs, failuresOfIndex, indexOf, lastFailures, replacesFailedOnly } from './index-failures.ts';
import type { IndexFailures } from './index-failures.ts';
import { hasIndex, pendingIndexes, readIndexes } from './indexes.ts';

/** Why a job is about to end. */
export interface Ending {
  readonly type: 'SuccessCriteriaMet' | 'FailureTarget';
  readonly reason: string;
  readonly message: string;
}

/** What one sync does to pods. */
export interface JobPlan {
  /** Pods to make: completion indexes, or as many absent ones as there are pods to make. */
  readonly create: readonly (number | undefined)[];
  /** Pods that are too many: they go without being counted. */
  readonly remove: readonly Pod[];
  /** Nothing is made before so many ms have passed. */
  readonly waitMs: number | undefined;
}

// Upstream's figures: 10 s doubling to 10 minutes; at most 500 pods made, and taken away, in one sync.
const BACKOFF_FIRST_MS = 10_000;
const BACKOFF_MAX_MS = 600_000;
const BURST = 500;

const NONE: ReadonlySet<Pod> = new Set();

/** Complete or Failed: nothing changes any more. */
export function isFinished(job: Job): boolean {
  return conditionOf(job, 'Complete') !== undefined || conditionOf(job, 'Failed') !== undefined;
}

/** Why the job ends; what was decided once holds. Undefined while it goes on. */
export function decideEnding(seen: JobSeen, book: Account): Ending | undefined {
  const { job, nowMs } = seen;
  for (const type of ['FailureTarget', 'SuccessCriteriaMet'] as const) {
    const decided = conditionOf(job, type);
    if (decided !== undefined) return { type, reason: decided.reason ?? '', message: decided.message ?? '' };
  }
  if (book.fatal !== undefined) return failure('PodFailurePolicy', book.fatal);
  const failed = book.failed + book.uncounted.failed.length + book.held;
  if (failed > (job.spec.backoffLimit ?? 6) || restartsExceed(seen)) {
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  const deadline = deadlineMs(job);
  if (deadline !== undefined && nowMs >= deadline) {
    return failure('DeadlineExceeded', 'Job was active longer than specified deadline');
  }
  // Where both hold, as when the last index to end is the one that a rule waited for, upstream calls it failed.
  return decideFailedIndexes(job, book) ?? decideSuccess(seen, book);
}

/** When the job has been active for too long, ms since the epoch. */
export function deadlineMs({ spec, status }: Job): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || status?.startTime === undefined || spec.suspend === true) {
    return undefined;
  }
  return Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000;
}

/** Which pods to make and which to take away so that as many run as should; what is beyond a burst waits for the next sync. */
export function planPods(seen: JobSeen, book: Account): JobPlan {
  const plan = planAllPods(seen, book);
  return plan.remove.length > BURST ? { ...plan, remove: plan.remove.slice(0, BURST) } : plan;
}

function planAllPods(seen: JobSeen, book: Account): JobPlan {
  const { job } = seen;
  const active = seen.pods.filter(isPodActive);
  const none: JobPlan = { create: [], remove: [], waitMs: undefined };
  if (job.metadata.deletionTimestamp !== undefined) return none;
  if (job.spec.suspend === true) return { ...none, remove: active };
  const wrong = isIndexed(job) ? misplaced(seen, book, active) : NONE;
  const surplus = [...wrong];
  const kept = wrong.size === 0 ? active : active.filter((pod) => !wrong.has(pod));
  const wanted = wantedActive(job, book, kept.length);
  if (kept.length > wanted) {
    return { ...none, remove: [...surplus, ...[...kept].sort(leastFirst).slice(0, kept.length - wanted)] };
  }
  const going = replacesFailedOnly(job) ? seen.pods.filter((pod) => isPodTerminating(pod) && !isPodTerminal(pod)) : [];
  const missing = Math.min(Math.max(0, wanted - kept.length - going.length), BURST);
  const removing = { ...none, remove: surplus };
  if (missing === 0) return removing;
  if (job.spec.backoffLimitPerIndex !== undefined && isIndexed(job)) {
    return { ...removing, ...planIndexes(seen, book, { held: [...kept, ...going], missing }) };
  }
  const waitMs = backoffMs(seen);
  if (waitMs > 0) return { ...removing, waitMs };
  if (!isIndexed(job)) return { ...removing, create: Array.from({ length: missing }, () => undefined) };
  return { ...removing, ...planIndexes(seen, book, { held: [...kept, ...going], missing }) };
}

/** Counts for the status. */
export function podCounts(pods: readonly Pod[]): { active: number; ready: number; terminating: number } {
  const counts = { active: 0, ready: 0, terminating: 0 };
  for (const pod of pods) {
    if (isPodActive(pod)) {
      counts.active++;
      if (isPodReady(pod)) counts.ready++;
    } else if (isPodTerminating(pod) && !isPodTerminal(pod)) counts.terminating++;
  }
  return counts;
}

/** How often each index has failed, for the pods that take the places of the failed. */
export function failuresByIndex({ job, pods }: JobSeen): ReadonlyMap<number, IndexFailures> {
  if (job.spec.backoffLimitPerIndex === undefined) return new Map();
  return new Map([...lastFailures(job, pods)].map(([index, pod]) => [index, failuresOfIndex(job, pod)]));
}

function failure(reason: string, message: string): Ending {
  return { type: 'FailureTarget', reason, message };
}

function decideSuccess({ job, pods }: JobSeen, book: Account): Ending | undefined {
  const done = book.succeeded + (isIndexed(job) ? 0 : book.uncounted.succeeded.length);
  const met = { type: 'SuccessCriteriaMet', reason: 'CompletionsReached' } as const;
  const message = 'Reached expected number of succeeded pods';
  if (job.spec.completions === undefined) {
    return done > 0 && !pods.some(isPodActive) ? { ...met, message } : undefined;
  }
  for (const [index, rule] of (job.spec.successPolicy?.rules ?? []).entries()) {
    if (!isIndexed(job) || !meetsRule(job, book, rule)) continue;
    return { type: met.type, reason: 'SuccessPolicy', message: `Matched rules at index ${index}` };
  }
  return done >= job.spec.completions ? { ...met, message } : undefined;
}

function meetsRule(
  job: Job,
  book: Account,
  rule: { readonly succeededIndexes?: string; readonly succeededCount?: number },
): boolean {
  const { succeededIndexes, succeededCount } = rule;
  if (succeededIndexes === undefined) return book.succeeded >= (succeededCount ?? Number.POSITIVE_INFINITY);
  const named = readIndexes(succeededIndexes, job.spec.completions ?? 0);
  let both = 0;
  for (const { first, last } of named) {
    for (const done of book.completed) both += Math.max(0, Math.min(last, done.last) - Math.max(first, done.first) + 1);
  }
  return both >= (succeededCount ?? countIndexes(named));
}

function decideFailedIndexes({ spec }: Job, book: Account): Ending | undefined {
  const failed = lengthOf(book.failedIndexes);
  if (spec.backoffLimitPerIndex === undefined || failed === 0) return undefined;
  if (spec.maxFailedIndexes !== undefined && failed > spec.maxFailedIndexes) {
    const why = 'Job has exceeded the specified maximal number of failed indexes';
    return failure('MaxFailedIndexesExceeded', why);
  }
  const all = book.succeeded + failed >= (spec.completions ?? 0);
  return all ? failure('FailedIndexes', 'Job has failed indexes') : undefined;
}

/** Containers that are restarted in place count against the limit too. */
function restartsExceed({ job, pods }: JobSeen): boolean {
  if (job.spec.template.spec.restartPolicy !== 'OnFailure') return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== 'Running' && status?.phase !== 'Pending') continue;
    for (const one of status.initContainerStatuses ?? []) restarts += one.restartCount;
    for (const one of status.containerStatuses ?? []) restarts += one.restartCount;
  }
  const limit = job.spec.backoffLimit ?? 6;
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function wantedActive({ spec }: Job, book: Account, active: number): number {
  const parallelism = spec.parallelism ?? 1;
  const done = book.succeeded + (spec.completionMode === 'Indexed' ? 0 : book.uncounted.succeeded.length);
  // Without completions one success means that there is no work left: who runs may end, however few may run; nobody new begins.
  if (spec.completions === undefined) return done > 0 ? active : parallelism;
  const left = spec.completions - done - lengthOf(book.failedIndexes);
  return Math.max(0, Math.min(parallelism, left));
}

/** Active pods of indexes that are done, beyond the completions, or held by another pod that has come further. */
function misplaced({ job }: JobSeen, book: Account, active: readonly Pod[]): ReadonlySet<Pod> {
  const holders = new Map<number, Pod>();
  const wrong = new Set<Pod>();
  for (const pod of active) {
    const index = indexOf(pod);
    if (index === undefined || index >= (job.spec.completions ?? 0)) wrong.add(pod);
    else if (hasIndex(book.completed, index) || hasIndex(book.failedIndexes, index)) wrong.add(pod);
    else {
      const other = holders.get(index);
      const keep = other === undefined || leastFirst(other, pod) < 0 ? pod : other;
      holders.set(index, keep);
      if (other !== undefined) wrong.add(keep === pod ? other : pod);
    }
  }
  return wrong;
}

function planIndexes(
  seen: JobSeen,
  book: Account,
  of: { readonly held: readonly Pod[]; readonly missing: number },
): Pick<JobPlan, 'create' | 'waitMs'> {
  const completions = seen.job.spec.completions ?? 0;
  const taken = new Set(of.held.flatMap((pod) => indexOf(pod) ?? []));
  let waitMs: number | undefined;
  if (seen.job.spec.backoffLimitPerIndex !== undefined) {
    for (const [index, pod] of lastFailures(seen.job, seen.pods)) {
      const { counted, ignored } = failuresOfIndex(seen.job, pod);
      const wait = remainingMs(seen, { failures: counted + ignored, lastMs: endedAtMs(pod) });
      if (wait === 0 || taken.has(index)) continue;
      taken.add(index);
      waitMs = Math.min(wait, waitMs ?? wait);
    }
  }
  const create = pendingIndexes([book.completed, book.failedIndexes], taken, { completions, count: of.missing });
  return { create, waitMs };
}

/** How long to wait after failures since the last success, ms. */
function backoffMs(seen: JobSeen): number {
  const lastMs = seen.failedAtMs.at(-1);
  return lastMs === undefined ? 0 : remainingMs(seen, { failures: seen.failedAtMs.length, lastMs });
}

/** What is left of the back-off after so many failures, ms. */
function remainingMs({ nowMs }: JobSeen, of: { readonly failures: number; readonly lastMs: number }): number {
  return Math.max(0, of.lastMs + Math.min(BACKOFF_FIRST_MS * 2 ** (of.failures - 1), BACKOFF_MAX_MS) - nowMs);
}

/** Who has done least goes first: not bound, then pending, then not ready, then the youngest. */
function leastFirst(a: Pod, b: Pod): number {
  const rank = (pod: Pod): number => {
    if ((pod.spec.nodeName ?? '') === '') return 0;
    if (pod.status?.phase !== 'Running') return 1;
    return isPodReady(pod) ? 3 : 2;
  };
  const age = ({ metadata }: Pod): string => `${metadata.creationTimestamp ?? ''} ${metadata.name ?? ''}`;
  return rank(a) - rank(b) || (age(a) > age(b) ? -1 : 1);
}
