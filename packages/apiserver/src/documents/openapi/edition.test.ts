import { RESOURCES, schemas } from '@binnacle/api';
import { createSchemaRegistry, SchemaLayers } from '@binnacle/machinery';
import type { SchemaTable } from '@binnacle/machinery';
import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { allDescriptions } from './descriptions.ts';
import { editionOf } from './edition.ts';
import { createOpenApi } from './openapi.ts';
import type { OpenApi, OpenApiCatalogue } from './openapi.ts';

const CATALOGUE: OpenApiCatalogue = {
  remotes: [],
  infos: RESOURCES,
  generation: 0,
  structsOf: () => undefined,
  schemas,
  version: 'v1.36.0',
  commit: '',
};

/** What clients keep a document by, of each: the addresses that the index gives, and the ETag of version 2. */
function namesOf(openApi: OpenApi): readonly string[] {
  const index = openApi.serve('/openapi/v3', undefined);
  ok(index !== undefined && typeof index.body === 'string');
  const { paths } = JSON.parse(index.body) as { paths: { [name: string]: { serverRelativeURL: string } } };
  const etag = openApi.serve('/openapi/v2', undefined)?.etag ?? '';
  return [...Object.values(paths).map(({ serverRelativeURL }) => serverRelativeURL), index.etag, etag];
}

const OF_NOW = namesOf(createOpenApi(CATALOGUE));

/** With a field more in the metadata, which every document has. */
function grownTable(): SchemaTable {
  const name = 'meta.v1.ObjectMeta';
  const { fields, ...rest } = schemas.table[name] ?? { fields: {} };
  return { ...schemas.table, [name]: { ...rest, fields: { ...fields, mood: { type: 'string' } } } };
}

const BUILDS: readonly (readonly [what: string, of: Partial<OpenApiCatalogue>])[] = [
  ['another schema', { schemas: createSchemaRegistry(grownTable()) }],
  ['documents made by other code', { commit: 'f'.repeat(40) }],
];
for (const [what, other] of BUILDS) {
  test(`a build with ${what} gives every document another name, so that nobody keeps showing an old one`, () => {
    const others = namesOf(createOpenApi({ ...CATALOGUE, ...other }));
    equal(others.length, OF_NOW.length);
    for (const [at, name] of OF_NOW.entries()) notEqual(others[at], name);
  });
}

test('the same build gives the same names, whatever custom kinds there are', () => {
  const layers = new SchemaLayers(schemas);
  layers.put('boats.ships.io', { 'ships.io/v1.Boat': { fields: { mood: { type: 'string' } } } });
  deepEqual(namesOf(createOpenApi({ ...CATALOGUE, schemas: layers })), OF_NOW);
});

test('what is said of fields is part of the edition', () => {
  const { table } = schemas;
  const texts = structuredClone(allDescriptions()) as { [struct: string]: { [field: string]: string } };
  equal(editionOf({ table, commit: '' }, texts), editionOf({ table, commit: '' }));
  const [first = ''] = Object.keys(texts);
  texts[first] = { ...texts[first], name: 'Other words.' };
  notEqual(editionOf({ table, commit: '' }, texts), editionOf({ table, commit: '' }));
});
