import { deepEqual } from '../deep-equal.ts';
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from '../generated/meta-v1.ts';
import { parseGroupVersion } from '../object.ts';
import type { FieldError } from '../status-error.ts';
import {
  child,
  eachError,
  FIELD_ERRORS_MAX,
  forbidden,
  index,
  invalid,
  invalidAll,
  required,
  tooLong,
} from './field.ts';
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

const NO_ERRORS: readonly FieldError[] = [];
const ANNOTATIONS_BYTES_MAX = 256 * 1024;

/** Metadata of a new object, after its name was generated. */
export function validateObjectMeta(meta: ObjectMeta, rules: ObjectMetaRules): FieldError[] {
  const path = rules.path ?? 'metadata';
  const { labels, annotations, ownerReferences, finalizers, managedFields } = meta;
  const errors = validateName(meta, rules, path);
  take(errors, validateNamespace(meta, rules, path));
  take(errors, validateGeneration(meta, path));
  // What is not there is not looked at: most objects have few of these.
  if (labels) take(errors, validateLabels(labels, child(path, 'labels')));
  if (annotations) take(errors, validateAnnotations(annotations, child(path, 'annotations')));
  if (ownerReferences) take(errors, validateOwnerReferences(ownerReferences, child(path, 'ownerReferences')));
  if (finalizers) take(errors, validateFinalizers(finalizers, child(path, 'finalizers')));
  if (managedFields) take(errors, validateManagedFields(managedFields, child(path, 'managedFields')));
  return errors;
}

function take(errors: FieldError[], more: readonly FieldError[]): void {
  for (const error of more) errors.push(error);
}

function validateName(meta: ObjectMeta, { nameCheck }: ObjectMetaRules, path: FieldPath): FieldError[] {
  const generateName = meta.generateName ?? '';
  const name = meta.name ?? '';
  const errors: FieldError[] = [];
  if (generateName !== '') {
    const problems = nameCheck(maskTrailingDash(generateName));
    if (problems.length > 0) take(errors, invalidAll(child(path, 'generateName'), generateName, problems));
  }
  if (name === '') errors.push(required(child(path, 'name'), 'name or generateName is required'));
  else take(errors, invalidAll(child(path, 'name'), name, nameCheck(name)));
  return errors;
}

/** A prefix of generated names as names are checked: it may end with a dash, as something follows it. */
export function maskTrailingDash(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix;
}

function validateNamespace(meta: ObjectMeta, rules: ObjectMetaRules, path: FieldPath): readonly FieldError[] {
  const namespace = meta.namespace ?? '';
  if (!rules.namespaced) {
    return namespace === '' ? NO_ERRORS : [forbidden(child(path, 'namespace'), 'not allowed on this type')];
  }
  if (namespace === '') return [required(child(path, 'namespace'))];
  return invalidAll(child(path, 'namespace'), namespace, dnsLabelErrors(namespace));
}

function validateGeneration(meta: ObjectMeta, path: FieldPath): readonly FieldError[] {
  const generation = meta.generation ?? 0;
  return generation >= 0
    ? NO_ERRORS
    : [invalid(child(path, 'generation'), generation, 'must be greater than or equal to 0')];
}

/** Keys of annotations in any case, and the size of them all. */
export function validateAnnotations(
  annotations: { readonly [key: string]: string } = {},
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  let length = 0;
  for (const name in annotations) {
    length += name.length + (annotations[name] ?? '').length;
    if (errors.length >= FIELD_ERRORS_MAX) continue;
    const problems = qualifiedNameErrors(name.toLowerCase());
    if (problems.length > 0) take(errors, invalidAll(path, name, problems));
  }
  // No character takes more than three bytes: they are counted only where that could be too many.
  if (length * 3 > ANNOTATIONS_BYTES_MAX && !fitsAnnotations(annotations)) {
    errors.push(tooLong(path, ANNOTATIONS_BYTES_MAX));
  }
  return errors;
}

/** Whether an object may have so much in its annotations: 256 KiB, keys and values together. */
export function fitsAnnotations(annotations: { readonly [key: string]: string }): boolean {
  return bytesOf(annotations) <= ANNOTATIONS_BYTES_MAX;
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
  const { version } = parseGroupVersion(reference.apiVersion);
  // What is more than a group and its version has none, as Go reads it.
  if (version === '' || version.includes('/')) {
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
  for (const name of IMMUTABLE) {
    // Texts, numbers and times, nearly always the same: no path is made for them.
    if (meta[name] !== before[name]) take(errors, validateImmutableMeta(meta, before, { name, path }));
  }
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
