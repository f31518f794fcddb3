import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { PersistentVolume, PersistentVolumeSpec } from '../../generated/core-v1.ts';
import { describeDifference, isSemanticallyEqual } from '../../validation/equality.ts';
import { compareAmounts, isNegativeAmount } from '../../validation/numbers.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateNodeSelector } from '../pod/validation/affinity.ts';
import { validateAccessModes, VOLUME_MODES } from './claim-validation.ts';
import { sourcesOf, validateSources } from './source-validation.ts';

const SPEC = fieldPath('spec');
const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];

export function validatePersistentVolume(volume: PersistentVolume): FieldError[] {
  const report = new Report();
  validateSpec(volume.spec ?? {}, report);
  return report.errors;
}

/** What a volume is made of stays. */
export function validatePersistentVolumeUpdate(volume: PersistentVolume, before: PersistentVolume): FieldError[] {
  const report = new Report();
  const spec = volume.spec ?? {};
  const old = before.spec ?? {};
  validateSpec(spec, report);
  const sources = withExpansionSecretOf(spec, old);
  if (!isSemanticallyEqual('core.v1.PersistentVolumeSpec', sources, sourcesOf(old))) {
    const difference = describeDifference('core.v1.PersistentVolumeSpec', sourcesOf(old), sources);
    const detail = `spec.persistentvolumesource is immutable after creation\n${difference}`;
    report.forbidden(SPEC.child('persistentvolumesource'), detail);
  }
  // Upstream names the next two without the spec that they are in.
  report.immutable(fieldPath('volumeMode'), spec.volumeMode ?? null, spec.volumeMode === old.volumeMode);
  if (old.nodeAffinity) {
    const isSame = isSemanticallyEqual(
      'core.v1.PersistentVolumeSpec.nodeAffinity',
      spec.nodeAffinity,
      old.nodeAffinity,
    );
    report.immutable(fieldPath('nodeAffinity'), spec.nodeAffinity ?? null, isSame);
  }
  if (old.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined) {
    report.forbidden(SPEC.child('volumeAttributesClassName'), 'update from non-nil value to nil is forbidden');
  }
  return report.errors;
}

/** A secret for expansion may still be added. */
function withExpansionSecretOf(spec: PersistentVolumeSpec, old: PersistentVolumeSpec): unknown {
  const sources = sourcesOf(spec);
  if (!spec.csi || !old.csi || old.csi.controllerExpandSecretRef) return sources;
  const { controllerExpandSecretRef: _, ...csi } = spec.csi;
  return { ...sources, csi };
}

function validateSpec(spec: PersistentVolumeSpec, report: Report): void {
  if (!spec.accessModes?.length) report.required(SPEC.child('accessModes'));
  validateAccessModes(spec.accessModes ?? [], SPEC.child('accessModes'), report);
  validateCapacity(spec.capacity ?? {}, SPEC.child('capacity'), report);
  const policy = spec.persistentVolumeReclaimPolicy;
  const policyPath = SPEC.child('persistentVolumeReclaimPolicy');
  if (policy && !RECLAIM_POLICIES.includes(policy)) report.unsupported(policyPath, policy, RECLAIM_POLICIES);
  if (spec.nodeAffinity) validateAffinity(spec, report);
  validateSources(spec, SPEC, report);
  if (policy === 'Recycle' && isRoot(spec.hostPath?.path)) {
    report.forbidden(policyPath, "may not be 'recycle' for a hostPath mount of '/'");
  }
  validateClasses(spec, report);
  if (spec.volumeMode && !VOLUME_MODES.includes(spec.volumeMode)) {
    report.unsupported(SPEC.child('volumeMode'), spec.volumeMode, VOLUME_MODES);
  }
}

function validateAffinity({ nodeAffinity }: PersistentVolumeSpec, report: Report): void {
  const path = SPEC.child('nodeAffinity').child('required');
  if (nodeAffinity?.required) validateNodeSelector(nodeAffinity.required, path, report);
  else report.required(path, 'must specify required node constraints');
}

function validateCapacity(capacity: { readonly [name: string]: string }, path: FieldPath, report: Report): void {
  const resources = Object.entries(capacity);
  if (resources.length === 0) report.required(path);
  if (capacity['storage'] === undefined || resources.length > 1) report.unsupported(path, capacity, ['storage']);
  for (const [name, amount] of resources) {
    if (isNegativeAmount(amount)) report.invalid(path.key(name), amount, 'must be a valid resource quantity');
    if (compareAmounts(amount, '0') <= 0) report.invalid(path.key(name), amount, 'must be greater than zero');
  }
}

function isRoot(path: string | undefined): boolean {
  return path !== undefined && /^\/+(\.\/*)*$/.test(path);
}

function validateClasses(spec: PersistentVolumeSpec, report: Report): void {
  const { storageClassName: storage, volumeAttributesClassName: attributes } = spec;
  if (storage) report.invalidEach(SPEC.child('storageClassName'), storage, names.subdomainErrors(storage));
  if (attributes === undefined) return;
  const path = SPEC.child('volumeAttributesClassName');
  if (attributes === '') report.required(path, 'an empty string is disallowed');
  else report.invalidEach(path, attributes, names.subdomainErrors(attributes));
  if (!spec.csi) report.required(SPEC.child('csi'), 'has to be specified when using volumeAttributesClassName');
}
