import { memberOf, names, quantityMilliValue } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { LimitRange, LimitRangeItem } from '../../generated/core-v1.ts';
import { compareAmounts } from '../../validation/numbers.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { containerResourceNameErrors, isOvercommitAllowed, resourceNameErrors } from '../resource-names.ts';

const LIMITS = fieldPath('spec', 'limits');
const TYPES = ['Container', 'PersistentVolumeClaim', 'Pod'];
const BOUNDS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

/** New or changed. */
export function validateLimitRange({ spec }: LimitRange): FieldError[] {
  const report = new Report();
  const seen = new Set<string>();
  for (const [at, item] of (spec?.limits ?? []).entries()) {
    const path = LIMITS.index(at);
    validateType(item.type, path.child('type'), report);
    if (seen.has(item.type)) report.duplicate(path.child('type'), item.type);
    seen.add(item.type);
    validateItem(item, path, report);
  }
  return report.errors;
}

function validateType(type: string, path: FieldPath, report: Report): void {
  const errors = names.qualifiedNameErrors(type);
  report.invalidEach(path, type, errors);
  if (errors.length > 0 || type.includes('/') || TYPES.includes(type)) return;
  report.invalid(path, type, 'must be a standard limit type or fully qualified');
}

function validateItem(item: LimitRangeItem, path: FieldPath, report: Report): void {
  const isPod = item.type === 'Pod';
  const nameErrors = isPod || item.type === 'Container' ? containerResourceNameErrors : resourceNameErrors;
  const resources = new Set<string>();
  for (const bound of BOUNDS) {
    const amounts = Object.keys(item[bound] ?? {});
    if (isPod && amounts.length > 0 && (bound === 'default' || bound === 'defaultRequest')) {
      report.forbidden(path.child(bound), "may not be specified when `type` is 'Pod'");
      continue;
    }
    for (const name of amounts) {
      report.invalidEach(path.child(bound).key(name), name, nameErrors(name));
      resources.add(name);
    }
  }
  const hasStorage = item.min?.['storage'] !== undefined || item.max?.['storage'] !== undefined;
  if (item.type === 'PersistentVolumeClaim' && !hasStorage) {
    const detail = 'either minimum or maximum storage value is required, but neither was provided';
    report.required(path.child('limits'), detail);
  }
  for (const name of resources) validateBounds({ item, name }, path, report);
}

interface BoundsOf {
  readonly item: LimitRangeItem;
  readonly name: string;
}

function amountIn(amounts: { readonly [name: string]: string } | undefined, name: string): string | undefined {
  return amounts && memberOf(amounts, name);
}

function isMore(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && compareAmounts(a, b) > 0;
}

/** min ≤ defaultRequest ≤ default ≤ max */
function validateBounds({ item, name }: BoundsOf, path: FieldPath, report: Report): void {
  const isPod = item.type === 'Pod';
  const min = amountIn(item.min, name);
  const max = amountIn(item.max, name);
  const limit = isPod ? undefined : amountIn(item.default, name);
  const request = isPod ? undefined : amountIn(item.defaultRequest, name);
  const at = (bound: keyof LimitRangeItem): FieldPath => path.child(bound).key(name);
  if (isMore(min, max)) report.invalid(at('min'), min, `min value ${min} is greater than max value ${max}`);
  if (isMore(min, request)) {
    report.invalid(at('defaultRequest'), request, `min value ${min} is greater than default request value ${request}`);
  }
  if (isMore(request, max)) {
    report.invalid(at('defaultRequest'), request, `default request value ${request} is greater than max value ${max}`);
  }
  if (isMore(request, limit)) {
    const detail = `default request value ${request} is greater than default limit value ${limit}`;
    report.invalid(at('defaultRequest'), request, detail);
  }
  if (isMore(min, limit)) {
    report.invalid(at('default'), min, `min value ${min} is greater than default value ${limit}`);
  }
  if (isMore(limit, max)) {
    report.invalid(at('default'), max, `default value ${limit} is greater than max value ${max}`);
  }
  validateRatio({ item, name }, at('maxLimitRequestRatio'), report);
  const isSplit = limit !== undefined && request !== undefined && compareAmounts(limit, request) !== 0;
  if (isSplit && !isOvercommitAllowed(name)) {
    const detail = `default value ${limit} must equal to defaultRequest value ${request} in ${name}`;
    report.invalid(at('defaultRequest'), request, detail);
  }
}

function validateRatio({ item, name }: BoundsOf, path: FieldPath, report: Report): void {
  const ratio = amountIn(item.maxLimitRequestRatio, name);
  if (ratio === undefined) return;
  if (compareAmounts(ratio, '1') < 0) report.invalid(path, ratio, `ratio ${ratio} is less than 1`);
  const min = amountIn(item.min, name);
  const max = amountIn(item.max, name);
  if (min === undefined || max === undefined) return;
  const most = quantityMilliValue(max) / quantityMilliValue(min);
  if (quantityMilliValue(ratio) / 1000 <= most) return;
  report.invalid(path, ratio, `ratio ${ratio} is greater than max/min = ${most.toFixed(6)}`);
}
