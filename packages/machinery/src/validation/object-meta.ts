import { deepEqual } from '../deep-equal.ts';
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from '../generated/meta-v1.ts';
import { parseGroupVersion } from '../object.ts';
import type { FieldError } from '../status-error.ts';
import { child, eachError, forbidden, index, invalid, invalidAll, required, tooLong } from './field.ts';
import type { FieldPath } from './field.ts';
import { validateLabels } from './labels.ts';
import { byteLength, dnsLabelErrors, qualifiedNameErrors } from './names.ts';

/** What is wrong with a name; one of the functions of `names`. */
export type NameCheck = (name: string) => readonly string[];

/** What a kind asks of its metadata. */
export interface ObjectMetaRules {
  readonly namespaced: boolean;
  readonly nameCheck: NameCheck;
  /** Where the metadata stand; `metadata` by default. */
  readonly path?: FieldPath;
}

const ANNOTATIONS_BYTES_MAX = 256 * 1024;

/** Metadata of a new object, after its name was generated. */
export function validateObjectMeta(meta: ObjectMeta, rules: ObjectMetaRules): FieldError[] {
  const path = rules.path ?? 'metadata';
  return [
    ...validateName(meta, rules, path),
    ...validateNamespace(meta, rules, path),
    ...validateGeneration(meta, path),
    ...validateLabels(meta.labels, child(path, 'labels')),
    ...validateAnnotations(meta.annotations, child(path, 'annotations')),
    ...validateOwnerReferences(meta.ownerReferences, child(path, 'ownerReferences')),
    ...validateFinalizers(meta.finalizers, child(path, 'finalizers')),
    ...validateManagedFields(meta.managedFields, child(path, 'managedFields')),
  ];
}

function validateName(meta: ObjectMeta, rules: ObjectMetaRules, path: FieldPath): FieldError[] {
  const generateName = meta.generateName ?? '';
  const name = meta.name ?? '';
  const errors =
    generateName === ''
      ? []
      : invalidAll(child(path, 'generateName'), generateName, rules.nameCheck(maskTrailingDash(generateName)));
  return name === ''
    ? [...errors, required(child(path, 'name'), 'name or generateName is required')]
    : [...errors, ...invalidAll(child(path, 'name'), name, rules.nameCheck(name))];
}

/** A prefix may end with a dash, as something follows it. */
function maskTrailingDash(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix;
}

function validateNamespace(meta: ObjectMeta, rules: ObjectMetaRules, path: FieldPath): FieldError[] {
  const at = child(path, 'namespace');
  const namespace = meta.namespace ?? '';
  if (!rules.namespaced) return namespace === '' ? [] : [forbidden(at, 'not allowed on this type')];
  return namespace === '' ? [required(at)] : invalidAll(at, namespace, dnsLabelErrors(namespace));
}

function validateGeneration(meta: ObjectMeta, path: FieldPath): FieldError[] {
  const generation = meta.generation ?? 0;
  return generation >= 0 ? [] : [invalid(child(path, 'generation'), generation, 'must be greater than or equal to 0')];
}

/** Keys of annotations in any case, and the size of them all. */
export function validateAnnotations(
  annotations: { readonly [key: string]: string } = {},
  path: FieldPath,
): FieldError[] {
  const entries = Object.entries(annotations);
  const errors = eachError(entries, ([name]) => invalidAll(path, name, qualifiedNameErrors(name.toLowerCase())));
  let length = 0;
  for (const [name, value] of entries) length += name.length + value.length;
  // No character takes more than three bytes: they are counted only where that could be too many.
  if (length * 3 > ANNOTATIONS_BYTES_MAX && bytesOf(annotations) > ANNOTATIONS_BYTES_MAX) {
    errors.push(tooLong(path, ANNOTATIONS_BYTES_MAX));
  }
  return errors;
}

function bytesOf(annotations: { readonly [key: string]: string }): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(annotations)) bytes += byteLength(name) + byteLength(value);
  return bytes;
}

function validateOwnerReferences(references: readonly OwnerReference[] | undefined, path: FieldPath): FieldError[] {
  let controller = '';
  return eachError(references ?? [], (reference) => {
    const errors = validateOwnerReference(reference, path);
    if (reference.controller !== true) return errors;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === '') controller = name;
    else errors.push(invalid(path, references, twoControllers(controller, name)));
    return errors;
  });
}

