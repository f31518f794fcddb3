import { compareQuantities, names } from '@binnacle/machinery';
import type { PersistentVolumeClaimSpec, TypedObjectReference } from '../../generated/core-v1.ts';
import { validateLabelSelector } from '../../validation/labels.ts';
import type { FieldPath } from '../../validation/path.ts';
import type { Report } from '../../validation/report.ts';

export const ACCESS_MODES: readonly string[] = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const VOLUME_MODES: readonly string[] = ['Block', 'Filesystem'];

/** What a claim asks for, in the claim itself or in a template of one. */
export function validateClaimSpec(spec: PersistentVolumeClaimSpec, path: FieldPath, report: Report): void {
  if (!spec.accessModes?.length) report.required(path.child('accessModes'), 'at least 1 access mode is required');
  validateLabelSelector(spec.selector, path.child('selector'), report);
  validateAccessModes(spec.accessModes ?? [], path.child('accessModes'), report);
  validateStorageRequest(spec, path.child('resources').key('storage'), report);
  for (const field of ['storageClassName', 'volumeAttributesClassName'] as const) {
    const name = spec[field];
    if (name) report.invalidEach(path.child(field), name, names.subdomainErrors(name));
  }
  if (spec.volumeMode && !VOLUME_MODES.includes(spec.volumeMode)) {
    report.unsupported(path.child('volumeMode'), spec.volumeMode, VOLUME_MODES);
  }
  if (spec.dataSource || spec.dataSourceRef) validateDataSources(spec, path, report);
}

/** What the volume is filled from: the second form can say everything, and the first must agree with it. */
function validateDataSources(spec: PersistentVolumeClaimSpec, path: FieldPath, report: Report): void {
  const { dataSource: source, dataSourceRef: reference } = spec;
  if (source) validateDataSource(source, path.child('dataSource'), report);
  if (reference) validateDataSource(reference, path.child('dataSourceRef'), report);
  if (!source || !reference) return;
  const shown = path.child('dataSource').toString();
  if (reference.namespace) {
    report.invalid(path, shown, 'may not be specified when dataSourceRef.namespace is specified');
  } else if (!isSameSource(source, reference)) report.invalid(path, shown, 'must match dataSourceRef');
}

function isSameSource(a: TypedObjectReference, b: TypedObjectReference): boolean {
  return a.apiGroup === b.apiGroup && a.kind === b.kind && a.name === b.name;
}

function validateDataSource(source: TypedObjectReference, path: FieldPath, report: Report): void {
  const { kind, name, namespace } = source;
  // Go writes null for the group of the core.
  const apiGroup = source.apiGroup ?? '';
  if (!name) report.required(path.child('name'));
  if (!kind) report.required(path.child('kind'));
  if (apiGroup === '' && kind !== 'PersistentVolumeClaim') {
    report.invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
  if (apiGroup !== '') report.invalidEach(path.child('apiGroup'), apiGroup, names.subdomainErrors(apiGroup));
  if (namespace) report.invalidEach(path.child('namespace'), namespace, names.dnsLabelErrors(namespace));
}

export function validateAccessModes(modes: readonly string[], path: FieldPath, report: Report): void {
  for (const mode of modes) if (!ACCESS_MODES.includes(mode)) report.unsupported(path, mode, ACCESS_MODES);
  const others = modes.filter((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode));
  if (others.length > 0 && modes.includes('ReadWriteOncePod')) {
    report.forbidden(path, 'may not use ReadWriteOncePod with other access modes');
  }
}

function validateStorageRequest(spec: PersistentVolumeClaimSpec, path: FieldPath, report: Report): void {
  const amount = spec.resources?.requests?.['storage'];
  if (amount === undefined) report.required(path);
  else if (compareQuantities(amount, '0') <= 0) report.invalid(path, amount, 'must be greater than zero');
}
