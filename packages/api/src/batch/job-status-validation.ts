import type { FieldError } from '@binnacle/machinery';
import type { Job, JobStatus } from '../generated/batch-v1.ts';
import { fieldPath } from '../validation/path.ts';
import type { FieldPath } from '../validation/path.ts';
import { Report } from '../validation/report.ts';
import { overlapOf, parseIndexes } from './index-intervals.ts';

const STATUS = fieldPath('status');
const CONDITIONS = STATUS.child('conditions');

/** A change of a job's status: how far it is, and that what is finished stays finished. */
export function validateJobStatusUpdate(job: Job, before: Job): FieldError[] {
  const report = new Report();
  const status = job.status ?? {};
  const old = before.status ?? {};
  validateCounts(status, report);
  validateConditions(status, report);
  validateTimes(status, report);
  if (isTrue(status, 'Complete') || isTrue(status, 'Failed')) validateFinished(job, status, report);
  validateIndexes(job, { status, old }, report);
  if ((status.ready ?? 0) > (status.active ?? 0)) {
    report.invalid(STATUS.child('ready'), status.ready, 'cannot set more ready pods than active');
  }
  const needsCriteria = job.spec.successPolicy && isTrue(status, 'Complete') && !isTrue(status, 'SuccessCriteriaMet');
  if (needsCriteria) {
    const detail = 'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True';
    report.invalidWithoutValue(CONDITIONS, detail);
  }
  validateProgress(job, { status, old }, report);
  return report.errors;
}

type Condition = 'Complete' | 'Failed' | 'FailureTarget' | 'SuccessCriteriaMet';

function isTrue(status: JobStatus, type: Condition): boolean {
  return status.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
}

const COUNTS = ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const;

function validateCounts(status: JobStatus, report: Report): void {
  for (const count of COUNTS) report.nonNegative(STATUS.child(count), status[count]);
  const seen = new Set<string>();
  for (const list of ['succeeded', 'failed'] as const) {
    const path = STATUS.child('uncountedTerminatedPods').child(list);
    for (const [at, uid] of (status.uncountedTerminatedPods?.[list] ?? []).entries()) {
      if (uid === '') report.invalid(path.index(at), uid, 'must not be empty');
      else if (seen.has(uid)) report.duplicate(path.index(at), uid);
      seen.add(uid);
    }
  }
}

