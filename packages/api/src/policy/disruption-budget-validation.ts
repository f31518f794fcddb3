import type { FieldError } from '@binnacle/machinery';
import type { PodDisruptionBudget } from '../generated/policy-v1.ts';
import { validateAtMostWhole, validateIntOrPercent } from '../validation/int-or-percent.ts';
import { validateLabelSelector } from '../validation/labels.ts';
import { fieldPath } from '../validation/path.ts';
import { Report } from '../validation/report.ts';

const SPEC = fieldPath('spec');
const STATUS = fieldPath('status');
const POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];
const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;

/** New or changed: everything about a budget may change. */
export function validateDisruptionBudget({ spec }: PodDisruptionBudget): FieldError[] {
  const report = new Report();
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    report.invalid(SPEC, spec, 'minAvailable and maxUnavailable cannot be both set');
  }
  for (const bound of ['minAvailable', 'maxUnavailable'] as const) {
    const value = spec[bound];
    if (value === undefined) continue;
    validateIntOrPercent(value, SPEC.child(bound), report);
    validateAtMostWhole(value, SPEC.child(bound), report);
  }
  validateLabelSelector(spec.selector, SPEC.child('selector'), report);
  const policy = spec.unhealthyPodEvictionPolicy;
  if (policy !== undefined && !POLICIES.includes(policy)) {
    report.unsupported(SPEC.child('unhealthyPodEvictionPolicy'), policy, POLICIES);
  }
  return report.errors;
}

export function validateDisruptionBudgetStatusUpdate({ status }: PodDisruptionBudget): FieldError[] {
  const report = new Report();
  for (const count of COUNTS) report.nonNegative(STATUS.child(count), status?.[count]);
  return report.errors;
}
