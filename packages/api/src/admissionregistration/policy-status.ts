import type { FieldError } from '@binnacle/machinery';
import type { ValidatingAdmissionPolicy } from '../generated/admissionregistration-v1.ts';
import { validateConditions } from '../validation/conditions.ts';
import { fieldPath } from '../validation/path.ts';
import { Report } from '../validation/report.ts';

const STATUS = fieldPath('status');

/** What is wrong with the status of an admission policy: warnings about its types, and its conditions. */
export function validatePolicyStatusUpdate({ status }: ValidatingAdmissionPolicy): FieldError[] {
  const report = new Report();
  const warnings = STATUS.child('typeChecking').child('expressionWarnings');
  for (const [at, { fieldRef, warning }] of (status?.typeChecking?.expressionWarnings ?? []).entries()) {
    const here = warnings.index(at);
    if (warning === '') report.required(here.child('warning'));
    if (fieldRef === '') report.required(here.child('fieldRef'));
  }
  validateConditions(status?.conditions, STATUS.child('conditions'), report);
  return report.errors;
}
