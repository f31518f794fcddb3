import type { JSONSchemaProps } from '../../generated/apiextensions-v1.ts';
import type { FieldPath } from '../../validation/path.ts';

/** A schema where one stands; undefined for lists, truth values and nothing. */
export function asSchema(value: unknown): JSONSchemaProps | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JSONSchemaProps) : undefined;
}

const NO_MEMBERS: readonly (readonly [string, JSONSchemaProps])[] = [];

/** The members of a map of schemas. Asked of each place of a schema, most of which have none. */
export function membersOf(
  map: { readonly [name: string]: unknown } | undefined,
): readonly (readonly [string, JSONSchemaProps])[] {
  if (map === undefined || map === null) return NO_MEMBERS;
  const found: [string, JSONSchemaProps][] = [];
  for (const name of Object.keys(map)) {
    const schema = asSchema(map[name]);
    if (schema !== undefined) found.push([name, schema]);
  }
  return found;
}

/** Whether a field says nothing, as Go's zero values do: false, empty texts, lists and maps; 0 of a number says something. */
export function saysNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true;
  return Array.isArray(value) && value.length === 0;
}

/** The schemas that say more of the same value: `allOf`, `anyOf`, `oneOf` and `not`, by where they stand. */
export function junctorsOf(
  schema: JSONSchemaProps,
): { junctor: string; at: number | undefined; part: JSONSchemaProps }[] {
  const found: { junctor: string; at: number | undefined; part: JSONSchemaProps }[] = [];
  for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [at, part] of (schema[junctor] ?? []).entries()) found.push({ junctor, at, part });
  }
  if (asSchema(schema.not) !== undefined) found.push({ junctor: 'not', at: undefined, part: schema.not ?? {} });
  return found;
}

/** All schemas that stand right in another one, and where. */
export function placesBelow(schema: JSONSchemaProps, path: FieldPath): [JSONSchemaProps, FieldPath][] {
  const found: [JSONSchemaProps, FieldPath][] = [];
  const add = (one: unknown, at: FieldPath): void => {
    const inner = asSchema(one);
    if (inner !== undefined) found.push([inner, at]);
  };
  add(schema.additionalProperties, path.child('additionalProperties'));
  for (const name of ['properties', 'definitions', 'dependencies'] as const) {
    for (const [key, inner] of membersOf(schema[name])) found.push([inner, path.child(name).key(key)]);
  }
  for (const { junctor, at, part } of junctorsOf(schema)) {
    found.push([part, at === undefined ? path.child(junctor) : path.child(junctor).index(at)]);
  }
  const { items } = schema;
  if (!Array.isArray(items)) add(items, path.child('items'));
  else for (const [at, inner] of (items as unknown[]).entries()) add(inner, path.child('items').index(at));
  return found;
}

/** Whether something is filled in anywhere in a schema. */
export function hasDefault(schema: JSONSchemaProps | undefined): boolean {
  if (schema === undefined) return false;
  if (schema.default !== undefined && schema.default !== null) return true;
  const { items, additionalProperties, additionalItems } = schema;
  if ((Array.isArray(items) ? (items as unknown[]) : [items]).some((one) => hasDefault(asSchema(one)))) return true;
  if (hasDefault(asSchema(additionalProperties)) || hasDefault(asSchema(additionalItems))) return true;
  for (const maps of [schema.properties, schema.patternProperties, schema.definitions, schema.dependencies]) {
    if (maps !== undefined && membersOf(maps).some(([, inner]) => hasDefault(inner))) return true;
  }
  return junctorsOf(schema).some(({ part }) => hasDefault(part));
}
