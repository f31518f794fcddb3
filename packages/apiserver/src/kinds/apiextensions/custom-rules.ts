/** What holds for the objects of one version of a custom kind: its schema's defaults and validation, and the strategy. */
import type { FieldValue, KindRules } from '@binnacle/api';
import type { CustomResourceDefinitionVersion } from '@binnacle/api/apiextensions/v1';
import { deepEqual, field } from '@binnacle/machinery';
import type { FieldError, KubeObject } from '@binnacle/machinery';
import { applyDefaults, topNode, validateStructural } from '@binnacle/machinery/structural';
import type { SchemaProps } from '@binnacle/machinery/structural';
import type { Strategy } from '../../ports/strategy.ts';
import { asDraft } from '../../storage/draft.ts';
import { parseJsonPath } from './json-path.ts';
import { hasRules } from './rules/has-rules.ts';
import type { objectRules, ObjectRules } from './rules/evaluate-rules.ts';

/** Who an object of a version says that it is. */
export interface CustomKindName {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The schema of a version; one without takes anything. */
export function schemaOf(version: CustomResourceDefinitionVersion): SchemaProps {
  return (version.schema?.openAPIV3Schema ?? { 'x-kubernetes-preserve-unknown-fields': true }) as SchemaProps;
}

/** Compiles the rules of a schema; handed in, as it is large and few kinds need it. */
export type CompileRules = typeof objectRules;

/** `compile` is there where a version has rules. */
export function customRules(version: CustomResourceDefinitionVersion, compile?: CompileRules): KindRules {
  const schema = schemaOf(version);
  const fields = selectable(version);
  const rules = compile !== undefined && hasRules(schema) ? new RulesOfKind(schema, compile) : undefined;
  const changed = (object: KubeObject, before: KubeObject): FieldError[] => {
    const errors = validateStructural(object, schema);
    return [...ratchet(errors, object, before), ...(rules?.errors(object, before, errors) ?? [])];
  };
  return {
    defaults: (object) => applyDefaults(object, topNode(schema)),
    validate(object) {
      const errors = validateStructural(object, schema);
      return [...errors, ...(rules?.errors(object, undefined, errors) ?? [])];
    },
    validateUpdate: changed,
    validateStatusUpdate: changed,
    ...(rules === undefined
      ? {}
      : { warnings: (object) => rules.warnings(object), statusWarnings: (object) => rules.warnings(object) }),
    ...(fields === undefined ? {} : { fields }),
  };
}

/** Rules are not looked at where the schema's own words say that an object is none of its kind. */
const BLOCKING = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);
const NOT_CHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** The rules of a kind in CEL, compiled when the first object comes. */
class RulesOfKind {
  readonly #schema: SchemaProps;
  readonly #compile: CompileRules;
  readonly #warnings = new WeakMap<KubeObject, readonly string[]>();
  #rules: ObjectRules | undefined;

  constructor(schema: SchemaProps, compile: CompileRules) {
    this.#schema = schema;
    this.#compile = compile;
  }

  /** `found`: what the schema itself says of the object. */
  errors(object: KubeObject, before: KubeObject | undefined, found: readonly FieldError[]): readonly FieldError[] {
    if (found.some(({ type }) => BLOCKING.has(type))) return [field.invalid('<nil>', null, NOT_CHECKED)];
    this.#rules ??= this.#compile(this.#schema);
    const { errors, warnings } = this.#rules?.(object, before) ?? { errors: [], warnings: [] };
    this.#warnings.set(object, warnings);
    return errors;
  }

  /** What was wrong before already, of an object that was looked at. */
  warnings(object: KubeObject): readonly string[] {
    return this.#warnings.get(object) ?? [];
  }
}

/**
 * What was wrong before and did not change may stay: a schema that became stricter does not keep its objects from
 * being changed elsewhere. A member that is missing is a mistake of what it should be in.
 */
function ratchet(errors: FieldError[], object: KubeObject, before: KubeObject): FieldError[] {
  return errors.filter((error) => !isUnchanged(error, object, before));
}

function isUnchanged(error: FieldError, object: unknown, before: unknown): boolean {
  const keys = [...error.field.matchAll(/[^.[\]]+/g)].map(([key]) => key);
  if (error.type === 'FieldValueRequired') keys.pop();
  let [now, old] = [object, before];
  for (const key of keys) {
    now = inside(now, key);
    old = inside(old, key);
    if (now === undefined || old === undefined) return false;
  }
  return keys.length > 0 && deepEqual(now, old);
}

function inside(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as { readonly [key: string]: unknown })[key]
    : undefined;
}

function selectable({ selectableFields }: CustomResourceDefinitionVersion): KindRules['fields'] {
  if (selectableFields === undefined || selectableFields.length === 0) return undefined;
  return Object.fromEntries(
    selectableFields.flatMap(({ jsonPath }): [string, FieldValue<KubeObject>][] => {
      const path = parseJsonPath(jsonPath);
      return path === undefined ? [] : [[jsonPath.slice(1), (object) => textOf(path.find(object)[0])]];
    }),
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
}

/** Of all versions of a custom kind: `hasStatus` says by the object's apiVersion whether its status is a subresource. */
export function customStrategy(hasStatus: ReadonlyMap<string, boolean>): Strategy {
  const keepsStatusApart = (object: KubeObject): boolean => hasStatus.get(object.apiVersion ?? '') === true;
  return {
    prepareForCreate(object) {
      if (keepsStatusApart(object)) delete asDraft(object)['status'];
    },
    prepareForUpdate(object, before) {
      const draft = asDraft(object);
      if (keepsStatusApart(object)) {
        if (draft['status'] === undefined) delete draft['status'];
        return;
      }
      // Without the subresource the status is a field like any other, and counts.
      if (deepEqual(draft['status'], asDraft(before)['status'])) return;
      draft.metadata.generation = (before.metadata.generation ?? 0) + 1;
    },
    prepareForStatusUpdate(object, before) {
      const draft = asDraft(object);
      const { resourceVersion } = draft.metadata;
      draft.metadata = { ...before.metadata, resourceVersion };
    },
  };
}
