import { names } from '@binnacle/machinery';
import type { FieldPath } from '../validation/path.ts';
import type { Report } from '../validation/report.ts';

/** Names an object of some kind in the same namespace, or without one. */
export interface TypedReference {
  readonly apiGroup?: string | null;
  readonly kind: string;
  readonly name: string;
}

export function validateTypedReference(reference: TypedReference, path: FieldPath, report: Report): void {
  const { apiGroup } = reference;
  // Go writes null for the group of the core.
  if (apiGroup !== undefined && apiGroup !== null)
    report.invalidEach(path.child('apiGroup'), apiGroup, names.subdomainErrors(apiGroup));
  for (const field of ['kind', 'name'] as const) {
    const value = reference[field];
    if (value === '') report.required(path.child(field), `${field} is required`);
    else report.invalidEach(path.child(field), value, names.pathSegmentErrors(value));
  }
}
