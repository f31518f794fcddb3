import type { ResourceInfo } from '@binnacle/api';
import type { KubeObject, SchemaTable } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import { encodeBody } from '../encode/body.ts';
import type { Conversion } from '../ports/conversion.ts';
import { negotiate } from '../request/media.ts';
import { startTestServer } from '../testing/test-server.ts';
import type { TestServer } from '../testing/test-server.ts';
import { probe, settled } from '../testing/watch-probe.ts';
import type { StoredDefinition } from './definition.ts';
import { PLAIN_TRAITS } from './traits.ts';

const GROUP = 'ships.test.io';
const BOATS = `/apis/${GROUP}/v1/namespaces/default/boats`;
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

function info(version: string): ResourceInfo {
  return {
    group: GROUP,
    version,
    resource: 'boats',
    singular: 'boat',
    kind: 'Boat',
    listKind: 'BoatList',
    namespaced: true,
    shortNames: ['bt'],
    categories: [],
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    subresources: [],
    schema: `ships.${version}.Boat`,
    virtual: false,
    storagePrefix: `${GROUP}/boats`,
    storage: { group: GROUP, version: 'v1', kind: 'Boat' },
  };
}

/** Boats with one field of the given name. */
function structs(field: string): SchemaTable {
  const boat = {
    fields: {
      kind: { type: 'string', omitEmpty: true },
      apiVersion: { type: 'string', omitEmpty: true },
      metadata: { type: '#meta.v1.ObjectMeta' },
      spec: { type: '#ships.Spec' },
    },
  } as const;
  return {
    'ships.v1.Boat': boat,
    'ships.v2.Boat': boat,
    'ships.v1.BoatList': { fields: { items: { type: '[]#ships.v1.Boat' } } },
    'ships.Spec': { fields: { [field]: { type: 'int64', omitEmpty: true } } },
  };
}

function boats(more: Partial<StoredDefinition> = {}): StoredDefinition {
  return {
    kind: 'stored',
    name: `boats.${GROUP}`,
    storage: info('v1'),
    versions: [
      {
        info: info('v1'),
        columns: {
          columns: [{ name: 'Masts', type: 'integer', description: 'How many masts it has.', priority: 0 }],
          row: (object) => [(object as { spec?: { masts?: number } }).spec?.masts ?? 0],
        },
        subresources: {},
      },
    ],
    structs: structs('masts'),
    rules: {},
    strategy: {},
    traits: { ...PLAIN_TRAITS, generation: true },
    ...more,
  };
}

async function text(server: TestServer, line: string, accept = ''): Promise<string> {
  const { reply } = await server.answer(line, undefined, { accept });
  if (reply.kind === 'text') return typeof reply.body === 'string' ? reply.body : new TextDecoder().decode(reply.body);
  assert.ok(reply.kind !== 'watch' && reply.kind !== 'stream' && reply.kind !== 'upgrade');
  const { pieces } = await encodeBody(reply, { rendering: negotiate(accept, false), includeObject: '', now: 0 });
  return [...pieces].map((piece) => new TextDecoder().decode(piece)).join('');
}

async function etag(server: TestServer, line: string): Promise<string> {
  const { reply } = await server.answer(line);
  assert.ok(reply.kind === 'text');
  return reply.headers?.['etag'] ?? '';
}

test('a made-up kind comes while the server runs: served, discovered, in OpenAPI, printed, watched', async () => {
  const server = await startTestServer();
  const { ask, answer } = server;
  const { catalogue } = server.server;
  assert.equal((await ask(`GET ${BOATS}`)).code, 404);
  assert.doesNotMatch(await text(server, 'GET /apis'), /ships/);
  const before = await etag(server, 'GET /openapi/v2');
  const generations: number[] = [];
  catalogue.follow((generation) => generations.push(generation));
  catalogue.add(boats());
  assert.deepEqual(generations, [catalogue.generation]);

  const created = await ask(`POST ${BOATS}`, { metadata: { name: 'a' }, spec: { masts: 3, wheels: 4 } });
  assert.deepEqual([created.code, created.body['spec'], created.body.metadata.generation], [201, { masts: 3 }, 1]);
  assert.deepEqual(created.warnings, ['unknown field "spec.wheels"']);
  const watch = probe((await answer(`GET ${BOATS}?watch=true`)).reply);
  await settled();
  await ask(`PATCH ${BOATS}/a`, { spec: { masts: 2 } }, { 'content-type': 'application/merge-patch+json' });
  await ask(`DELETE ${BOATS}/a`);
  await settled();
  assert.deepEqual(watch.seen, ['ADDED a 101', 'MODIFIED a 102', 'DELETED a 103']);
  await ask(`POST ${BOATS}`, { metadata: { name: 'b' }, spec: { masts: 1 } });
  const table = JSON.parse(await text(server, `GET ${BOATS}`, TABLE)) as { rows: { cells: unknown[] }[] };
  assert.deepEqual(
    table.rows.map(({ cells }) => cells),
    [[1]],
  );

  for (const path of ['/apis', `/apis/${GROUP}`, `/apis/${GROUP}/v1`, '/openapi/v3', `/openapi/v3/apis/${GROUP}/v1`])
    assert.match(await text(server, `GET ${path}`), /ships\.test\.io/, path);
  assert.match(await text(server, 'GET /apis', AGGREGATED), /"resource":"boats"/);
  assert.match(await text(server, 'GET /openapi/v2'), /"masts"/);
  assert.match(await text(server, `GET /openapi/v3/apis/${GROUP}/v1`), /"masts"/);
  assert.notEqual(await etag(server, 'GET /openapi/v2'), before);
  assert.ok(((await ask('GET /')).body['paths'] as string[]).includes(`/apis/${GROUP}/v1`));
});

