import { names } from '@binnacle/machinery';
import type { JobSpec } from '../generated/batch-v1.ts';
import { validateDomainPath } from '../validation/domain-path.ts';
import type { FieldPath } from '../validation/path.ts';
import type { Report } from '../validation/report.ts';

/** Keeps the texts of completed and failed indexes in a status short. */
const PARALLELISM_MAX = 100_000;
const FAILED_INDEXES_MAX = 100_000;
const COMPLETIONS_SOFT_MAX = 100_000;
const HIGH_PARALLELISM_MAX = 10_000;
const HIGH_FAILED_INDEXES_MAX = 10_000;
const MANAGER_MAX = 63;

const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const;

/** Numbers of any job, and who manages it. */
export function validateJobCounts(spec: JobSpec, path: FieldPath, report: Report): void {
  for (const count of COUNTS) report.nonNegative(path.child(count), spec[count]);
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    report.required(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified');
  }
  if (spec.managedBy === undefined) return;
  validateDomainPath(spec.managedBy, path.child('managedBy'), report);
  if (names.byteLength(spec.managedBy) > MANAGER_MAX) report.tooLong(path.child('managedBy'), MANAGER_MAX);
}

/** Numbers that depend on whether the pods are counted by index. */
export function validateIndexedCounts(spec: JobSpec, path: FieldPath, report: Report): void {
  const mode = spec.completionMode;
  if (mode !== undefined && mode !== 'NonIndexed' && mode !== 'Indexed') {
    report.unsupported(path.child('completionMode'), mode, ['NonIndexed', 'Indexed']);
  }
  if (mode === 'Indexed') validateIndexed(spec, path, report);
  else if (mode === undefined || mode === 'NonIndexed') {
    for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const) {
      if (spec[field] !== undefined) report.invalid(path.child(field), spec[field], 'requires indexed completion mode');
    }
  }
}

function validateIndexed(spec: JobSpec, path: FieldPath, report: Report): void {
  const { completions, parallelism = 0, maxFailedIndexes = 0 } = spec;
  const failedPath = path.child('maxFailedIndexes');
  if (completions === undefined) report.required(path.child('completions'), 'when completion mode is Indexed');
  if (parallelism > PARALLELISM_MAX) {
    const detail = `must be less than or equal to ${PARALLELISM_MAX} when completion mode is Indexed`;
    report.invalid(path.child('parallelism'), parallelism, detail);
  }
  if (completions !== undefined && maxFailedIndexes > completions) {
    report.invalid(failedPath, maxFailedIndexes, 'must be less than or equal to completions');
  }
  if (maxFailedIndexes > FAILED_INDEXES_MAX) {
    report.invalid(failedPath, maxFailedIndexes, `must be less than or equal to ${FAILED_INDEXES_MAX}`);
  }
  if ((completions ?? 0) > COMPLETIONS_SOFT_MAX && spec.backoffLimitPerIndex !== undefined) {
    validateMany(spec, path, report);
  }
}

function validateMany(spec: JobSpec, path: FieldPath, report: Report): void {
  const { parallelism = 0, maxFailedIndexes } = spec;
  const failedPath = path.child('maxFailedIndexes');
  const atMost = (count: number): string =>
    `must be less than or equal to ${count} when completions are above ${COMPLETIONS_SOFT_MAX} and used with backoff limit per index`;
  if (maxFailedIndexes === undefined) {
    report.required(failedPath, `must be specified when completions is above ${COMPLETIONS_SOFT_MAX}`);
  }
  if (parallelism > HIGH_PARALLELISM_MAX) {
    report.invalid(path.child('parallelism'), parallelism, atMost(HIGH_PARALLELISM_MAX));
  }
  if ((maxFailedIndexes ?? 0) > HIGH_FAILED_INDEXES_MAX) {
    report.invalid(failedPath, maxFailedIndexes, atMost(HIGH_FAILED_INDEXES_MAX));
  }
}
