import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import { validateTolerations } from '../../core/pod/validation/placement.ts';
import { validateAmounts } from '../../core/pod/validation/resources.ts';
import { containerResourceNameErrors } from '../../core/resource-names.ts';
import type { RuntimeClass } from '../../generated/node-v1.ts';
import { validateLabels } from '../../validation/labels.ts';
import { fieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';

const SCHEDULING = fieldPath('scheduling');

export function validateRuntimeClass({ handler, overhead, scheduling }: RuntimeClass): FieldError[] {
  const report = new Report();
  report.invalidEach(fieldPath('handler'), handler, names.dnsLabelErrors(handler));
  const limits = overhead?.podFixed;
  if (limits) validateAmounts({ limits }, fieldPath('overhead'), { report, nameErrors: containerResourceNameErrors });
  validateLabels(scheduling?.nodeSelector, SCHEDULING.child('nodeSelector'), report);
  validateTolerations(scheduling?.tolerations ?? [], SCHEDULING.child('tolerations'), report);
  return report.errors;
}

/** Pods run by what the name stood for when they came. */
export function validateRuntimeClassUpdate(given: RuntimeClass, before: RuntimeClass): FieldError[] {
  const report = new Report();
  report.immutable(fieldPath('handler'), given.handler, given.handler === before.handler);
  return report.errors;
}
