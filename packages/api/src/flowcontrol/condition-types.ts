import { fieldPath } from '../validation/path.ts';
import type { Report } from '../validation/report.ts';

/** Conditions have a type each, and another one each. */
export function validateConditionTypes(
  conditions: readonly { readonly type?: string }[] | undefined,
  report: Report,
): void {
  const seen = new Set<string>();
  for (const [at, { type = '' }] of (conditions ?? []).entries()) {
    const path = fieldPath('status', 'conditions').index(at).child('type');
    if (seen.has(type)) report.duplicate(path, type);
    seen.add(type);
    if (type === '') report.required(path, 'must not be empty');
  }
}
