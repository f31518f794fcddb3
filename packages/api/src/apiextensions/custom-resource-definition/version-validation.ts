import { names } from '@binnacle/machinery';
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresourceScale,
} from '../../generated/apiextensions-v1.ts';
import type { FieldPath } from '../../validation/path.ts';
import type { Report } from '../../validation/report.ts';
import { validateStructure } from './structure-validation.ts';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];

/** The versions of a definition: each with a name and a schema of its own, exactly one that is stored. */
export function validateVersions(
  versions: readonly CustomResourceDefinitionVersion[],
  path: FieldPath,
  report: Report,
): void {
  for (const [at, version] of versions.entries()) validateVersion(version, path.index(at), report);
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    report.invalid(path, versions, 'must contain unique version names');
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    report.invalid(path, versions, 'must have exactly one version marked as storage version');
  }
}

function validateVersion(version: CustomResourceDefinitionVersion, path: FieldPath, report: Report): void {
  const errors = names.dns1035LabelErrors(version.name);
  if (errors.length > 0) report.invalid(path.child('name'), version.name, errors.join(','));
  const schema = version.schema?.openAPIV3Schema;
  const schemaPath = path.child('schema').child('openAPIV3Schema');
  if (schema === undefined) report.required(schemaPath, 'schemas are required');
  else validateStructure(schema, schemaPath, report);
  const scale = version.subresources?.scale;
  if (scale) validateScale(scale, path.child('subresources').child('scale'), report);
  for (const [at, column] of (version.additionalPrinterColumns ?? []).entries()) {
    validateColumn(column, path.child('additionalPrinterColumns').index(at), report);
  }
}

function validateScale(scale: CustomResourceSubresourceScale, path: FieldPath, report: Report): void {
  const { specReplicasPath: wanted, statusReplicasPath: real, labelSelectorPath: selector } = scale;
  if (!wanted) report.required(path.child('specReplicasPath'));
  else if (!wanted.startsWith('.spec.')) {
    report.invalid(path.child('specReplicasPath'), wanted, 'should be a json path under .spec');
  }
  if (!real) report.required(path.child('statusReplicasPath'));
  else if (!real.startsWith('.status.')) {
    report.invalid(path.child('statusReplicasPath'), real, 'should be a json path under .status');
  }
  if (selector && !selector.startsWith('.spec.') && !selector.startsWith('.status.')) {
    report.invalid(path.child('labelSelectorPath'), selector, 'should be a json path under either .spec or .status');
  }
}

function validateColumn(column: CustomResourceColumnDefinition, path: FieldPath, report: Report): void {
  if (!column.name) report.required(path.child('name'));
  if (!column.type) report.required(path.child('type'), `must be one of ${COLUMN_TYPES.join(',')}`);
  else if (!COLUMN_TYPES.includes(column.type)) {
    report.invalid(path.child('type'), column.type, `must be one of ${COLUMN_TYPES.join(',')}`);
  }
  if (!column.jsonPath) report.required(path.child('jsonPath'));
}
