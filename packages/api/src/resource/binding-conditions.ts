import { validateLabelName } from '../validation/labels.ts';
import type { FieldPath } from '../validation/path.ts';
import type { Report } from '../validation/report.ts';
import { validateList } from './bounded.ts';

const EACH_MAX = 4;

/** What has to be true, and what must not become true, before a pod is bound to a device. */
export interface BindingConditions {
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
}

/** Both or none of them, each name once. */
export function validateBindingConditions(given: BindingConditions, path: FieldPath, report: Report): void {
  const { bindingConditions: wanted = [], bindingFailureConditions: failures = [] } = given;
  const [good, bad] = [path.child('bindingConditions'), path.child('bindingFailureConditions')];
  validateList({ items: wanted, most: EACH_MAX, path: good }, report, (name, at) =>
    validateLabelName(name, at, report),
  );
  validateList({ items: failures, most: EACH_MAX, path: bad }, report, (name, at) =>
    validateLabelName(name, at, report),
  );
  refuseTwice(wanted, good, report);
  refuseTwice(failures, bad, report);
  for (const [at, name] of failures.entries()) {
    if (!wanted.includes(name)) continue;
    report.invalid(bad.index(at), name, 'bindingFailureConditions must not overlap with bindingConditions');
  }
  if (wanted.length === 0 && failures.length > 0) {
    report.invalid(good, wanted, 'bindingConditions are required to use bindingFailureConditions');
  }
  if (failures.length === 0 && wanted.length > 0) {
    report.invalid(bad, failures, 'bindingFailureConditions are required to use bindingConditions');
  }
}

function refuseTwice(items: readonly string[], path: FieldPath, report: Report): void {
  const seen = new Set<string>();
  for (const [at, item] of items.slice(0, EACH_MAX).entries()) {
    if (seen.has(item)) report.duplicate(path.index(at), item);
    seen.add(item);
  }
}
