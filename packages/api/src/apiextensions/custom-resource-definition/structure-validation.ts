/** Is a schema structural: does every place say what it holds, so that objects can be pruned and defaulted by it? */
import type { Walk } from '@binnacle/base';
import type { JSONSchemaProps } from '../../generated/apiextensions-v1.ts';
import type { FieldPath } from '../../validation/path.ts';
import type { Report } from '../../validation/report.ts';
import { asSchema, junctorsOf, membersOf, saysNothing } from './schema-parts.ts';

const INT_OR_STRING = 'x-kubernetes-int-or-string';
const EMBEDDED = 'x-kubernetes-embedded-resource';
const PRESERVE = 'x-kubernetes-preserve-unknown-fields';

/** What only the structure may say, and how it is told where a part of `allOf` and its like says it. */
const OF_STRUCTURE: readonly (readonly [field: keyof JSONSchemaProps, detail: string])[] = [
  ['type', 'must be empty'],
  ['default', 'must be undefined'],
  ['title', 'must be empty'],
  ['description', 'must be empty'],
  ['nullable', 'must be false'],
  [PRESERVE, 'must be false'],
  [EMBEDDED, 'must be false'],
  [INT_OR_STRING, 'must be false'],
  ['x-kubernetes-list-map-keys', 'must be empty'],
  ['x-kubernetes-list-type', 'must be undefined'],
  ['x-kubernetes-map-type', 'must be undefined'],
  ['x-kubernetes-validations', 'must be empty'],
];

const WHERE = {
  root: 'at the root',
  item: 'for specified array items',
  field: 'for specified object fields',
} as const;

interface Place {
  readonly path: FieldPath;
  readonly level: keyof typeof WHERE;
}

/** The schema of a version from its root; patterns are looked at where the engine of patterns is. */
export function* validateStructure(schema: JSONSchemaProps, path: FieldPath, report: Report): Walk {
  yield validateNode(schema, { path, level: 'root' }, report);
  for (const part of partsOf(schema, path)) yield completePart({ ...part, spine: schema, at: path }, report);
}

function* validateNode(schema: JSONSchemaProps, place: Place, report: Report): Walk {
  const { path, level } = place;
  const items = asSchema(schema.items);
  if (schema.type === 'array' && items === undefined) report.required(path.child('items'), 'must be specified');
  if (items !== undefined) yield validateNode(items, { path: path.child('items'), level: 'item' }, report);
  for (const [name, inner] of membersOf(schema.properties)) {
    yield validateNode(inner, { path: path.child('properties').key(name), level: 'field' }, report);
  }
  const additional = asSchema(schema.additionalProperties);
  const additionalPath = path.child('additionalProperties');
  if (level === 'root' && hasAdditional(schema)) report.forbidden(additionalPath, 'must not be used at the root');
  if (additional !== undefined) yield validateNode(additional, { path: additionalPath, level: 'field' }, report);
  validateExtensions(schema, path, report);
  const takesEither = isIntOrStringPattern(schema);
  for (const part of partsOf(schema, path)) {
    if (takesEither && part.junctor === 'anyOf') continue;
    yield validatePart(part, report);
  }
  validateType(schema, place, report);
  if (level === 'root' || schema[EMBEDDED] === true) validateResourceFields(schema, place, report);
  if (schema[EMBEDDED] === true && schema[PRESERVE] !== true && membersOf(schema.properties).length === 0) {
    const detail = `must not be empty if ${EMBEDDED} is true without ${PRESERVE}`;
    report.required(path.child('properties'), detail);
  }
}

function hasAdditional({ additionalProperties }: JSONSchemaProps): boolean {
  return additionalProperties !== undefined && additionalProperties !== null;
}

function validateExtensions(schema: JSONSchemaProps, path: FieldPath, report: Report): void {
  if (schema[INT_OR_STRING] !== true) return;
  for (const field of [PRESERVE, EMBEDDED] as const) {
    if (schema[field] === true) report.invalid(path.child(field), true, `must be false if ${INT_OR_STRING} is true`);
  }
}

function validateType(schema: JSONSchemaProps, { path, level }: Place, report: Report): void {
  const { type = '' } = schema;
  const typePath = path.child('type');
  if (schema[EMBEDDED] === true && type !== 'object') {
    const detail = `must be object if ${EMBEDDED} is true`;
    if (type === '') report.required(typePath, detail);
    else report.invalid(typePath, type, detail);
  } else if (type === '' && schema[INT_OR_STRING] !== true && schema[PRESERVE] !== true) {
    report.required(typePath, `must not be empty ${WHERE[level]}`);
  }
  if (schema[EMBEDDED] === true && hasAdditional(schema)) {
    report.forbidden(path.child('additionalProperties'), `must not be used if ${EMBEDDED} is set`);
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    report.invalid(typePath, type, 'must be object at the root');
  }
}

