import type { FieldError } from '@binnacle/machinery';
import { validatePodTemplateSpec } from '../../core/pod/validation.ts';
import type {
  DaemonSet,
  DaemonSetSpec,
  DaemonSetUpdateStrategy,
  RollingUpdateDaemonSet,
} from '../../generated/apps-v1.ts';
import { isSemanticallyEqual } from '../../validation/equality.ts';
import { amountOf, validateAtMostWhole, validateIntOrPercent } from '../../validation/int-or-percent.ts';
import { isEmptySelector, validateLabelSelector } from '../../validation/labels.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateCollisionCount } from '../replica-counts.ts';
import { validateLongRunning, validateMatch } from '../template-validation.ts';

const SPEC = fieldPath('spec');
const STATUS = fieldPath('status');

const COUNTS = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
] as const;

export function validateDaemonSet(set: DaemonSet): FieldError[] {
  const report = new Report();
  validateSpec(set, report);
  return report.errors;
}

/** The selector of a daemon set cannot change. */
export function validateDaemonSetUpdate(set: DaemonSet, before: DaemonSet): FieldError[] {
  const report = new Report();
  validateSpec(set, report);
  const { selector } = set.spec;
  const isSame = isSemanticallyEqual('apps.v1.DaemonSetSpec.selector', selector, before.spec.selector);
  report.immutable(SPEC.child('selector'), selector ?? null, isSame);
  return report.errors;
}

export function validateDaemonSetStatusUpdate(set: DaemonSet, before: DaemonSet): FieldError[] {
  const report = new Report();
  for (const count of COUNTS) report.nonNegative(STATUS.child(count), set.status?.[count]);
  validateCollisionCount({ after: set.status ?? {}, before: before.status ?? {} }, STATUS, report);
  return report.errors;
}

function validateSpec(set: DaemonSet, report: Report): void {
  const { template, updateStrategy, minReadySeconds, revisionHistoryLimit } = set.spec;
  const templatePath = SPEC.child('template');
  validateSelector(set.spec, templatePath, report);
  validatePodTemplateSpec(template, templatePath, report);
  validateLongRunning({ kind: 'DaemonSet', template }, templatePath, report);
  report.nonNegative(SPEC.child('minReadySeconds'), minReadySeconds);
  validateStrategy(updateStrategy ?? {}, SPEC.child('updateStrategy'), report);
  report.nonNegative(SPEC.child('revisionHistoryLimit'), revisionHistoryLimit);
}

function validateSelector({ selector, template }: DaemonSetSpec, templatePath: FieldPath, report: Report): void {
  if (!selector) return validateMatch({ selector, template }, templatePath, report);
  const before = report.count;
  validateLabelSelector(selector, SPEC.child('selector'), report);
  if (report.count === before) validateMatch({ selector, template }, templatePath, report);
  if (isEmptySelector(selector))
    report.invalid(SPEC.child('selector'), selector, 'empty selector is invalid for daemonset');
  return undefined;
}

function validateStrategy(strategy: DaemonSetUpdateStrategy, path: FieldPath, report: Report): void {
  if (strategy.type === 'OnDelete') return;
  if (strategy.type !== 'RollingUpdate') report.unsupported(path, strategy, ['RollingUpdate', 'OnDelete']);
  else if (!strategy.rollingUpdate) report.required(path.child('rollingUpdate'));
  else validateRollingUpdate(strategy.rollingUpdate, path.child('rollingUpdate'), report);
}

/** Either the old pod goes first or the new one comes first. */
function validateRollingUpdate(rolling: RollingUpdateDaemonSet, path: FieldPath, report: Report): void {
  const unavailable = rolling.maxUnavailable ?? 0;
  const surge = rolling.maxSurge ?? 0;
  validateIntOrPercent(unavailable, path.child('maxUnavailable'), report);
  validateIntOrPercent(surge, path.child('maxSurge'), report);
  validateAtMostWhole(unavailable, path.child('maxUnavailable'), report);
  validateAtMostWhole(surge, path.child('maxSurge'), report);
  const hasUnavailable = amountOf(unavailable) !== 0;
  const hasSurge = amountOf(surge) !== 0;
  if (hasUnavailable && hasSurge) {
    report.invalid(path.child('maxSurge'), surge, 'may not be set when maxUnavailable is non-zero');
  } else if (!hasUnavailable && !hasSurge) {
    report.required(path.child('maxUnavailable'), 'cannot be 0 when maxSurge is 0');
  }
}
