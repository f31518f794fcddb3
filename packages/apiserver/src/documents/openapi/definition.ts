/** The structs of the schema table as definitions of OpenAPI. */
import type { FieldSchema, SchemaRegistry, StructSchema, TypeRef } from '@binnacle/machinery';
import { customDefinitionSchema } from './custom-schema.ts';
import { descriptionOf } from './descriptions.ts';
import type { Dialect, JsonObject } from './dialect.ts';

/** A kind as `x-kubernetes-group-version-kind` writes it. */
export interface KindName {
  readonly group: string;
  readonly kind: string;
  readonly version: string;
}

const MACHINERY = 'io.k8s.apimachinery.pkg';
const APIEXTENSIONS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';
const PREFIXES: { readonly [short: string]: string } = {
  'meta.v1': `${MACHINERY}.apis.meta.v1`,
  'apiextensions.v1': APIEXTENSIONS,
  'apiregistration.v1': 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1',
};

/** `io.k8s.api.core.v1.Pod` for `core.v1.Pod`; `io.ships.v1.Boat` for the custom kind's `ships.io/v1.Boat`. */
export function definitionName(struct: string): string {
  const slash = struct.indexOf('/');
  if (slash !== -1) return `${struct.slice(0, slash).split('.').reverse().join('.')}.${struct.slice(slash + 1)}`;
  const dot = struct.lastIndexOf('.');
  const short = struct.slice(0, dot);
  return `${PREFIXES[short] ?? `io.k8s.api.${short}`}.${struct.slice(dot + 1)}`;
}

/** Types that have a definition of their own although they are no structs. */
const LEAF_NAMES: { readonly [type: TypeRef]: string } = {
  Time: `${MACHINERY}.apis.meta.v1.Time`,
  MicroTime: `${MACHINERY}.apis.meta.v1.MicroTime`,
  Duration: `${MACHINERY}.apis.meta.v1.Duration`,
  FieldsV1: `${MACHINERY}.apis.meta.v1.FieldsV1`,
  Quantity: `${MACHINERY}.api.resource.Quantity`,
  IntOrString: `${MACHINERY}.util.intstr.IntOrString`,
  RawExtension: `${MACHINERY}.runtime.RawExtension`,
  JSON: `${APIEXTENSIONS}.JSON`,
};

function leafDefinition(type: TypeRef, dialect: Dialect): JsonObject {
  switch (type) {
    case 'Time':
    case 'MicroTime':
      return { type: 'string', format: 'date-time' };
    case 'Duration':
      return { type: 'string' };
    case 'Quantity':
      return dialect.version === 2 ? { type: 'string' } : { oneOf: [{ type: 'string' }, { type: 'number' }] };
    case 'IntOrString':
      return dialect.version === 2
        ? { type: 'string', format: 'int-or-string' }
        : { oneOf: [{ type: 'integer' }, { type: 'string' }], format: 'int-or-string' };
    case 'JSON':
      return {};
    default:
      return { type: 'object' };
  }
}

const SCALARS: { readonly [type: TypeRef]: JsonObject } = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
};