/** What every resource has is known; a schema may narrow the names of its objects, and nothing else of them. */
function validateResourceFields(schema: JSONSchemaProps, { path, level }: Place, report: Report): void {
  const properties = schema.properties ?? {};
  for (const name of ['kind', 'apiVersion'] as const) {
    const property = own(properties, name);
    if (property === undefined || property.type === 'string') continue;
    report.invalid(path.child('properties').key(name).child('type'), property.type ?? '', 'must be string');
  }
  const metadata = own(properties, 'metadata');
  if (metadata === undefined) return;
  const metadataPath = path.child('properties').key('metadata');
  if (metadata.type !== 'object') report.invalid(metadataPath.child('type'), metadata.type ?? '', 'must be object');
  if (level !== 'root' || isOfNamesOnly(metadata)) return;
  const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
  report.forbidden(metadataPath, detail);
}

function isOfNamesOnly({ type: _type, default: _default, properties, ...rest }: JSONSchemaProps): boolean {
  const names = Object.keys(properties ?? {});
  return (
    names.every((name) => name === 'name' || name === 'generateName') &&
    Object.values(rest).every((value) => saysNothing(value))
  );
}

/** A part of `allOf`, `anyOf`, `oneOf` or `not`. */
interface Part {
  readonly part: JSONSchemaProps;
  readonly path: FieldPath;
  readonly junctor: string;
  readonly at: number | undefined;
  /** The part's own `anyOf` is the one that any integer or text passes. */
  readonly takesEither: boolean;
}

function partsOf(schema: JSONSchemaProps, path: FieldPath): Part[] {
  const isFirstEither = isEither(schema.allOf?.[0]?.anyOf);
  return junctorsOf(schema).map(({ junctor, at, part }) => {
    const where = path.child(junctor);
    const takesEither = isFirstEither && junctor === 'allOf' && at === 0;
    return { part, junctor, at, takesEither, path: at === undefined ? where : where.index(at) };
  });
}

/** `anyOf: [{type: integer}, {type: string}]`, which may stand with `x-kubernetes-int-or-string`. */
function isIntOrStringPattern({ anyOf }: JSONSchemaProps): boolean {
  return isEither(anyOf);
}

function isEither(parts: readonly JSONSchemaProps[] | undefined): boolean {
  if (parts?.length !== 2) return false;
  return ['integer', 'string'].every((type, at) => {
    const { type: own, ...rest } = parts[at] ?? {};
    return own === type && Object.values(rest).every((value) => saysNothing(value));
  });
}

/** A part narrows values; what a place holds is said outside of it. */
function* validatePart({ part, path, takesEither }: Omit<Part, 'junctor' | 'at'>, report: Report): Walk {
  for (const inner of partsOf(part, path)) {
    if (takesEither && inner.junctor === 'anyOf') continue;
    yield validatePart(inner, report);
  }
  const below = { takesEither: false };
  const items = asSchema(part.items);
  if (items !== undefined) yield validatePart({ ...below, part: items, path: path.child('items') }, report);
  for (const [name, inner] of membersOf(part.properties)) {
    yield validatePart({ ...below, part: inner, path: path.child('properties').key(name) }, report);
  }
  if (hasAdditional(part) && part.additionalProperties !== false) {
    report.forbidden(path.child('additionalProperties'), 'must be undefined to be structural');
  }
  for (const [field, detail] of OF_STRUCTURE) {
    if (!saysNothing(part[field]) || (field === 'default' && part.default !== undefined)) {
      report.forbidden(path.child(field), `${detail} to be structural`);
    }
  }
  if (own(part.properties ?? {}, 'metadata') !== undefined) {
    report.forbidden(path.child('properties').key('metadata'), 'must not be specified in a nested context');
  }
}

interface Completing {
  readonly part: JSONSchemaProps;
  readonly path: FieldPath;
  /** The same place in the structure. */
  readonly spine: JSONSchemaProps | undefined;
  readonly at: FieldPath;
}

/** What a part narrows has to be there. */
function* completePart({ part, path, spine, at }: Completing, report: Report): Walk {
  if (spine === undefined) return report.required(at, `because it is defined in ${path.toString()}`);
  for (const inner of partsOf(part, path)) {
    yield completePart({ part: inner.part, path: inner.path, spine, at }, report);
  }
  const items = asSchema(part.items);
  if (items !== undefined) {
    const there = { spine: asSchema(spine.items), at: at.child('items') };
    yield completePart({ part: items, path: path.child('items'), ...there }, report);
  }
  for (const [name, inner] of membersOf(part.properties)) {
    const there = { spine: own(spine.properties ?? {}, name), at: at.child('properties').key(name) };
    yield completePart({ part: inner, path: path.child('properties').key(name), ...there }, report);
  }
  return undefined;
}

function own(properties: NonNullable<JSONSchemaProps['properties']>, name: string): JSONSchemaProps | undefined {
  return Object.hasOwn(properties, name) ? asSchema(properties[name]) : undefined;
}
