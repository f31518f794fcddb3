/** The documents of both dialects. */
import type { ResourceInfo } from '@binnacle/api';
import type { SchemaRegistry } from '@binnacle/machinery';
import { definitions, reference } from './definition.ts';
import { V2, V3 } from './dialect.ts';
import type { KindName } from './definition.ts';
import type { Dialect, JsonObject } from './dialect.ts';
import { listStruct, pathsOf, queryType } from './operation.ts';
import type { Operation, Path } from './operation.ts';

export interface OpenApiSource {
  readonly resources: readonly ResourceInfo[];
  readonly schemas: SchemaRegistry;
  /** Of the server: `v1.36.0`. */
  readonly version: string;
}

const PATCHES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];
const JSON_TYPE = 'application/json';
/** Custom kinds are not merged by strategy: their structs have a slash. */
function patchesOf({ reply = '' }: Operation): readonly string[] {
  return reply.includes('/') ? PATCHES.filter((type) => !type.includes('strategic')) : PATCHES;
}

/** Any object: the one definition that has no struct. */
const PATCH = 'meta.v1.Patch';

/** `/openapi/v2` */
export function documentV2(source: OpenApiSource): JsonObject {
  const paths = sortedPaths(source.resources);
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: source.version },
    paths: Object.fromEntries(paths.map((path) => [path.path, pathV2(path)])),
    definitions: structDefinitions(source, paths, V2),
    securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    security: [{ BearerToken: [] }],
  };
}

/** One group and version of `/openapi/v3`. */
export function documentV3(source: OpenApiSource): JsonObject {
  const paths = sortedPaths(source.resources);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: source.version },
    paths: Object.fromEntries(paths.map((path) => [path.path, pathV3(path)])),
    components: {
      schemas: structDefinitions(source, paths, V3),
      securitySchemes: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    },
  };
}

function sortedPaths(resources: readonly ResourceInfo[]): Path[] {
  return resources.flatMap(pathsOf).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Definitions of all kinds of the resources and of what their operations carry. */
function structDefinitions(source: OpenApiSource, paths: readonly Path[], dialect: Dialect): JsonObject {
  const kinds = new Map<string, KindName[]>();
  const add = (struct: string, kind: KindName): void => {
    const known = kinds.get(struct) ?? [];
    if (!known.some((k) => k.kind === kind.kind && k.group === kind.group)) kinds.set(struct, [...known, kind]);
  };
  for (const info of source.resources) {
    const { group, version, kind, listKind, schema, virtual } = info;
    add(schema, { group, kind, version });
    if (!virtual) add(listStruct(info), { group, kind: listKind, version });
    add('meta.v1.DeleteOptions', { group, kind: 'DeleteOptions', version });
    add('meta.v1.WatchEvent', { group, kind: 'WatchEvent', version });
  }
  add('meta.v1.Status', { group: '', kind: 'Status', version: 'v1' });
  const used = new Set(['meta.v1.WatchEvent', PATCH]);
  for (const operation of paths.flatMap((path) => path.operations)) {
    if (operation.action !== 'connect' && operation.reply === operation.body && operation.reply !== undefined) {
      add(operation.reply, operation.kind);
    }
    for (const struct of [operation.body, operation.reply])
      if (struct !== undefined && struct !== 'patch') used.add(struct);
  }
  return definitions(source.schemas, [...used, ...kinds.keys()].filter(has(source.schemas)), { dialect, kinds });
}

function has(schemas: SchemaRegistry): (struct: string) => boolean {
  return (struct) => struct === PATCH || schemas.struct(struct) !== undefined;
}

function commonParts(operation: Operation): JsonObject {
  return {
    tags: [operation.tag],
    operationId: operation.id,
    'x-kubernetes-action': operation.action,
    'x-kubernetes-group-version-kind': operation.kind,
  };
}

function successCodes(operation: Operation): string[] {
  switch (operation.action) {
    case 'post':
      return ['200', '201', '202'];
    case 'put':
    case 'patch':
      return ['200', '201'];
    case 'delete':
      return ['200', '202'];
    default:
      return ['200'];
  }
}

function pathV2(path: Path): JsonObject {
  const operations = path.operations.map((operation) => [operation.method, operationV2(operation)] as const);
  const parameters = path.parameters.map((name) => ({
    name,
    in: 'path',
    required: true,
    type: 'string',
    uniqueItems: true,
  }));
  const all = [...parameters, { name: 'pretty', in: 'query', type: 'string', uniqueItems: true }];
  return { ...Object.fromEntries(operations), parameters: all };
}

function operationV2(operation: Operation): JsonObject {
  const query = operation.query.map((name) => ({ name, in: 'query', type: queryType(name), uniqueItems: true }));
  const schema = operation.reply === undefined ? { type: 'string' } : reference(operation.reply, V2);
  const responses = Object.fromEntries(successCodes(operation).map((code) => [code, { description: 'OK', schema }]));
  return {
    ...commonParts(operation),
    consumes: operation.body === 'patch' ? patchesOf(operation) : ['*/*'],
    produces: operation.reply === undefined ? ['*/*'] : [JSON_TYPE],
    schemes: ['https'],
    parameters: [...bodyV2(operation), ...query],
    responses: { ...responses, '401': { description: 'Unauthorized' } },
  };
}

function bodyV2(operation: Operation): JsonObject[] {
  if (operation.body === undefined) return [];
  const struct = operation.body === 'patch' ? PATCH : operation.body;
  const required = operation.body !== 'meta.v1.DeleteOptions';
  return [{ name: 'body', in: 'body', ...(required ? { required } : {}), schema: reference(struct, V2) }];
}

function pathV3(path: Path): JsonObject {
  const operations = path.operations.map((operation) => [operation.method, operationV3(operation)] as const);
  const parameters = path.parameters.map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', uniqueItems: true },
  }));
  return { ...Object.fromEntries(operations), parameters: [...parameters, queryV3('pretty')] };
}

function queryV3(name: string): JsonObject {
  return { name, in: 'query', schema: { type: queryType(name), uniqueItems: true } };
}

function operationV3(operation: Operation): JsonObject {
  const content =
    operation.reply === undefined
      ? { '*/*': { schema: { type: 'string' } } }
      : { [JSON_TYPE]: { schema: reference(operation.reply, V3) } };
  const responses = Object.fromEntries(successCodes(operation).map((code) => [code, { description: 'OK', content }]));
  return {
    ...commonParts(operation),
    ...(operation.query.length > 0 ? { parameters: operation.query.map(queryV3) } : {}),
    ...(operation.body === undefined ? {} : { requestBody: bodyV3(operation, operation.body) }),
    responses: { ...responses, '401': { description: 'Unauthorized' } },
  };
}

function bodyV3(operation: Operation, body: string): JsonObject {
  const types = body === 'patch' ? patchesOf(operation) : ['*/*'];
  const schema = reference(body === 'patch' ? PATCH : body, V3);
  const content = Object.fromEntries(types.map((type) => [type, { schema }]));
  return body === 'meta.v1.DeleteOptions' ? { content } : { content, required: true };
}
