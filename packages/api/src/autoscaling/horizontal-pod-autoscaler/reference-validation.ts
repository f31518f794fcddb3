import { names } from '@binnacle/machinery';
import type { CrossVersionObjectReference } from '../../generated/autoscaling-v2.ts';
import type { FieldPath } from '../../validation/path.ts';
import type { Report } from '../../validation/report.ts';

/** Names an object of some kind in the same namespace. */
export function validateReference(
  reference: Partial<CrossVersionObjectReference>,
  path: FieldPath,
  report: Report,
): void {
  for (const field of ['kind', 'name'] as const) {
    const value = reference[field];
    if (!value) report.required(path.child(field));
    else report.invalidEach(path.child(field), value, names.pathSegmentErrors(value));
  }
}
