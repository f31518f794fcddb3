import type { JSONSchemaProps } from '../../generated/apiextensions-v1.ts';

/** A schema where one stands; undefined for lists, truth values and nothing. */
export function asSchema(value: unknown): JSONSchemaProps | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JSONSchemaProps) : undefined;
}

/** The members of a map of schemas. */
export function membersOf(map: { readonly [name: string]: unknown } | undefined): [string, JSONSchemaProps][] {
  return Object.entries(map ?? {}).flatMap(([name, value]): [string, JSONSchemaProps][] => {
    const schema = asSchema(value);
    return schema === undefined ? [] : [[name, schema]];
  });
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

/** Whether something is filled in anywhere in a schema. */
export function hasDefault(schema: JSONSchemaProps | undefined): boolean {
  if (schema === undefined) return false;
  if (schema.default !== undefined && schema.default !== null) return true;
  const items = Array.isArray(schema.items) ? (schema.items as unknown[]) : [schema.items];
  const below = [...items, schema.additionalProperties, schema.additionalItems].flatMap((one) => asSchema(one) ?? []);
  const named = [schema.properties, schema.patternProperties, schema.definitions, schema.dependencies].flatMap(
    membersOf,
  );
  const parts = junctorsOf(schema).map(({ part }) => part);
  return [...below, ...parts, ...named.map(([, inner]) => inner)].some(hasDefault);
}