/** Conditions that exclude or need each other. */
function validateConditions(status: JobStatus, report: Report): void {
  const refuse = (isWrong: boolean, detail: string): void => {
    if (isWrong) report.invalidWithoutValue(CONDITIONS, detail);
  };
  const complete = isTrue(status, 'Complete');
  const failed = isTrue(status, 'Failed');
  const failing = isTrue(status, 'FailureTarget');
  const met = isTrue(status, 'SuccessCriteriaMet');
  refuse(complete && failed, 'cannot set Complete=True and Failed=true conditions');
  refuse(complete && failing, 'cannot set Complete=True and FailureTarget=true conditions');
  refuse(failed && !failing, 'cannot set Failed=True condition without the FailureTarget=true condition');
  refuse(complete && !met, 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition');
  refuse(met && failed, 'cannot set SuccessCriteriaMet=True and Failed=true conditions');
  refuse(met && failing, 'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
}

function validateTimes(status: JobStatus, report: Report): void {
  const { startTime, completionTime } = status;
  const path = STATUS.child('completionTime');
  const complete = isTrue(status, 'Complete');
  if (completionTime !== undefined && !complete) {
    const detail = 'cannot set completionTime when there is no Complete=True condition';
    report.invalid(path, completionTime, detail);
  }
  if (completionTime === undefined && complete) {
    report.required(path, 'completionTime is required for Complete jobs');
  }
  if (startTime !== undefined && completionTime !== undefined && Date.parse(completionTime) < Date.parse(startTime)) {
    report.invalid(path, completionTime, 'completionTime cannot be set before startTime');
  }
}

function validateFinished({ spec }: Job, status: JobStatus, report: Report): void {
  const { active = 0, terminating = 0, startTime, uncountedTerminatedPods: uncounted } = status;
  if (active > 0) report.invalid(STATUS.child('active'), active, 'active>0 is invalid for finished job');
  // What nobody is to do needs no start.
  const isIdle = spec.suspend === true && spec.completions === 0;
  if (startTime === undefined && !isIdle) {
    report.required(STATUS.child('startTime'), 'startTime is required for finished job');
  }
  if (uncounted?.failed?.length || uncounted?.succeeded?.length) {
    const detail = 'uncountedTerminatedPods needs to be empty for finished job';
    report.invalid(STATUS.child('uncountedTerminatedPods'), uncounted, detail);
  }
  if (terminating > 0) {
    report.invalid(STATUS.child('terminating'), terminating, 'terminating>0 is invalid for finished job');
  }
}

/** A status, and the one before. */
interface StatusChange {
  readonly status: JobStatus;
  readonly old: JobStatus;
}

/** What stays as it was is not judged anew: there may be fewer completions by now. */
function validateIndexes({ spec }: Job, { status, old }: StatusChange, report: Report): void {
  const { completedIndexes: completed = '', failedIndexes: failed } = status;
  const completedPath = STATUS.child('completedIndexes');
  const failedPath = STATUS.child('failedIndexes');
  const { completions } = spec;
  const isCompletedNew = completed !== (old.completedIndexes ?? '');
  const isFailedNew = failed !== old.failedIndexes;
  if (completions !== undefined) {
    if (isCompletedNew)
      reportIndexes({ text: completed, completions, name: 'completedIndexes' }, completedPath, report);
    if (isFailedNew && spec.backoffLimitPerIndex !== undefined && failed !== undefined) {
      reportIndexes({ text: failed, completions, name: 'failedIndexes' }, failedPath, report);
    }
  }
  if (isCompletedNew && completed !== '' && spec.completionMode !== 'Indexed') {
    const detail = 'cannot set non-empty completedIndexes when non-indexed completion mode';
    report.invalid(completedPath, completed, detail);
  }
  if (failed === undefined) return;
  if (isFailedNew && spec.backoffLimitPerIndex === undefined) {
    report.invalid(failedPath, failed, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null');
  }
  if (!isCompletedNew && !isFailedNew) return;
  const overlap = completions === undefined ? undefined : overlapAt(completed, failed, completions);
  if (overlap === undefined) return;
  report.invalid(failedPath, failed, `failedIndexes and completedIndexes overlap at index: ${overlap}`);
}

function reportIndexes(
  given: { readonly text: string; readonly completions: number; readonly name: string },
  path: FieldPath,
  report: Report,
): void {
  const parsed = parseIndexes(given.text, given.completions);
  if ('error' in parsed) report.invalid(path, given.text, `error parsing ${given.name}: ${parsed.error}`);
}

function overlapAt(completed: string, failed: string, completions: number): number | undefined {
  const a = parseIndexes(completed, completions);
  const b = parseIndexes(failed, completions);
  return 'error' in a || 'error' in b ? undefined : overlapOf(a.intervals, b.intervals);
}

/** Counters only rise, terminal conditions stay, times are set once. */
function validateProgress({ spec }: Job, { status, old }: StatusChange, report: Report): void {
  for (const type of ['Failed', 'Complete', 'FailureTarget'] as const) {
    if (!isTrue(old, type) || isTrue(status, type)) continue;
    report.invalidWithoutValue(CONDITIONS, `cannot disable the terminal ${type}=True condition`);
  }
  // A job whose indexes can be taken away loses those that have succeeded with them.
  const isElastic = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  for (const count of isElastic ? (['failed'] as const) : (['failed', 'succeeded'] as const)) {
    const value = status[count] ?? 0;
    if (value < (old[count] ?? 0)) report.invalid(STATUS.child(count), value, `cannot decrease the ${count} counter`);
  }
  const { startTime, completionTime } = status;
  if (completionTime !== undefined && old.completionTime !== undefined && completionTime !== old.completionTime) {
    report.invalid(STATUS.child('completionTime'), completionTime, 'completionTime cannot be mutated');
  }
  if (old.startTime !== undefined && old.startTime !== startTime && spec.suspend !== true) {
    report.required(STATUS.child('startTime'), 'startTime cannot be removed for unsuspended job');
  }
  const wasMet = isTrue(old, 'SuccessCriteriaMet');
  const isMet = isTrue(status, 'SuccessCriteriaMet');
  if (wasMet && !isMet) {
    report.invalidWithoutValue(CONDITIONS, 'cannot disable the SuccessCriteriaMet=True condition');
  }
  if (isTrue(old, 'Complete') && !wasMet && isMet) {
    const detail = 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions';
    report.invalidWithoutValue(CONDITIONS, detail);
  }
}
