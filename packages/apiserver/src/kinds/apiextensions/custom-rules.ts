/** What holds for the objects of one version of a custom kind: its schema's defaults and validation, and the strategy. */
import { atOnce } from '@binnacle/base';
import type { Pieces } from '@binnacle/base';
import type { FieldValue, KindRules } from '@binnacle/api';
import type { CustomResourceDefinitionVersion } from '@binnacle/api/apiextensions/v1';
import { deepEqual, field } from '@binnacle/machinery';
import type { FieldError, KubeObject } from '@binnacle/machinery';
import { applyDefaults, readPatterns, topNode, structuralFindings } from '@binnacle/machinery/structural';
import type { SchemaProps, StructuralChange } from '@binnacle/machinery/structural';
import type { Strategy } from '../../ports/strategy.ts';
import { SharedWork } from '../../request/turns.ts';
import { asDraft } from '../../storage/draft.ts';
import { parseJsonPath } from './json-path.ts';
import { hasRules } from './rules/has-rules.ts';
import type { ObjectRules, piecesOfRules } from './rules/evaluate-rules.ts';

/** Who an object of a version says that it is. */
export interface CustomKindName {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The schema of a version; one without takes anything. */
export function schemaOf(version: CustomResourceDefinitionVersion): SchemaProps {
  return (version.schema?.openAPIV3Schema ?? { 'x-kubernetes-preserve-unknown-fields': true }) as SchemaProps;
}

interface KindChange extends StructuralChange {
  readonly before: KubeObject;
}

/** Compiles the rules of a schema; handed in, as it is large and few kinds need it. */
export type CompileRules = typeof piecesOfRules;

/** `compile` is there where a version has rules. */
export function customRules(version: CustomResourceDefinitionVersion, compile?: CompileRules): KindRules {
  const schema = schemaOf(version);
  const fields = selectable(version);
  const rules = compile !== undefined && hasRules(schema) ? new RulesOfKind(schema, compile) : undefined;
  const findings = function* (object: KubeObject, change?: KindChange): Pieces<FieldError[]> {
    const errors = yield* structuralFindings(object, schema, change);
    if (rules === undefined) return errors;
    yield;
    return [...errors, ...(yield* rules.errors(object, change?.before, errors))];
  };
  const ofSpec = (before: KubeObject): KindChange => ({ before, isOfStatus: false });
  const ofStatus = (before: KubeObject): KindChange => ({ before, isOfStatus: true });
  const work = new SharedWork(function* () {
    yield* readPatterns(schema);
    yield* rules?.rest() ?? [];
    return true;
  });
  return {
    ready: () => (work.value === true ? undefined : work.rest()),
    defaults: (object) => applyDefaults(object, topNode(schema)),
    validate: (object) => atOnce(findings(object)),
    validateUpdate: (object, before) => atOnce(findings(object, ofSpec(before))),
    validateStatusUpdate: (object, before) => atOnce(findings(object, ofStatus(before))),
    warnings: (object, before) => [...finalizerWarnings(object, before), ...(rules?.warnings(object) ?? [])],
    findings: (object, before) => findings(object, before && ofSpec(before)),
    statusFindings: (object, before) => findings(object, ofStatus(before)),
    ...(rules === undefined ? {} : { statusWarnings: (object) => rules.warnings(object) }),
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
  readonly #work: SharedWork<ObjectRules | undefined>;
  readonly #warnings = new WeakMap<KubeObject, readonly string[]>();

  constructor(schema: SchemaProps, compile: CompileRules) {
    this.#work = new SharedWork(() => compile(schema));
  }

  /** Compiles what is not yet. */
  rest(): Pieces<unknown> {
    return this.#work.rest();
  }

  /** `found`: what the schema itself says of the object. */
  *errors(
    object: KubeObject,
    before: KubeObject | undefined,
    found: readonly FieldError[],
  ): Pieces<readonly FieldError[]> {
    if (found.some(({ type }) => BLOCKING.has(type))) return [field.invalid('<nil>', null, NOT_CHECKED)];
    const rules = yield* this.#work.rest();
    const { errors, warnings } = rules === undefined ? { errors: [], warnings: [] } : yield* rules(object, before);
    this.#warnings.set(object, warnings);
    return errors;
  }

  /** What was wrong before already, of an object that was looked at. */
  warnings(object: KubeObject): readonly string[] {
    return this.#warnings.get(object) ?? [];
  }
}

const STANDARD: ReadonlySet<string> = new Set(['foregroundDeletion', 'orphan']);
const UNDOMAINED =
  'prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers';
const WITHOUT_PATH =
  'prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers';

/** Names of new finalizers that somebody else could choose too. */
function finalizerWarnings(object: KubeObject, before: KubeObject | undefined): string[] {
  const known = new Set(before?.metadata.finalizers);
  const added = (object.metadata.finalizers ?? []).filter(
    (name) => !known.has(name) && !STANDARD.has(name) && !name.includes('/'),
  );
  return [...new Set(added)].toSorted().map((name) => {
    return `metadata.finalizers: ${JSON.stringify(name)}: ${name.includes('.') ? WITHOUT_PATH : UNDOMAINED}`;
  });
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
  };
}
