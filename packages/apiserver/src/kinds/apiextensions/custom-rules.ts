/** What holds for the objects of one version of a custom kind: its schema's defaults and validation, and the strategy. */
import type { FieldValue, KindRules } from '@binnacle/api';
import type { CustomResourceDefinitionVersion } from '@binnacle/api/apiextensions/v1';
import { deepEqual } from '@binnacle/machinery';
import type { FieldError, KubeObject } from '@binnacle/machinery';
import { applyDefaults, topNode, validateStructural } from '@binnacle/machinery/structural';
import type { SchemaProps } from '@binnacle/machinery/structural';
import type { Strategy } from '../../ports/strategy.ts';
import { asDraft } from '../../storage/draft.ts';
import { parseJsonPath } from './json-path.ts';

/** Who an object of a version says that it is. */
export interface CustomKindName {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The schema of a version; one without takes anything. */
export function schemaOf(version: CustomResourceDefinitionVersion): SchemaProps {
  return (version.schema?.openAPIV3Schema ?? { 'x-kubernetes-preserve-unknown-fields': true }) as SchemaProps;
}

export function customRules(version: CustomResourceDefinitionVersion): KindRules {
  const schema = schemaOf(version);
  const fields = selectable(version);
  return {
    defaults: (object) => applyDefaults(object, topNode(schema)),
    validate: (object) => check(object, schema),
    validateUpdate: (object, before) => ratchet(check(object, schema), object, before),
    validateStatusUpdate: (object, before) => ratchet(check(object, schema), object, before),
    ...(fields === undefined ? {} : { fields }),
  };
}

/** What every object has is checked by others. */
function check(object: KubeObject, schema: SchemaProps): FieldError[] {
  return validateStructural(object, schema);
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
