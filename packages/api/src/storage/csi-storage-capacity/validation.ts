import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { CSIStorageCapacity } from '../../generated/storage-v1.ts';
import { isSemanticallyEqual } from '../../validation/equality.ts';
import { validateLabelSelector } from '../../validation/labels.ts';
import { isNegativeAmount } from '../../validation/numbers.ts';
import { fieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';

export function validateCsiStorageCapacity(capacity: CSIStorageCapacity): FieldError[] {
  const report = new Report();
  const name = capacity.storageClassName;
  report.invalidEach(fieldPath('storageClassName'), name, names.subdomainErrors(name));
  validateLabelSelector(capacity.nodeTopology, fieldPath('nodeTopology'), report);
  for (const field of ['capacity', 'maximumVolumeSize'] as const) {
    const amount = capacity[field];
    if (amount === undefined || !isNegativeAmount(amount)) continue;
    report.invalid(fieldPath(field), amount, 'must be greater than or equal to 0');
  }
  return report.errors;
}

/** What the capacity is of stays; how much there is does not. */
export function validateCsiStorageCapacityUpdate(now: CSIStorageCapacity, before: CSIStorageCapacity): FieldError[] {
  const report = new Report();
  for (const field of ['nodeTopology', 'storageClassName'] as const) {
    const isSame = isSemanticallyEqual(`storage.v1.CSIStorageCapacity.${field}`, now[field], before[field]);
    report.immutable(fieldPath(field), now[field] ?? null, isSame);
  }
  return report.errors;
}
