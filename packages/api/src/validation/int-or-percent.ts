import { names, percentage } from '@binnacle/machinery';
import type { IntOrString } from '@binnacle/machinery';
import type { FieldPath } from './path.ts';
import type { Report } from './report.ts';

/** A number that is not negative, or a percentage. */
export function validateIntOrPercent(value: IntOrString, path: FieldPath, report: Report): void {
  if (typeof value === 'number') report.nonNegative(path, value);
  else report.invalidEach(path, value, names.percentErrors(value));
}

/** Of percentages only. */
export function validateAtMostWhole(value: IntOrString, path: FieldPath, report: Report): void {
  if (typeof value === 'string' && (percentage(value) ?? 0) > 100) {
    report.invalid(path, value, 'must not be greater than 100%');
  }
}

/** The number itself, or the number before the percent sign. */
export function amountOf(value: IntOrString): number {
  return typeof value === 'number' ? value : (percentage(value) ?? 0);
}
