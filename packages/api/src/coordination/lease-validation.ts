import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { Lease } from '../generated/coordination-v1.ts';
import { fieldPath } from '../validation/path.ts';
import { Report } from '../validation/report.ts';

const SPEC = fieldPath('spec');
const STRATEGIES = ['OldestEmulationVersion'];

/** Create and update. */
export function validateLease(lease: Lease): FieldError[] {
  const report = new Report();
  const { leaseDurationSeconds: duration, leaseTransitions: transitions, strategy, preferredHolder } = lease.spec ?? {};
  if (duration !== undefined && duration !== null && duration <= 0) {
    report.invalid(SPEC.child('leaseDurationSeconds'), duration, 'must be greater than 0');
  }
  report.nonNegative(SPEC.child('leaseTransitions'), transitions);
  if (strategy !== undefined && strategy !== null) validateStrategy(strategy, report);
  if (preferredHolder && !strategy) {
    report.forbidden(SPEC.child('preferredHolder'), 'may only be specified if `strategy` is defined');
  }
  return report.errors;
}

/** A name of Kubernetes' own, or one with its owner's domain. */
function validateStrategy(strategy: string, report: Report): void {
  // Upstream adds the field's name twice.
  const path = SPEC.child('strategy').child('strategy');
  if (strategy.includes('/')) report.invalidEach(path, strategy, names.qualifiedNameErrors(strategy));
  else if (!STRATEGIES.includes(strategy)) report.unsupported(path, strategy, STRATEGIES);
}
