import type { FieldError } from '@binnacle/machinery';
import type { VolumeAttributesClass } from '../../generated/storage-v1.ts';
import { isSemanticallyEqual } from '../../validation/equality.ts';
import { fieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateDriverName } from '../driver-name.ts';
import { validateParameters } from '../parameters.ts';

export function validateVolumeAttributesClass({ driverName, parameters }: VolumeAttributesClass): FieldError[] {
  const report = new Report();
  validateDriverName(driverName, fieldPath('driverName'), report);
  if (Object.keys(parameters ?? {}).length === 0) {
    report.required(fieldPath('parameters'), 'must contain at least one key/value pair');
  }
  validateParameters(parameters, fieldPath('parameters'), report);
  return report.errors;
}

export function validateVolumeAttributesClassUpdate(
  given: VolumeAttributesClass,
  before: VolumeAttributesClass,
): FieldError[] {
  const report = new Report();
  for (const field of ['driverName', 'parameters'] as const) {
    if (isSemanticallyEqual(`storage.v1.VolumeAttributesClass.${field}`, given[field], before[field])) continue;
    report.forbidden(fieldPath(field), `updates to ${field} are forbidden.`);
  }
  return report.errors;
}
