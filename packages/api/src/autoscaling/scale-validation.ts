import type { FieldError } from '@binnacle/machinery';
import type { Scale } from '../generated/autoscaling-v1.ts';
import { fieldPath } from '../validation/path.ts';
import { Report } from '../validation/report.ts';

/** What a client wrote to the subresource `scale`. */
export function validateScale(scale: Scale): FieldError[] {
  const report = new Report();
  report.nonNegative(fieldPath('spec', 'replicas'), scale.spec?.replicas);
  return report.errors;
}
