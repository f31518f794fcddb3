import type { FieldError } from '@binnacle/machinery';
import type { Deployment, DeploymentStrategy, RollingUpdateDeployment } from '../../generated/apps-v1.ts';
import { isSemanticallyEqual } from '../../validation/equality.ts';
import { amountOf, validateAtMostWhole, validateIntOrPercent } from '../../validation/int-or-percent.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateCollisionCount, validateReplicaCounts } from '../replica-counts.ts';
import { validateSelectorAndTemplate } from '../template-validation.ts';

const SPEC = fieldPath('spec');
const STATUS = fieldPath('status');

export function validateDeployment(deployment: Deployment): FieldError[] {
  const report = new Report();
  validateSpec(deployment, report);
  return report.errors;
}

/** The selector of a deployment cannot change. */
export function validateDeploymentUpdate(deployment: Deployment, before: Deployment): FieldError[] {
  const report = new Report();
  validateSpec(deployment, report);
  const { selector } = deployment.spec;
  const isSame = isSemanticallyEqual('apps.v1.DeploymentSpec.selector', selector, before.spec.selector);
  report.immutable(SPEC.child('selector'), selector, isSame);
  return report.errors;
}

export function validateDeploymentStatusUpdate(deployment: Deployment, before: Deployment): FieldError[] {
  const report = new Report();
  const after = deployment.status ?? {};
  validateReplicaCounts(after, { path: STATUS, ownPart: 'updatedReplicas' }, report);
  validateCollisionCount({ after, before: before.status ?? {} }, STATUS, report);
  return report.errors;
}

function validateSpec(deployment: Deployment, report: Report): void {
  const { spec } = deployment;
  report.nonNegative(SPEC.child('replicas'), spec.replicas);
  // Upstream says ReplicaSet in the messages about a deployment's template, too.
  const workload = { kind: 'ReplicaSet', selector: spec.selector, template: spec.template };
  validateSelectorAndTemplate(workload, SPEC, report);
  validateStrategy(spec.strategy ?? {}, SPEC.child('strategy'), report);
  report.nonNegative(SPEC.child('minReadySeconds'), spec.minReadySeconds);
  report.nonNegative(SPEC.child('revisionHistoryLimit'), spec.revisionHistoryLimit);
  const deadline = spec.progressDeadlineSeconds;
  if (deadline === undefined || deadline === null) return;
  const path = SPEC.child('progressDeadlineSeconds');
  report.nonNegative(path, deadline);
  if (deadline <= (spec.minReadySeconds ?? 0)) {
    report.invalid(path, deadline, 'must be greater than minReadySeconds');
  }
}

function validateStrategy(strategy: DeploymentStrategy, path: FieldPath, report: Report): void {
  const rolling = strategy.rollingUpdate;
  if (strategy.type === 'Recreate') {
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    if (rolling) report.forbidden(path.child('rollingUpdate'), detail);
  } else if (strategy.type === 'RollingUpdate') {
    if (rolling) validateRollingUpdate(rolling, path.child('rollingUpdate'), report);
    else report.required(path.child('rollingUpdate'), 'this should be defaulted and never be nil');
  } else report.unsupported(path, strategy, ['Recreate', 'RollingUpdate']);
}

function validateRollingUpdate(rolling: RollingUpdateDeployment, path: FieldPath, report: Report): void {
  const unavailable = rolling.maxUnavailable ?? 0;
  const surge = rolling.maxSurge ?? 0;
  validateIntOrPercent(unavailable, path.child('maxUnavailable'), report);
  validateIntOrPercent(surge, path.child('maxSurge'), report);
  if (amountOf(unavailable) === 0 && amountOf(surge) === 0) {
    report.invalid(path.child('maxUnavailable'), unavailable, 'may not be 0 when `maxSurge` is 0');
  }
  validateAtMostWhole(unavailable, path.child('maxUnavailable'), report);
}
