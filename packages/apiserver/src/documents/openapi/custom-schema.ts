/** Schemas of custom kinds as definitions of OpenAPI: with what every resource has, and in version 2 as much as it can say. */
import { OF_OBJECTS } from './descriptions.ts';
import type { Dialect, JsonObject } from './dialect.ts';

/** Members of a schema that are published as they are, in both versions. */
const PLAIN = [
  'description',
  'title',
  'format',
  'default',
  'example',
  'externalDocs',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'enum',
  'maxProperties',
  'minProperties',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
] as const;

const NOTHING: JsonObject = {};
const INTEGER_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

const API_VERSION = { type: 'string', description: OF_OBJECTS.apiVersion };
const KIND = { type: 'string', description: OF_OBJECTS.kind };

/** The whole definition of a custom kind, without its `x-kubernetes-group-version-kind`. */
export function customDefinitionSchema(schema: JsonObject, dialect: Dialect): JsonObject {
  // kubectl takes any property for the only ones: with some but not all it would refuse the others.
  if (dialect.version === 2 && schema['x-kubernetes-preserve-unknown-fields'] === true) return { type: 'object' };
  const published = publish(schema, dialect);
  const properties = { ...(published['properties'] as JsonObject | undefined), ...resourceProperties(dialect) };
  return { ...published, properties: sorted(properties) };
}

function resourceProperties(dialect: Dialect): JsonObject {
  const ref = { $ref: `${dialect.refPrefix}io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta` };
  // Version 3 reads nothing that stands beside a reference.
  const metadata = { description: OF_OBJECTS.metadata, ...(dialect.version === 3 ? { allOf: [ref] } : ref) };
  return { apiVersion: API_VERSION, kind: KIND, metadata };
}

function publish(schema: JsonObject, dialect: Dialect): JsonObject {
  const out: { [key: string]: unknown } = {};
  for (const name of PLAIN) if (isSaid(schema[name])) out[name] = schema[name];
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const isFree = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const hidden = dialect.version === 2 && (schema['nullable'] === true || isFree);
  const items = asSchema(schema['items']);
  if (items !== undefined && !hidden) out['items'] = publish(items, dialect);
  const properties = Object.entries((schema['properties'] as JsonObject | undefined) ?? NOTHING);
  if (properties.length > 0 && !hidden) {
    out['properties'] = sorted(
      Object.fromEntries(properties.map(([name, inner]) => [name, publish(inner as JsonObject, dialect)])),
    );
  }
  const additional = asSchema(schema['additionalProperties']);
  if (additional !== undefined) out['additionalProperties'] = publish(additional, dialect);
  else if (schema['additionalProperties'] === true) out['additionalProperties'] = true;
  const required = requiredOf(schema, dialect, isEmbedded && !(dialect.version === 2 && isFree));
  if (required.length > 0) out['required'] = required;
  if (isSaid(schema['type']) && !isUntyped(schema, { hidden, isFree, dialect })) out['type'] = schema['type'];
  if (isEmbedded && !(dialect.version === 2 && isFree)) {
    out['properties'] = sorted({ ...(out['properties'] as JsonObject | undefined), ...resourceProperties(dialect) });
  }
  if (dialect.version === 3) Object.assign(out, junctors(schema, dialect));
  return out;
}

/** In version 2 a value that may be null, anything, or a list of anything has no type. */
function isUntyped(
  schema: JsonObject,
  { hidden, isFree, dialect }: { readonly hidden: boolean; readonly isFree: boolean; readonly dialect: Dialect },
): boolean {
  if (dialect.version === 3) return false;
  const { type } = schema;
  if (schema['nullable'] === true) return true;
  if (type === 'array') return hidden || asSchema(schema['items']) === undefined;
  return isFree && type === 'object';
}

/** Version 2 knows no null: a member that may be null is not required. */
function requiredOf(schema: JsonObject, dialect: Dialect, isEmbedded: boolean): readonly string[] {
  let required = (schema['required'] as readonly string[] | undefined) ?? [];
  if (dialect.version === 2) {
    if (asSchema(schema['additionalProperties'])?.['nullable'] === true) required = [];
    const properties = (schema['properties'] as JsonObject | undefined) ?? NOTHING;
    required = required.filter((name) => {
      const inner = Object.hasOwn(properties, name) ? asSchema(properties[name]) : undefined;
      return inner?.['nullable'] !== true;
    });
  }
  if (!isEmbedded) return required;
  return [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))];
}

/** What only version 3 says. */
function junctors(schema: JsonObject, dialect: Dialect): JsonObject {
  const out: { [key: string]: unknown } = {};
  if (schema['nullable'] === true) out['nullable'] = true;
  for (const name of ['allOf', 'anyOf', 'oneOf']) {
    const inner = schema[name];
    if (Array.isArray(inner) && inner.length > 0) {
      out[name] = (inner as readonly JsonObject[]).map((one) => publish(one, dialect));
    }
  }
  const not = asSchema(schema['not']);
  if (not !== undefined) out['not'] = publish(not, dialect);
  if (schema['x-kubernetes-int-or-string'] !== true || saysIntOrString(out)) return out;
  if (out['anyOf'] === undefined) out['anyOf'] = INTEGER_OR_STRING;
  else out['allOf'] = [{ anyOf: INTEGER_OR_STRING }, ...((out['allOf'] as readonly unknown[] | undefined) ?? [])];
  return out;
}

function saysIntOrString({ anyOf, allOf }: JsonObject): boolean {
  const [first] = Array.isArray(allOf) ? (allOf as readonly JsonObject[]) : [];
  return isIntegerOrString(anyOf) || isIntegerOrString(first?.['anyOf']);
}

function isIntegerOrString(anyOf: unknown): boolean {
  return (
    Array.isArray(anyOf) &&
    anyOf.length === 2 &&
    (anyOf as readonly JsonObject[]).every(({ type }, at) => type === INTEGER_OR_STRING[at]?.type)
  );
}

/** Go leaves out what has its zero value. */
function isSaid(value: unknown): boolean {
  return (
    value !== undefined &&
    value !== null &&
    value !== '' &&
    value !== false &&
    !(Array.isArray(value) && value.length === 0)
  );
}

function asSchema(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

function sorted(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
