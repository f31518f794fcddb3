import type { FieldError } from '@binnacle/machinery';
import type { ControllerRevision } from '../../generated/apps-v1.ts';
import { isSemanticallyEqual } from '../../validation/equality.ts';
import { fieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';

export function validateControllerRevision(revision: ControllerRevision): FieldError[] {
  const report = new Report();
  if (!revision.data) report.required(fieldPath('data'), 'data is mandatory');
  report.nonNegative(fieldPath('revision'), revision.revision);
  return report.errors;
}

/** History is not rewritten. */
export function validateControllerRevisionUpdate(
  revision: ControllerRevision,
  before: ControllerRevision,
): FieldError[] {
  const report = new Report();
  report.addAll(validateControllerRevision(revision));
  const isSame = isSemanticallyEqual('apps.v1.ControllerRevision.data', revision.data, before.data);
  report.immutable(fieldPath('data'), revision.data ?? null, isSame);
  return report.errors;
}