function twoControllers(first: string, second: string): string {
  return `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`;
}

function validateOwnerReference(reference: OwnerReference, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (parseGroupVersion(reference.apiVersion).version === '') {
    errors.push(invalid(child(path, 'apiVersion'), reference.apiVersion, 'version must not be empty'));
  }
  for (const name of ['kind', 'name', 'uid'] as const) {
    if (reference[name] === '') errors.push(invalid(child(path, name), '', 'must not be empty'));
  }
  if (reference.apiVersion === 'v1' && reference.kind === 'Event') {
    errors.push(invalid(path, reference, '/v1, Kind=Event is disallowed from being an owner'));
  }
  return errors;
}

function validateFinalizers(finalizers: readonly string[] | undefined, path: FieldPath): FieldError[] {
  const list = finalizers ?? [];
  const errors = eachError(list, (name) => invalidAll(path, name, qualifiedNameErrors(name)));
  if (list.includes('orphan') && list.includes('foregroundDeletion')) {
    errors.push(invalid(path, list, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
  return errors;
}

function validateManagedFields(entries: readonly ManagedFieldsEntry[] | undefined, path: FieldPath): FieldError[] {
  return eachError(entries ?? [], (entry, i) => {
    const at = index(path, i);
    const operation = entry.operation ?? '';
    const errors: FieldError[] = [];
    if (operation !== 'Apply' && operation !== 'Update') {
      errors.push(invalid(child(at, 'operation'), operation, 'must be `Apply` or `Update`'));
    }
    if ((entry.fieldsType ?? '') !== '' && entry.fieldsType !== 'FieldsV1') {
      errors.push(invalid(child(at, 'fieldsType'), entry.fieldsType, 'must be `FieldsV1`'));
    }
    return errors;
  });
}

const IMMUTABLE = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/** Metadata of an object that replaces `before`. */
export function validateObjectMetaUpdate(
  meta: ObjectMeta,
  before: ObjectMeta,
  path: FieldPath = 'metadata',
): FieldError[] {
  const errors = before.deletionTimestamp === undefined ? [] : validateNoNewFinalizers(meta, before, path);
  if ((meta.resourceVersion ?? '') === '') {
    errors.push(invalid(child(path, 'resourceVersion'), meta.resourceVersion ?? '', 'must be specified for an update'));
  }
  if ((meta.generation ?? 0) < (before.generation ?? 0)) {
    errors.push(invalid(child(path, 'generation'), meta.generation ?? 0, 'must not be decremented'));
  }
  for (const name of IMMUTABLE) errors.push(...validateImmutableMeta(meta, before, { name, path }));
  return [
    ...errors,
    ...validateLabels(meta.labels, child(path, 'labels')),
    ...validateAnnotations(meta.annotations, child(path, 'annotations')),
    ...validateOwnerReferences(meta.ownerReferences, child(path, 'ownerReferences')),
    ...validateManagedFields(meta.managedFields, child(path, 'managedFields')),
  ];
}

function validateImmutableMeta(
  meta: ObjectMeta,
  before: ObjectMeta,
  at: { readonly name: (typeof IMMUTABLE)[number]; readonly path: FieldPath },
): FieldError[] {
  // Go shows the empty text for names, and null for times and numbers that are absent.
  const empty = at.name === 'name' || at.name === 'namespace' || at.name === 'uid' ? '' : null;
  return validateImmutable(meta[at.name] ?? empty, before[at.name] ?? empty, child(at.path, at.name));
}

function validateNoNewFinalizers(meta: ObjectMeta, before: ObjectMeta, path: FieldPath): FieldError[] {
  const known = new Set(before.finalizers);
  const extra = (meta.finalizers ?? []).filter((name) => !known.has(name));
  if (extra.length === 0) return [];
  const shown = [...new Set(extra)]
    .sort()
    .map((name) => JSON.stringify(name))
    .join(', ');
  return [
    forbidden(
      child(path, 'finalizers'),
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${shown}}`,
    ),
  ];
}

/** A field that may never change. */
export function validateImmutable(value: unknown, before: unknown, path: FieldPath): FieldError[] {
  return deepEqual(value, before) ? [] : [invalid(path, value, 'field is immutable')];
}
