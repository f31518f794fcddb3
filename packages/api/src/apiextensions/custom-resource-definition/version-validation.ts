import type { Walk } from '@binnacle/base';
import { deepEqual, names } from '@binnacle/machinery';
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresourceScale,
  JSONSchemaProps,
} from '../../generated/apiextensions-v1.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import type { Report } from '../../validation/report.ts';
import { shownSchema, shownVersions } from './internal-form.ts';
import { validateRules } from './rule-shape.ts';
import { findExpressible, validateSchema } from './schema-validation.ts';
import { saysNothing } from './schema-parts.ts';
import { validateSelectableFields } from './selectable-fields.ts';
import { partPlaces } from './shared-parts.ts';
import { validateStructure } from './structure-validation.ts';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const WARNING_BYTES_MAX = 256;
/** What may stand at the root of a schema whose status is a subresource, which is judged by its own part alone. */
const AT_ROOT = [
  ...['description', 'type', 'format', 'title', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
  ...['maxLength', 'minLength', 'pattern', 'maxItems', 'minItems', 'uniqueItems', 'multipleOf', 'required', 'items'],
  ...['properties', 'externalDocs', 'example', 'x-kubernetes-preserve-unknown-fields', 'x-kubernetes-validations'],
];
/** The same as upstream's own kind calls them. */
const SHOWN_AT_ROOT = `[${AT_ROOT.map((field) => field.replace('x-kubernetes', 'x').replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())).join(' ')}]`;
const PATH = fieldPath('spec', 'versions');

type Version = CustomResourceDefinitionVersion;

/** The versions of a definition: each with a name and a schema of its own, exactly one that is stored. */
export function* validateVersions(versions: readonly Version[], before: readonly Version[], report: Report): Walk {
  for (const [at, version] of versions.entries()) validateName(version, PATH.index(at), report);
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    report.invalid(PATH, shownVersions(versions), 'must contain unique version names');
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    report.invalid(PATH, shownVersions(versions), 'must have exactly one version marked as storage version');
  }
  // The first version is upstream's `spec.version` too.
  const first = versions[0]?.name ?? '';
  const errors = first === '' ? [] : names.dns1035LabelErrors(first);
  if (errors.length > 0) report.invalid(fieldPath('spec', 'version'), first, errors.join(','));
  yield validateSchemas(versions, before, report);
  for (const { version, path } of partPlaces(versions, 'subresources')) {
    const scale = version.subresources?.scale;
    if (scale) validateScale(scale, path.child('scale'), report);
  }
  for (const { version, path } of partPlaces(versions, 'additionalPrinterColumns')) {
    for (const [at, column] of (version.additionalPrinterColumns ?? []).entries()) {
      validateColumn(column, path.index(at), report);
    }
  }
  const schemas = partPlaces(versions, 'schema')[0];
  for (const { version, path, isShared } of partPlaces(versions, 'selectableFields')) {
    // What stands once for all versions is looked for there alone, and what stands in a version there.
    const schema = schemas?.isShared === isShared ? version.schema?.openAPIV3Schema : undefined;
    validateSelectableFields({ fields: version.selectableFields ?? [], schema, isShared }, path, report);
  }
}

function validateName({ name, deprecated, deprecationWarning }: Version, path: FieldPath, report: Report): void {
  const errors = names.dns1035LabelErrors(name);
  if (errors.length > 0) report.invalid(path.child('name'), name, errors.join(','));
  if (deprecationWarning === undefined) return;
  const warningPath = path.child('deprecationWarning');
  if (deprecated !== true)
    return report.invalid(warningPath, deprecationWarning, 'can only be set for deprecated versions');
  report.invalidEach(warningPath, deprecationWarning, warningErrors(deprecationWarning));
  return undefined;
}

/** A warning travels in a header. */
function warningErrors(text: string): string[] {
  const errors: string[] = [];
  if (new TextEncoder().encode(text).length > WARNING_BYTES_MAX) errors.push('must be <= 256 characters long');
  if (text === '') errors.push('must not be an empty string');
  const odd = /[^\P{C}]|[\p{Z}--[ ]]/v.exec(text);
  if (odd !== null) {
    const at = new TextEncoder().encode(text.slice(0, odd.index)).length;
    errors.push(`must only contain printable UTF-8 characters; non-printable character found at index ${at}`);
  }
  return errors;
}

