/** What holds for every place of a schema, inside `not`, `allOf` and their like too, structural or not. */
import type { Walk } from '@binnacle/base';
import type { JSONSchemaProps } from '../../generated/apiextensions-v1.ts';
import type { FieldPath } from '../../validation/path.ts';
import type { Report } from '../../validation/report.ts';
import { validateListType, validateMapType } from './list-type-validation.ts';
import { asSchema, junctorsOf, membersOf, saysNothing } from './schema-parts.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const UNSUPPORTED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const;
const RESOURCE_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Where the walk stands. */
interface Place {
  readonly path: FieldPath;
  readonly isRoot: boolean;
  /** Inside `apiVersion`, `kind` or `metadata` of a resource. */
  readonly isInResourceFields: boolean;
  /** Why nothing may be filled in here. */
  readonly noDefaults: string | undefined;
}

/** The schema of a version from its root. */
export function validateSchema(schema: JSONSchemaProps, path: FieldPath, report: Report): Walk {
  return walk(schema, { path, isRoot: true, isInResourceFields: false, noDefaults: undefined }, report);
}

function* walk(schema: JSONSchemaProps, place: Place, report: Report): Walk {
  const { path } = place;
  validateFields(schema, place, report);
  const below = { ...place, isRoot: false };
  const additional = asSchema(schema.additionalProperties);
  const properties = membersOf(schema.properties);
  if (properties.length > 0 && (additional !== undefined || schema.additionalProperties === false)) {
    report.forbidden(path.child('additionalProperties'), 'additionalProperties and properties are mutual exclusive');
  }
  if (additional !== undefined) {
    const noDefaults = place.isInResourceFields
      ? 'inside additionalProperties applying to object metadata'
      : place.noDefaults;
    yield walk(additional, { ...below, noDefaults, path: path.child('additionalProperties') }, report);
  }
  for (const [name, inner] of properties) {
    yield walk(inner, propertyPlace({ schema, name }, place), report);
  }
  for (const { junctor, at, part } of junctorsOf(schema)) {
    const where = path.child(junctor);
    yield walk(part, { ...below, path: at === undefined ? where : where.index(at) }, report);
  }
  for (const [name, inner] of membersOf(schema.definitions)) {
    yield walk(inner, { ...below, path: path.child('definitions').key(name) }, report);
  }
  for (const [name, inner] of membersOf(schema.dependencies)) {
    yield walk(inner, { ...below, path: path.child('dependencies').key(name) }, report);
  }
  yield walkItems(schema, below, report);
  validateExtensions(schema, path, report);
}

function* walkItems({ items }: JSONSchemaProps, below: Place, report: Report): Walk {
  const path = below.path.child('items');
  const one = asSchema(items);
  if (one !== undefined) yield walk(one, { ...below, path }, report);
  else if (Array.isArray(items)) {
    for (const [at, inner] of (items as JSONSchemaProps[]).entries())
      yield walk(inner, { ...below, path: path.index(at) }, report);
  }
}

function propertyPlace({ schema, name }: { schema: JSONSchemaProps; name: string }, place: Place): Place {
  const isOfResource = place.isRoot || schema['x-kubernetes-embedded-resource'] === true;
  const entersFields = isOfResource && RESOURCE_FIELDS.has(name);
  return {
    path: place.path.child('properties').key(name),
    isRoot: false,
    isInResourceFields: place.isInResourceFields || entersFields,
    noDefaults: entersFields && place.isRoot ? `in top-level ${name}` : place.noDefaults,
  };
}

function validateFields(schema: JSONSchemaProps, { path, ...place }: Place, report: Report): void {
  const { type, items } = schema;
  if (type && !TYPES.includes(type)) report.unsupported(path.child('type'), type, TYPES);
  if (type === 'null') {
    report.forbidden(path.child('type'), 'type cannot be set to null, use nullable as an alternative');
  }
  if (place.noDefaults !== undefined && schema.default !== undefined) {
    report.forbidden(path.child('default'), `must not be set ${place.noDefaults}`);
  }
  for (const field of UNSUPPORTED) {
    if (isGiven(schema, field)) report.forbidden(path.child(field), `${field} is not supported`);
  }
  if (Array.isArray(items) && items.length > 0) {
    report.forbidden(path.child('items'), 'items must be a schema object and not an array');
  }
  if (place.isInResourceFields && schema['x-kubernetes-embedded-resource'] === true) {
    report.forbidden(path.child('x-kubernetes-embedded-resource'), 'must not be used inside of resource meta');
  }
  if (schema.uniqueItems === true) {
    report.forbidden(
      path.child('uniqueItems'),
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    );
  }
}

/** A list of additional items that says false is given all the same; an empty map is not. */
function isGiven(schema: JSONSchemaProps, field: (typeof UNSUPPORTED)[number]): boolean {
  const value: unknown = schema[field];
  if (field === 'additionalItems' || field === 'dependencies' || field === '$ref')
    return value !== undefined && value !== null;
  return !saysNothing(value) && (typeof value !== 'object' || Object.keys(value ?? {}).length > 0);
}

function validateExtensions(schema: JSONSchemaProps, path: FieldPath, report: Report): void {
  const preserve = schema['x-kubernetes-preserve-unknown-fields'];
  if (preserve === false) {
    report.invalid(path.child('x-kubernetes-preserve-unknown-fields'), preserve, 'must be true or undefined');
  }
  validateMapType(schema, path, report);
  validateListType(schema, path, report);
}

/** Whether upstream can make a structural schema of it at all; where not, its structure is not looked at. */
export interface Expressible {
  holds: boolean;
}

/** Finds out whether a schema is expressible: then `so` holds still. */
export function* findExpressible(schema: JSONSchemaProps, so: Expressible): Walk {
  so.holds &&= isOneExpressible(schema);
  const inner = [asSchema(schema.items), asSchema(schema.additionalProperties)].filter((part) => part !== undefined);
  const parts = junctorsOf(schema).map(({ part }) => part);
  const properties = membersOf(schema.properties).map(([, property]) => property);
  for (const part of [...inner, ...parts, ...properties]) {
    if (!so.holds) return;
    yield findExpressible(part, so);
  }
}

function isOneExpressible(schema: JSONSchemaProps): boolean {
  return !(
    UNSUPPORTED.some((field) => field !== '$ref' && isGiven(schema, field)) ||
    Boolean(schema.$ref) ||
    Boolean(schema.$schema) ||
    schema['x-kubernetes-preserve-unknown-fields'] === false ||
    (Array.isArray(schema.items) && schema.items.length > 0)
  );
}