test('replacing a definition ends its open watches; what is stored is read by the new one', async () => {
  const server = await startTestServer();
  const { ask, answer } = server;
  const { catalogue } = server.server;
  catalogue.add(boats());
  await ask(`POST ${BOATS}`, { metadata: { name: 'a' }, spec: { masts: 3 } });
  const watch = probe((await answer(`GET ${BOATS}?watch=true&resourceVersion=101`)).reply);
  const asked = await answer(`GET ${BOATS}?watch=true`);
  const documents = await text(server, 'GET /openapi/v3');
  await settled();
  catalogue.replace(boats({ structs: structs('sails') }));
  await settled();
  assert.deepEqual([watch.over, watch.error], [true, undefined], 'as when a connection ends: clients list again');
  const late = probe(asked.reply);
  await settled();
  assert.equal(late.over, true, 'one that was asked for before and opened after, too');
  assert.equal(server.parts.foundation.watchers.count, 0);
  assert.deepEqual((await ask(`GET ${BOATS}/a`)).body['spec'], {}, 'fields are those of the new schema');
  assert.equal((await ask(`POST ${BOATS}`, { metadata: { name: 'b' }, spec: { sails: 2 } })).code, 201);
  assert.notEqual(await text(server, 'GET /openapi/v3'), documents, 'the hash of its document is another');
  assert.match(await text(server, `GET /openapi/v3/apis/${GROUP}/v1`), /"sails"/);
});

test('a kind that is taken away is 404 everywhere, its watches end; what was stored comes back with it', async () => {
  const server = await startTestServer();
  const { ask, answer } = server;
  const { catalogue } = server.server;
  catalogue.add(boats());
  await ask(`POST ${BOATS}`, { metadata: { name: 'a' }, spec: { masts: 3 } });
  const listed = (await answer(`GET ${BOATS}`)).reply;
  const watch = probe((await answer(`GET ${BOATS}?watch=true`)).reply);
  catalogue.remove(`boats.${GROUP}`);
  await settled();
  assert.equal(watch.over, true);
  assert.ok(listed.kind === 'list');
  const { pieces } = await encodeBody(listed, { rendering: negotiate(TABLE, false), includeObject: '', now: 0 });
  assert.equal([...pieces].length, 1, 'a reply under way is written to its end');
  for (const path of [BOATS, `${BOATS}/a`, `/apis/${GROUP}`, `/apis/${GROUP}/v1`, `/openapi/v3/apis/${GROUP}/v1`])
    assert.equal((await ask(`GET ${path}`)).code, 404, path);
  assert.doesNotMatch(await text(server, 'GET /apis', AGGREGATED), /ships/);
  assert.doesNotMatch(await text(server, 'GET /openapi/v2'), /ships/);
  assert.equal((await ask('GET /api/v1/namespaces/default/configmaps')).code, 200);
  catalogue.add(boats());
  assert.deepEqual((await ask(`GET ${BOATS}/a`)).body['spec'], { masts: 3 });
});

/** v2 of a boat calls itself by another name; the converter takes its time, as a webhook does. */
const SLOW: Conversion = {
  toStored: (objects) => later(objects, 'v1'),
  toServed: (objects) => later(objects, 'v2'),
};

async function later(objects: readonly KubeObject[], version: string): Promise<KubeObject[]> {
  await Promise.resolve();
  return objects.map((object) => ({ ...object, apiVersion: `${GROUP}/${version}`, metadata: { ...object.metadata } }));
}

test('a conversion that takes time: get, list, watch, update, patch and delete wait for it', async () => {
  const { server, ask, answer } = await startTestServer();
  const [first] = boats().versions;
  assert.ok(first !== undefined);
  const v2 = { info: info('v2'), conversion: SLOW, subresources: {} };
  server.catalogue.add(boats({ versions: [first, v2] }));
  const NEW = BOATS.replace('/v1/', '/v2/');
  const { code, body } = await ask(`POST ${NEW}`, { metadata: { name: 'a' }, spec: { masts: 3 } });
  assert.deepEqual([code, body.apiVersion], [201, `${GROUP}/v2`]);
  assert.equal((await ask(`GET ${BOATS}/a`)).body.apiVersion, `${GROUP}/v1`);
  assert.equal((await ask(`GET ${NEW}/a`)).body.apiVersion, `${GROUP}/v2`);
  const list = (await ask(`GET ${NEW}`)).body['items'] as KubeObject[];
  assert.deepEqual(
    list.map(({ apiVersion }) => apiVersion),
    [`${GROUP}/v2`],
  );
  const watch = probe((await answer(`GET ${NEW}?watch=true`)).reply);
  await settled();
  const patch = { 'content-type': 'application/merge-patch+json' };
  assert.equal((await ask(`PATCH ${NEW}/a`, { spec: { masts: 2 } }, patch)).body.apiVersion, `${GROUP}/v2`);
  assert.equal((await ask(`PUT ${NEW}/a`, { metadata: { name: 'a' }, spec: { masts: 1 } })).code, 200);
  assert.equal((await ask(`DELETE ${NEW}/a`)).code, 200);
  await settled();
  await settled();
  assert.deepEqual(watch.seen, ['ADDED a 101', 'MODIFIED a 102', 'MODIFIED a 103', 'DELETED a 104']);
  const served = server.catalogue.find(GROUP, 'v2', 'boats');
  const shown = watch.items.flatMap((item) => (item.type === 'BOOKMARK' ? [] : [served?.view(item.entry).apiVersion]));
  assert.deepEqual([...new Set(shown)], [`${GROUP}/v2`]);
});