/** A schema that was taken before is taken as it is. */
function* validateSchemas(versions: readonly Version[], before: readonly Version[], report: Report): Walk {
  for (const [at, version] of versions.entries()) {
    if (version.schema?.openAPIV3Schema === undefined) {
      report.required(PATH.index(at).child('schema').child('openAPIV3Schema'));
    }
  }
  for (const { version, path, isShared } of partPlaces(versions, 'schema')) {
    const schema = version.schema?.openAPIV3Schema;
    const hasStatus = (isShared ? versions : [version]).some(({ subresources }) => subresources?.status !== undefined);
    const isKnown = before.some((old) => old.name === version.name && deepEqual(old.schema, version.schema));
    if (schema !== undefined && !isKnown) {
      yield validateVersionSchema({ schema, hasStatus }, path.child('openAPIV3Schema'), report);
    }
  }
}

function* validateVersionSchema(
  { schema, hasStatus }: { readonly schema: JSONSchemaProps; readonly hasStatus: boolean },
  path: FieldPath,
  report: Report,
): Walk {
  const found = report.count;
  if (hasStatus) validateRoot(schema, path, report);
  if (schema.nullable === true) report.forbidden(path.child('nullable'), 'nullable cannot be true at the root');
  const expressible = { holds: true };
  yield findExpressible(schema, expressible);
  const told = report.errors.length;
  if (expressible.holds) yield validateStructure(schema, path, report);
  report.sortAfter(told);
  yield validateSchema(schema, path, report);
  // Those of a schema that is right are judged by whoever reads their expressions.
  if (report.count > found) yield validateRules({ schema, path, isExpressible: expressible.holds }, report);
  // All else that cannot be expressed was told above.
  if (report.count === found && !expressible.holds) {
    report.invalid(path, '', "OpenAPIV3Schema 'schema' is not supported");
  }
}

function validateRoot(schema: JSONSchemaProps, path: FieldPath, report: Report): void {
  const wrong = Object.entries(schema).find(([field, value]) => !AT_ROOT.includes(field) && !saysNothing(value));
  if (schema.type && schema.type !== 'object') {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    report.invalid(path.child('type'), schema.type, detail);
  } else if (wrong !== undefined) {
    const detail = `only ${SHOWN_AT_ROOT} fields are allowed at the root of the schema if the status subresource is enabled`;
    report.invalid(path, shownSchema(schema), detail);
  }
}

function validateScale(scale: CustomResourceSubresourceScale, path: FieldPath, report: Report): void {
  const { specReplicasPath: wanted, statusReplicasPath: real, labelSelectorPath: selector } = scale;
  const below = (value: string, field: string, [roots, what]: [roots: readonly string[], what: string]): void => {
    const at = path.child(field);
    if (!isPath(value, at, report)) return;
    if (!roots.some((root) => value.startsWith(root))) report.invalid(at, value, `should be a json path under ${what}`);
  };
  if (!wanted) report.required(path.child('specReplicasPath'));
  else below(wanted, 'specReplicasPath', [['.spec.'], '.spec']);
  if (!real) report.required(path.child('statusReplicasPath'));
  else below(real, 'statusReplicasPath', [['.status.'], '.status']);
  if (selector) below(selector, 'labelSelectorPath', [['.spec.', '.status.'], 'either .spec or .status']);
}

function validateColumn(column: CustomResourceColumnDefinition, path: FieldPath, report: Report): void {
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  if (!column.name) report.required(path.child('name'));
  if (!column.type) report.required(path.child('type'), types);
  else if (!COLUMN_TYPES.includes(column.type)) report.invalid(path.child('type'), column.type, types);
  if (column.format && !COLUMN_FORMATS.includes(column.format)) {
    report.invalid(path.child('format'), column.format, `must be one of ${COLUMN_FORMATS.join(',')}`);
  }
  // Upstream's own kind writes it this way.
  const jsonPath = path.child('JSONPath');
  if (!column.jsonPath) report.required(jsonPath);
  else isPath(column.jsonPath, jsonPath, report);
}

function isPath(value: string, path: FieldPath, report: Report): boolean {
  if (value.startsWith('.')) return true;
  report.invalid(path, value, 'must be a simple json path starting with .');
  return false;
}
