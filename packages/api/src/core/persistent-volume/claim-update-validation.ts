import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../generated/core-v1.ts';
import { describeDifference, isSemanticallyEqual } from '../../validation/equality.ts';
import { compareAmounts, isNegativeAmount } from '../../validation/numbers.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { isNativeResource } from '../resource-names.ts';
import { validateClaimSpec } from './claim-validation.ts';

const SPEC = fieldPath('spec');
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const SIZE = fieldPath('spec', 'resources', 'requests', 'storage');
const ATTRIBUTES = fieldPath('spec', 'volumeAttributesClassName');

const RESIZE_STATES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];

export function validatePersistentVolumeClaim(claim: PersistentVolumeClaim): FieldError[] {
  const report = new Report();
  validateClaimSpec(claim.spec ?? {}, SPEC, report);
  return report.errors;
}

/** A claim stays what it was, but for its size once it is bound, and for the volume that it gets. */
export function validatePersistentVolumeClaimUpdate(
  claim: PersistentVolumeClaim,
  before: PersistentVolumeClaim,
): FieldError[] {
  const report = new Report();
  const spec = claim.spec ?? {};
  const old = before.spec ?? {};
  validateClaimSpec(spec, SPEC, report);
  const storageClass = changedClass(claim, before, report);
  const now = withChangeable({ claim, old, storageClass });
  const was = old.volumeName ? old : { ...old, volumeName: spec.volumeName };
  if (!isSemanticallyEqual('core.v1.PersistentVolumeClaimSpec', now, was)) {
    const difference = describeDifference('core.v1.PersistentVolumeClaimSpec', was, now);
    const detail = `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${difference}`;
    report.forbidden(SPEC, detail);
  }
  validateShrinking(claim, old, report);
  // Upstream names it without the spec that it is in.
  report.immutable(fieldPath('volumeMode'), spec.volumeMode ?? null, spec.volumeMode === old.volumeMode);
  if (old.volumeAttributesClassName !== undefined) {
    const name = spec.volumeAttributesClassName;
    if (name === undefined) report.forbidden(ATTRIBUTES, 'update from non-nil value to nil is forbidden');
    if (name === '') report.forbidden(ATTRIBUTES, 'update from non-nil value to an empty string is forbidden');
  }
  return report.errors;
}

type Annotations = { readonly [key: string]: string } | undefined;

/** A class may be filled in where there was none; answers with the class that the comparison is to see. */
function changedClass(claim: PersistentVolumeClaim, before: PersistentVolumeClaim, report: Report): string | undefined {
  const now: Annotations = claim.metadata.annotations;
  const annotated = before.metadata.annotations?.[CLASS_ANNOTATION];
  const name = claim.spec?.storageClassName;
  const old = before.spec?.storageClassName;
  const isUpgrade = annotated !== undefined && old === undefined && name === annotated;
  if (isUpgrade && (now?.[CLASS_ANNOTATION] ?? annotated) === annotated) return undefined;
  const path = fieldPath('metadata', 'annotations', CLASS_ANNOTATION);
  report.immutable(path, now?.[CLASS_ANNOTATION] ?? '', (now?.[CLASS_ANNOTATION] ?? '') === (annotated ?? ''));
  const isFilledIn = name !== undefined && old === undefined && (annotated === undefined || annotated === name);
  return isFilledIn ? old : name;
}

/** The claim's spec with everything put back that may change. */
function withChangeable(given: {
  readonly claim: PersistentVolumeClaim;
  readonly old: PersistentVolumeClaimSpec;
  readonly storageClass: string | undefined;
}): unknown {
  const { claim, old, storageClass } = given;
  const spec = claim.spec ?? {};
  const now = { ...spec, storageClassName: storageClass };
  if (claim.status?.phase !== 'Bound') return now;
  const { requests } = spec.resources ?? {};
  const storage = old.resources?.requests?.['storage'];
  return {
    ...now,
    ...(requests && { resources: { ...spec.resources, requests: { ...requests, storage } } }),
    ...(spec.volumeAttributesClassName !== undefined && { volumeAttributesClassName: old.volumeAttributesClassName }),
  };
}

/** A request that could not be met may be lowered again, but not to what there is already. */
function validateShrinking(claim: PersistentVolumeClaim, old: PersistentVolumeClaimSpec, report: Report): void {
  const size = claim.spec?.resources?.requests?.['storage'] ?? '0';
  if (compareAmounts(size, old.resources?.requests?.['storage'] ?? '0') >= 0) return;
  const there = claim.status?.capacity?.['storage'] ?? '0';
  if (compareAmounts(size, there) <= 0) report.forbidden(SIZE, 'field can not be less than status.capacity');
}

export function validatePersistentVolumeClaimStatusUpdate(claim: PersistentVolumeClaim): FieldError[] {
  const report = new Report();
  const { capacity = {}, allocatedResources = {}, allocatedResourceStatuses = {} } = claim.status ?? {};
  if (!claim.spec?.accessModes?.length) report.required(fieldPath('Spec', 'accessModes'));
  validateAmounts(capacity, fieldPath('status', 'capacity'), report);
  const statusPath = fieldPath('status', 'allocatedResourceStatus');
  for (const [name, state] of Object.entries(allocatedResourceStatuses)) {
    validateResourceKey(name, statusPath, report);
    if (!RESIZE_STATES.includes(state)) report.unsupported(statusPath, name, RESIZE_STATES);
  }
  const allocatedPath = fieldPath('status', 'allocatedResources');
  for (const [name, amount] of Object.entries(allocatedResources)) {
    if (!validateResourceKey(name, allocatedPath, report)) continue;
    validateAmounts({ [name]: amount }, allocatedPath, report);
  }
  return report.errors;
}

function validateAmounts(amounts: { readonly [name: string]: string }, path: FieldPath, report: Report): void {
  for (const [name, amount] of Object.entries(amounts)) {
    if (isNegativeAmount(amount)) report.invalid(path.key(name), amount, 'must be a valid resource quantity');
  }
}

function validateResourceKey(name: string, path: FieldPath, report: Report): boolean {
  const errors = names.qualifiedNameErrors(name);
  report.invalidEach(path, name, errors);
  if (errors.length > 0) return false;
  if (!isNativeResource(name) || name === 'storage') return true;
  report.unsupported(path, name, ['storage']);
  return false;
}
