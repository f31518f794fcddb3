import { addQuantities, compareQuantities, formatQuantity, parseQuantity, quantityValue } from '@binnacle/machinery';
import type { CapacityRequestPolicy, CapacityRequestPolicyRange } from '../generated/resource-v1.ts';
import type { FieldPath } from '../validation/path.ts';
import type { Report } from '../validation/report.ts';
import { validateSet } from './bounded.ts';

const VALUES_MAX = 10;

/** How a capacity may be taken in parts. */
export interface Policed {
  readonly policy: CapacityRequestPolicy;
  /** All there is. */
  readonly capacity: string;
}

/** Some values or a range, with a default among them, and nothing above all there is. */
export function validateRequestPolicy({ policy, capacity }: Policed, path: FieldPath, report: Report): void {
  const { validValues: values = [], validRange: range } = policy;
  // Go writes null for none.
  const fallback = policy.default ?? undefined;
  if (values.length > 0 && range !== undefined) {
    const message =
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    return report.forbidden(path, message);
  }
  if (values.length === 0 && range === undefined) return undefined;
  const form = range === undefined ? 'validValues' : 'validRange';
  if (fallback === undefined) return report.required(path.child('default'), `required when ${form} is defined`);
  const here = path.child(form);
  if (range === undefined) return validateValues({ values, capacity, fallback }, here, report);
  return validateRange({ range, capacity, fallback }, here, report);
}

interface Bounds {
  readonly capacity: string;
  readonly fallback: string;
}

function validateValues(of: Bounds & { readonly values: readonly string[] }, path: FieldPath, report: Report): void {
  const { values, capacity, fallback } = of;
  for (const [at, value] of values.slice(1).entries()) {
    if (compareQuantities(values[at] ?? '', value) > 0) {
      report.invalid(path.index(at + 1), value, 'values must be sorted in ascending order');
    }
  }
  const keyOf = (value: string): string => String(quantityValue(value));
  validateSet({ items: values, most: VALUES_MAX, path, keyOf }, report, (value, at) => {
    if (compareQuantities(value, capacity) > 0) {
      report.invalid(at, value, `option is larger than capacity value: ${capacity}`);
    }
  });
  if (!values.slice(0, VALUES_MAX).some((value) => compareQuantities(value, fallback) === 0)) {
    report.invalid(path, fallback, 'default value is not valid according to the requestPolicy');
  }
}

function validateRange(
  of: Bounds & { readonly range: CapacityRequestPolicyRange },
  path: FieldPath,
  report: Report,
): void {
  const { range, capacity, fallback } = of;
  const { min, max, step } = range;
  if (min === undefined) return report.required(path.child('min'), 'required when validRange is defined');
  const above = (value: string, bound: string): boolean => compareQuantities(value, bound) > 0;
  if (above(min, capacity)) report.invalid(path.child('min'), min, `min is larger than capacity value: ${capacity}`);
  if (above(min, fallback)) report.invalid(path.child('min'), fallback, `default is less than min: ${min}`);
  if (max !== undefined) {
    if (above(min, max)) report.invalid(path.child('max'), min, `min is larger than max: ${max}`);
    if (above(max, capacity)) report.invalid(path.child('max'), max, `max is larger than capacity value: ${capacity}`);
    if (above(fallback, max)) report.invalid(path.child('max'), fallback, `default is more than max: ${max}`);
  }
  if (step !== undefined) validateStep({ ...range, min, step, capacity, fallback }, path.child('step'), report);
  return undefined;
}

interface Steps extends Bounds {
  readonly min: string;
  readonly max?: string;
  readonly step: string;
}

function validateStep({ min, max, step, capacity, fallback }: Steps, path: FieldPath, report: Report): void {
  const first = addQuantities(parseQuantity(min), parseQuantity(step));
  if (compareQuantities(first, capacity) > 0) {
    report.invalid(path, step, `one step ${formatQuantity(first)} is larger than capacity value: ${capacity}`);
  }
  const width = quantityValue(step);
  for (const value of [fallback, ...(max === undefined ? [] : [max])]) {
    if (width !== 0 && (quantityValue(value) - quantityValue(min)) % width === 0) continue;
    report.invalid(path, value, `value is not a multiple of a given step (${step}) from (${min})`);
  }
}
