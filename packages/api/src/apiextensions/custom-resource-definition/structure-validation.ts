import type { JSONSchemaProps } from '../../generated/apiextensions-v1.ts';
import type { FieldPath } from '../../validation/path.ts';
import type { Report } from '../../validation/report.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const LIST_TYPES = ['atomic', 'map', 'set'];
const MAP_TYPES = ['atomic', 'granular'];

/** Is a schema structural: does every place say what it holds, so that objects can be pruned and defaulted by it? */
export function validateStructure(schema: JSONSchemaProps, path: FieldPath, report: Report): void {
  if (!schema.type) report.required(path.child('type'), 'must not be empty at the root');
  else if (schema.type !== 'object') report.invalid(path.child('type'), schema.type, 'must be object at the root');
  validateBelow(schema, path, report);
}

function validateNode(schema: JSONSchemaProps, what: string, { path, report }: Place): void {
  const isFree =
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (!schema.type && !isFree) report.required(path.child('type'), `must not be empty for specified ${what}`);
  if (schema.type && schema['x-kubernetes-int-or-string'] === true) {
    report.invalid(path.child('type'), schema.type, 'must be empty if x-kubernetes-int-or-string is true');
  }
  validateBelow(schema, path, report);
}

interface Place {
  readonly path: FieldPath;
  readonly report: Report;
}

function validateBelow(schema: JSONSchemaProps, path: FieldPath, report: Report): void {
  if (schema.type && !TYPES.includes(schema.type)) report.unsupported(path.child('type'), schema.type, TYPES);
  const properties = Object.entries(schema.properties ?? {});
  for (const [name, inner] of properties) {
    validateNode(inner, 'object fields', { path: path.child('properties').key(name), report });
  }
  const additional = asSchema(schema.additionalProperties);
  if (additional) validateNode(additional, 'object fields', { path: path.child('additionalProperties'), report });
  if (properties.length > 0 && (additional || schema.additionalProperties === true)) {
    report.forbidden(path.child('additionalProperties'), 'additionalProperties and properties are mutual exclusive');
  }
  if (schema.uniqueItems === true) {
    report.forbidden(
      path.child('uniqueItems'),
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    );
  }
  validateItems(schema, path, report);
  validateExtensions(schema, path, report);
}

function validateItems(schema: JSONSchemaProps, path: FieldPath, report: Report): void {
  const given: unknown = schema.items;
  if (Array.isArray(given)) {
    return report.forbidden(path.child('items'), 'items must be a schema object and not an array');
  }
  const items = asSchema(given);
  if (items) validateNode(items, 'array items', { path: path.child('items'), report });
  else if (schema.type === 'array') report.required(path.child('items'), 'must be specified');
  return undefined;
}

function validateExtensions(schema: JSONSchemaProps, path: FieldPath, report: Report): void {
  const preserve = schema['x-kubernetes-preserve-unknown-fields'];
  if (preserve === false) {
    report.invalid(path.child('x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined');
  }
  if (schema['x-kubernetes-embedded-resource'] === true && schema.type !== 'object') {
    report.invalid(path.child('type'), schema.type ?? '', 'must be object if x-kubernetes-embedded-resource is true');
  }
  const listType = schema['x-kubernetes-list-type'];
  if (listType !== undefined) validateListType({ schema, listType }, path, report);
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType !== undefined && !MAP_TYPES.includes(mapType)) {
    report.unsupported(path.child('x-kubernetes-map-type'), mapType, MAP_TYPES);
  }
}

function validateListType(
  { schema, listType }: { readonly schema: JSONSchemaProps; readonly listType: string },
  path: FieldPath,
  report: Report,
): void {
  if (schema.type !== 'array') {
    report.invalid(path.child('type'), schema.type ?? '', 'must be array if x-kubernetes-list-type is specified');
  }
  if (!LIST_TYPES.includes(listType)) report.unsupported(path.child('x-kubernetes-list-type'), listType, LIST_TYPES);
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const keysPath = path.child('x-kubernetes-list-map-keys');
  if (listType === 'map' && keys.length === 0) {
    report.required(keysPath, 'must not be empty if x-kubernetes-list-type is map');
  }
  const known = asSchema(schema.items)?.properties ?? {};
  for (const [at, key] of keys.entries()) {
    if (!Object.hasOwn(known, key))
      report.invalid(keysPath.index(at), key, 'entries must all be names of item properties');
  }
}

function asSchema(value: unknown): JSONSchemaProps | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JSONSchemaProps) : undefined;
}