/** Definitions of the structs and of everything that they refer to, by name, sorted. */
export function definitions(
  registry: SchemaRegistry,
  structs: Iterable<string>,
  options: { readonly dialect: Dialect; readonly kinds: ReadonlyMap<string, readonly KindName[]> },
): JsonObject {
  const found = new Map<string, JsonObject>();
  const waiting = [...structs].map((name) => `#${name}`);
  for (let type = waiting.pop(); type !== undefined; type = waiting.pop()) {
    const isStruct = type.startsWith('#');
    const name = isStruct ? definitionName(type.slice(1)) : LEAF_NAMES[type];
    if (name === undefined || found.has(name)) continue;
    const struct = isStruct ? registry.struct(type.slice(1)) : undefined;
    if (struct !== undefined) waiting.push(...typesIn(struct));
    const kinds = options.kinds.get(type.slice(1));
    found.set(
      name,
      struct === undefined
        ? leafDefinition(type, options.dialect)
        : structDefinition(type.slice(1), struct, { dialect: options.dialect, kinds }),
    );
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function typesIn({ fields, union = {} }: StructSchema): TypeRef[] {
  return [...Object.values(fields), ...Object.values(union)].map(({ type }) => baseType(type));
}

/** What a list or map, however deep, is made of. */
function baseType(type: TypeRef): TypeRef {
  return type.startsWith('[]') || type.startsWith('{}') ? baseType(type.slice(2)) : type;
}

function structDefinition(
  name: string,
  struct: StructSchema,
  { dialect, kinds }: { readonly dialect: Dialect; readonly kinds: readonly KindName[] | undefined },
): JsonObject {
  if (struct.structural !== undefined) {
    const gvk = kinds === undefined ? {} : { 'x-kubernetes-group-version-kind': kinds };
    return { ...customDefinitionSchema(struct.structural as JsonObject, dialect), ...gvk };
  }
  // A value of several forms has no type that could be said.
  if (struct.union !== undefined) return {};
  const fields = Object.entries(struct.fields);
  const isObject = ['apiVersion', 'kind', 'metadata'].every((key) => Object.hasOwn(struct.fields, key));
  const required = fields.filter(([, field]) => field.required === true).map(([name]) => name);
  return {
    type: 'object',
    ...descriptionOf(name, '', false),
    ...(required.length > 0 ? { required } : {}),
    ...(fields.length > 0
      ? {
          properties: Object.fromEntries(
            fields.map(([key, field]) => [key, property(field, descriptionOf(name, key, isObject), dialect)]),
          ),
        }
      : {}),
    ...(kinds === undefined ? {} : { 'x-kubernetes-group-version-kind': kinds }),
    ...(struct.atomic === true ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  };
}

function property(field: FieldSchema, said: JsonObject, dialect: Dialect): JsonObject {
  const extra = { ...said, ...shownDefault(field, dialect), ...extensions(field) };
  const shape = withValues(typeSchema(field.type, dialect), field.enum);
  if (dialect.version === 3 && '$ref' in shape && Object.keys(extra).length > 0) return { allOf: [shape], ...extra };
  return { ...shape, ...extra };
}

const ZEROES: { readonly [type: string]: unknown } = {
  ...{ string: '', bool: false, double: 0, int32: 0, int64: 0, uint32: 0, uint64: 0 },
};

/** What a reader of Go gets where nothing is written: for structs always, for others where their zero is written. */
function shownDefault({ type, default: marked, pointer, omitEmpty }: FieldSchema, { version }: Dialect): JsonObject {
  if (version === 2) return {};
  if (marked !== undefined) return { default: marked };
  if (pointer === true) return {};
  if (type.startsWith('#')) return { default: {} };
  return omitEmpty === true || !Object.hasOwn(ZEROES, type) ? {} : { default: ZEROES[type] };
}

/** The values that are known stand where the texts are: in the items of a list, in the members of a map. */
function withValues(shape: JsonObject, values: readonly string[] | undefined): JsonObject {
  if (values === undefined) return shape;
  if (shape['type'] === 'string') return { ...shape, enum: values };
  for (const inside of ['items', 'additionalProperties'] as const) {
    const inner = shape[inside] as JsonObject | undefined;
    if (inner !== undefined) return { ...shape, [inside]: withValues(inner, values) };
  }
  return shape;
}

function extensions(field: FieldSchema): JsonObject {
  return {
    ...(field.listKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': field.listKeys }),
    ...(field.listType === undefined ? {} : { 'x-kubernetes-list-type': field.listType }),
    ...(field.atomic === true ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...(field.mergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': field.mergeKey }),
    ...(field.patchStrategy === undefined ? {} : { 'x-kubernetes-patch-strategy': field.patchStrategy }),
  };
}

function typeSchema(type: TypeRef, dialect: Dialect): JsonObject {
  if (type.startsWith('[]')) return { type: 'array', items: typeSchema(type.slice(2), dialect) };
  if (type.startsWith('{}')) return { type: 'object', additionalProperties: typeSchema(type.slice(2), dialect) };
  if (type.startsWith('#')) return reference(type.slice(1), dialect);
  const leaf = LEAF_NAMES[type];
  return leaf === undefined ? (SCALARS[type] ?? {}) : { $ref: dialect.refPrefix + leaf };
}

/** A pointer to the definition of a struct. */
export function reference(struct: string, dialect: Dialect): JsonObject {
  return { $ref: dialect.refPrefix + definitionName(struct) };
}
