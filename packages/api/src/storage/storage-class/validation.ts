import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { TopologySelectorTerm } from '../../generated/core-v1.ts';
import type { StorageClass } from '../../generated/storage-v1.ts';
import { isSemanticallyEqual } from '../../validation/equality.ts';
import { validateLabelName } from '../../validation/labels.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateParameters } from '../parameters.ts';

const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];

export function validateStorageClass(given: StorageClass): FieldError[] {
  const report = new Report();
  const { provisioner, parameters, reclaimPolicy, volumeBindingMode: mode } = given;
  if (!provisioner) report.required(fieldPath('provisioner'));
  else report.invalidEach(fieldPath('provisioner'), provisioner, names.qualifiedNameErrors(provisioner.toLowerCase()));
  validateParameters(parameters, fieldPath('parameters'), report);
  if (reclaimPolicy && !RECLAIM_POLICIES.includes(reclaimPolicy)) {
    report.unsupported(fieldPath('reclaimPolicy'), reclaimPolicy, RECLAIM_POLICIES);
  }
  if (mode === undefined) report.required(fieldPath('volumeBindingMode'));
  else if (!BINDING_MODES.includes(mode)) report.unsupported(fieldPath('volumeBindingMode'), mode, BINDING_MODES);
  validateTopologies(given.allowedTopologies ?? [], fieldPath('allowedTopologies'), report);
  return report.errors;
}

/** Volumes were made by a class as it was: what made them stays. */
export function validateStorageClassUpdate(given: StorageClass, before: StorageClass): FieldError[] {
  const report = new Report();
  for (const field of ['parameters', 'provisioner', 'reclaimPolicy'] as const) {
    if (isSemanticallyEqual(`storage.v1.StorageClass.${field}`, given[field], before[field])) continue;
    report.forbidden(fieldPath(field), `updates to ${field} are forbidden.`);
  }
  const mode = given.volumeBindingMode;
  report.immutable(fieldPath('volumeBindingMode'), mode ?? null, mode === before.volumeBindingMode);
  validateTopologies(given.allowedTopologies ?? [], fieldPath('allowedTopologies'), report);
  return report.errors;
}

function validateTopologies(terms: readonly TopologySelectorTerm[], path: FieldPath, report: Report): void {
  const seen = new Set<string>();
  for (const [at, term] of terms.entries()) {
    const here = path.index(at).child('matchLabelExpressions');
    const meaning = validateTerm(term, here, report);
    if (seen.has(meaning)) report.duplicate(here, '');
    seen.add(meaning);
  }
}

/** A text that two terms share when they select the same. */
function validateTerm(term: TopologySelectorTerm, path: FieldPath, report: Report): string {
  const byKey = new Map<string, readonly string[]>();
  for (const [at, expression] of (term.matchLabelExpressions ?? []).entries()) {
    const here = path.index(at);
    const values = expression.values ?? [];
    if (values.length === 0) report.required(here.child('values'));
    const unique = new Set<string>();
    for (const [i, value] of values.entries()) {
      if (unique.has(value)) report.duplicate(here.child('values').index(i), value);
      unique.add(value);
    }
    validateLabelName(expression.key, here.child('key'), report);
    if (byKey.has(expression.key)) report.duplicate(here.child('key'), expression.key);
    byKey.set(expression.key, [...unique].sort());
  }
  return JSON.stringify([...byKey].sort(([a], [b]) => (a < b ? -1 : 1)));
}
