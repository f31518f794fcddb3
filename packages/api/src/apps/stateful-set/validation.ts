import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import { validateClaimSpec } from '../../core/persistent-volume/claim-validation.ts';
import { validatePodTemplateSpec } from '../../core/pod/validation.ts';
import type { StatefulSet, StatefulSetSpec, StatefulSetStatus } from '../../generated/apps-v1.ts';
import type { PodTemplateSpec, Volume } from '../../generated/core-v1.ts';
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

const CHANGEABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const;

const FIXED =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

export function validateStatefulSet(set: StatefulSet): FieldError[] {
  const report = new Report();
  const { serviceName } = set.spec;
  validateSpec(set.spec, report);
  if (serviceName) report.invalidEach(SPEC.child('serviceName'), serviceName, names.dnsLabelErrors(serviceName));
  for (const [at, claim] of (set.spec.volumeClaimTemplates ?? []).entries()) {
    const path = SPEC.child('volumeClaimTemplates').index(at);
    if (claim.spec) validateClaimSpec(claim.spec, path.child('spec'), report);
  }
  return report.errors;
}

/** What the pods are called, and where and how they keep their data, stays. */
export function validateStatefulSetUpdate(set: StatefulSet, before: StatefulSet): FieldError[] {
  const report = new Report();
  validateSpec(set.spec, report);
  const isSame = isSemanticallyEqual('apps.v1.StatefulSetSpec', fixedPart(set.spec), fixedPart(before.spec));
  if (!isSame) report.forbidden(SPEC, FIXED);
  return report.errors;
}

export function validateStatefulSetStatusUpdate(set: StatefulSet, before: StatefulSet): FieldError[] {
  const report = new Report();
  validateCounts(set.status ?? { replicas: 0, availableReplicas: 0 }, report);
  validateCollisionCount({ after: set.status ?? {}, before: before.status ?? {} }, STATUS, report);
  return report.errors;
}

function fixedPart(spec: StatefulSetSpec): unknown {
  const part: { [field: string]: unknown } = { ...spec };
  for (const field of CHANGEABLE) delete part[field];
  return part;
}

function validateSpec(spec: StatefulSetSpec, report: Report): void {
  const policy = spec.podManagementPolicy;
  const policyPath = SPEC.child('podManagementPolicy');
  if (!policy) report.required(policyPath);
  else if (policy !== 'OrderedReady' && policy !== 'Parallel') {
    report.invalid(policyPath, policy, "must be 'OrderedReady' or 'Parallel'");
  }
  validateStrategy(spec, SPEC.child('updateStrategy'), report);
  validateRetention(spec, SPEC.child('persistentVolumeClaimRetentionPolicy'), report);
  report.nonNegative(SPEC.child('replicas'), spec.replicas);
  report.nonNegative(SPEC.child('minReadySeconds'), spec.minReadySeconds);
  report.nonNegative(SPEC.child('ordinals.start'), spec.ordinals?.start);
  report.nonNegative(SPEC.child('revisionHistoryLimit'), spec.revisionHistoryLimit);
  validateSelector(spec, report);
  validatePodTemplateSpec(withClaims(spec), SPEC.child('template'), report);
  validateLongRunning({ kind: 'StatefulSet', template: spec.template }, SPEC.child('template'), report);
}

function validateStrategy(spec: StatefulSetSpec, path: FieldPath, report: Report): void {
  const { type, rollingUpdate } = spec.updateStrategy ?? {};
  if (!type) report.required(path);
  else if (type === 'OnDelete') {
    if (!rollingUpdate) return;
    report.invalid(path.child('rollingUpdate'), rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'");
  } else if (type !== 'RollingUpdate') {
    report.invalid(path, spec.updateStrategy, "must be 'RollingUpdate' or 'OnDelete'");
  } else if (rollingUpdate) {
    const unavailable = rollingUpdate.maxUnavailable;
    report.nonNegative(path.child('rollingUpdate').child('partition'), rollingUpdate.partition);
    if (unavailable !== undefined) {
      const here = path.child('rollingUpdate').child('maxUnavailable');
      validateIntOrPercent(unavailable, here, report);
      if (amountOf(unavailable) === 0) report.invalid(here, unavailable, 'cannot be 0');
      validateAtMostWhole(unavailable, here, report);
    }
  }
}

function validateRetention(spec: StatefulSetSpec, path: FieldPath, report: Report): void {
  const policy = spec.persistentVolumeClaimRetentionPolicy;
  if (!policy) return;
  for (const field of ['whenDeleted', 'whenScaled'] as const) {
    const value = policy[field];
    if (value === 'Retain' || value === 'Delete') continue;
    report.unsupported(path.child(field), value ?? '', ['Retain', 'Delete']);
  }
}

function validateSelector({ selector, template }: StatefulSetSpec, report: Report): void {
  const path = SPEC.child('selector');
  const before = report.count;
  if (selector) validateLabelSelector(selector, path, report);
  else report.required(path);
  const isReadable = !selector || report.count === before;
  if (selector && isEmptySelector(selector))
    report.invalid(path, selector, 'empty selector is invalid for statefulset');
  if (isReadable) validateMatch({ selector, template }, SPEC.child('template'), report);
}

/** As the pods will look: each claim is a volume that containers may mount. */
function withClaims({ template, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  if (volumeClaimTemplates.length === 0 || !template.spec) return template;
  const claims: Volume[] = volumeClaimTemplates.map(({ metadata }) => {
    const name = metadata.name ?? '';
    return { name, persistentVolumeClaim: { claimName: name } };
  });
  const claimed = new Set(claims.map(({ name }) => name));
  const others = (template.spec.volumes ?? []).filter(({ name }) => !claimed.has(name));
  return { ...template, spec: { ...template.spec, volumes: [...others, ...claims] } };
}

const PARTS = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const;

function validateCounts(status: StatefulSetStatus, report: Report): void {
  for (const count of ['replicas', ...PARTS, 'observedGeneration', 'collisionCount'] as const) {
    report.nonNegative(STATUS.child(count), status[count]);
  }
  for (const part of PARTS) {
    const count = status[part] ?? 0;
    if (count > status.replicas) report.invalid(STATUS.child(part), count, 'cannot be greater than status.replicas');
  }
  if ((status.availableReplicas ?? 0) <= (status.readyReplicas ?? 0)) return;
  const detail = 'cannot be greater than status.readyReplicas';
  report.invalid(STATUS.child('availableReplicas'), status.availableReplicas, detail);
}
