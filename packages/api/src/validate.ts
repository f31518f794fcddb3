import type { Pieces } from '@binnacle/base';
import { field, names, validateObjectMeta, validateObjectMetaUpdate } from '@binnacle/machinery';
import type { FieldError, KubeObject } from '@binnacle/machinery';
import { standardFinalizerErrors } from './core/finalizers.ts';
import type { KindRules } from './kind.ts';
import { kindRules } from './kinds.ts';
import { RESOURCES, RESOURCES_ON_REQUEST } from './resources.ts';
import { fieldPath } from './validation/path.ts';
import { Report } from './validation/report.ts';

const BUILT_IN: ReadonlySet<string> = new Set(
  [...RESOURCES, ...RESOURCES_ON_REQUEST].map(({ group, kind }) => `${group}/${kind}`),
);

/** Which kind to validate as; an entry of the resource table will do. */
export interface KindToValidate {
  readonly group: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Rules of a kind that is none of Kubernetes' own; absent: those of the built-in kind of that name. */
  readonly rules?: KindRules;
}

function rulesOf(of: KindToValidate): KindRules {
  return of.rules ?? kindRules(of.group, of.kind);
}

/** Everything that is wrong with a new object, its metadata first. The name is generated already. */
export function validateCreate(of: KindToValidate, object: KubeObject): FieldError[] {
  return [...newMetadataErrors(of, object), ...(rulesOf(of).validate?.(object) ?? [])];
}

function newMetadataErrors(of: KindToValidate, object: KubeObject): FieldError[] {
  const nameCheck = rulesOf(of).nameCheck ?? names.subdomainErrors;
  const errors = validateObjectMeta(object.metadata, { namespaced: of.namespaced, nameCheck });
  return [...errors, ...finalizerErrors(of, object)];
}

/** Everything that is wrong with a change of an object, its status apart. */
export function validateUpdate(of: KindToValidate, object: KubeObject, before: KubeObject): FieldError[] {
  return [...changedMetadataErrors(of, object, before), ...(rulesOf(of).validateUpdate?.(object, before) ?? [])];
}

function changedMetadataErrors(of: KindToValidate, object: KubeObject, before: KubeObject): FieldError[] {
  return [...validateObjectMetaUpdate(object.metadata, before.metadata), ...finalizerErrors(of, object)];
}

/** Everything that is wrong with a change by the subresource `status`. */
export function validateStatusUpdate(of: KindToValidate, object: KubeObject, before: KubeObject): FieldError[] {
  const errors = validateObjectMetaUpdate(object.metadata, before.metadata);
  return [...errors, ...(rulesOf(of).validateStatusUpdate?.(object, before) ?? [])];
}

/**
 * What `validateCreate` finds, and with `before` what `validateUpdate` does, with a rest after each piece of work.
 * Undefined: objects of the kind never take long.
 */
export function findingsOf(
  of: KindToValidate,
  object: KubeObject,
  before?: KubeObject,
): Pieces<FieldError[]> | undefined {
  const found = rulesOf(of).findings?.(object, before);
  const inMetadata = (): FieldError[] =>
    before === undefined ? newMetadataErrors(of, object) : changedMetadataErrors(of, object, before);
  return found === undefined ? undefined : findingsBehind(inMetadata, found);
}

/** Likewise of `validateStatusUpdate`. */
export function statusFindingsOf(
  of: KindToValidate,
  object: KubeObject,
  before: KubeObject,
): Pieces<FieldError[]> | undefined {
  const found = rulesOf(of).statusFindings?.(object, before);
  if (found === undefined) return undefined;
  return findingsBehind(() => validateObjectMetaUpdate(object.metadata, before.metadata), found);
}

function* findingsBehind(inMetadata: () => FieldError[], found: Pieces<FieldError[]>): Pieces<FieldError[]> {
  const errors = inMetadata();
  yield;
  return [...errors, ...(yield* found)];
}

/** Kubernetes' own kinds take only its own finalizers without a domain; custom resources take any. */
function finalizerErrors(of: KindToValidate, object: KubeObject): FieldError[] {
  const finalizers = object.metadata.finalizers;
  if (!finalizers || finalizers.length === 0 || !BUILT_IN.has(`${of.group}/${of.kind}`)) return [];
  const report = new Report();
  const path = fieldPath('metadata', 'finalizers');
  for (const [at, name] of finalizers.entries()) {
    const errors = standardFinalizerErrors(name);
    if (errors.length > 0) report.invalidEach(path.index(at), name, errors);
    // As with the shapes of names: what nobody is told is not looked for.
    if (report.count >= field.FIELD_ERRORS_MAX) break;
  }
  return report.errors;
}
