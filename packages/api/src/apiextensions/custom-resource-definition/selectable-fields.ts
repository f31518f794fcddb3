/** Fields by which objects of a custom kind are selected: each a single value that the schema knows. */
import type { JSONSchemaProps, SelectableField } from '../../generated/apiextensions-v1.ts';
import type { FieldPath } from '../../validation/path.ts';
import type { Report } from '../../validation/report.ts';
import { asSchema, membersOf } from './schema-parts.ts';

const FIELDS_MAX = 8;
const TYPES: ReadonlySet<string> = new Set(['string', 'boolean', 'integer']);

export function validateSelectableFields(
  of: {
    readonly fields: readonly SelectableField[];
    readonly schema: JSONSchemaProps | undefined;
    /** They stand for all versions. */
    readonly isShared: boolean;
  },
  path: FieldPath,
  report: Report,
): void {
  const { fields, schema, isShared } = of;
  if (fields.length === 0) return;
  if (schema === undefined) {
    const where = isShared ? 'validations.schema is included' : '`version.schema.openAPIV3Schema` is not included';
    return report.invalid(path, '', `may only be set when ${where}`);
  }
  const seen = new Set<string>();
  for (const [at, { jsonPath }] of fields.entries()) {
    const where = path.index(at).child('jsonPath');
    if (!jsonPath) {
      report.required(where);
      continue;
    }
    const { steps, problem, found } = follow(jsonPath, schema);
    if (problem !== undefined) {
      report.invalid(where, jsonPath, `is an invalid path: ${problem}`);
      continue;
    }
    if (steps[0] === 'metadata') report.invalid(where, jsonPath, 'must not point to fields in metadata');
    if (!TYPES.has(found?.type ?? '')) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      report.invalid(where, jsonPath, detail);
    }
    const key = JSON.stringify(steps);
    if (seen.has(key)) report.duplicate(where, jsonPath);
    seen.add(key);
  }
  if (seen.size > FIELDS_MAX) report.tooMany(path, seen.size, FIELDS_MAX);
  return undefined;
}

interface Followed {
  readonly steps: readonly string[];
  readonly problem?: string;
  /** The schema of what the path leads to. */
  readonly found?: JSONSchemaProps | undefined;
}

/** Follows `.spec.color`; lists have no place in it. */
function follow(jsonPath: string, schema: JSONSchemaProps): Followed {
  const tokens = jsonPath.match(/'(?:\\.|[^'\\])*'|[.[\]]|[^.[\]]+/g) ?? [];
  const steps: string[] = [];
  let here: JSONSchemaProps | undefined = schema;
  for (let i = 0; i < tokens.length; i += 2) {
    const [mark, name] = [tokens[i], tokens[i + 1]];
    if (mark === '[') return { steps, problem: 'array notation is not allowed' };
    if (mark !== '.') return { steps, problem: `expected [ or . but got: ${mark ?? ''}` };
    if (name === undefined) return { steps, problem: 'unexpected end of JSON path' };
    const properties = membersOf(here?.properties);
    const additional = asSchema(here?.additionalProperties);
    here = properties.length > 0 ? properties.find(([own]) => own === name)?.[1] : additional;
    if (here === undefined) return { steps, problem: 'does not refer to a valid field' };
    steps.push(name);
  }
  return { steps, found: here };
}
