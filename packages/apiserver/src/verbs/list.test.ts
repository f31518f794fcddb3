import assert from 'node:assert/strict';
import test from 'node:test';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import { encodeToken } from './continue-token.ts';
import type { TestObject, TestServer } from '../testing/test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

const namesOf = (body: TestObject): string[] =>
  (body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
const metaOf = (body: TestObject): { resourceVersion: string; continue?: string; remainingItemCount?: number } =>
  body['metadata'] as { resourceVersion: string; continue?: string; remainingItemCount?: number };

/** Maps m0 … m4, revisions 101 … 105. */
async function withFive(): Promise<TestServer> {
  const server = await startTestServer();
  for (const n of [3, 1, 4, 0, 2]) {
    await server.ask(`POST ${MAPS}`, { metadata: { name: `m${n}`, labels: { odd: String(n % 2) } } });
  }
  return server;
}

test('in the order of their keys, across namespaces and in one', async () => {
  const { ask } = await withFive();
  await ask('POST /api/v1/namespaces/apart/configmaps', { metadata: { name: 'z' } });
  const all = await ask('GET /api/v1/configmaps');
  assert.deepEqual(namesOf(all.body), ['z', 'm0', 'm1', 'm2', 'm3', 'm4']);
  assert.deepEqual([all.body.kind, metaOf(all.body).resourceVersion], ['ConfigMapList', '106']);
  assert.deepEqual(namesOf((await ask(`GET ${MAPS}`)).body), ['m0', 'm1', 'm2', 'm3', 'm4']);
});

test('pages show the state of the first one, whatever is written between them', async () => {
  const { ask } = await withFive();
  const one = await ask(`GET ${MAPS}?limit=2`);
  assert.deepEqual(namesOf(one.body), ['m0', 'm1']);
  assert.equal(metaOf(one.body).remainingItemCount, 3);
  await ask(`DELETE ${MAPS}/m2`);
  await ask(`POST ${MAPS}`, { metadata: { name: 'm3a' } });
  const two = await ask(`GET ${MAPS}?limit=2&continue=${metaOf(one.body).continue}`);
  assert.deepEqual(namesOf(two.body), ['m2', 'm3']);
  assert.equal(metaOf(two.body).resourceVersion, '105');
  const three = await ask(`GET ${MAPS}?limit=2&continue=${metaOf(two.body).continue}`);
  assert.deepEqual(namesOf(three.body), ['m4']);
  assert.equal(metaOf(three.body).continue, undefined);
});

test('a page whose state is compacted away: 410 with a token to go on inconsistently', async () => {
  const { ask, store } = await withFive();
  const one = await ask(`GET ${MAPS}?limit=2`);
  await ask(`DELETE ${MAPS}/m3`);
  await store.compact(store.revision);
  const gone = await ask(`GET ${MAPS}?limit=2&continue=${metaOf(one.body).continue}`);
  assert.deepEqual([gone.code, gone.body['reason']], [410, 'Expired']);
  assert.match(String(gone.body['message']), /^The provided continue parameter is too old/);
  const on = await ask(`GET ${MAPS}?limit=2&continue=${metaOf(gone.body).continue}`);
  assert.deepEqual(namesOf(on.body), ['m2', 'm4']);
});

const SELECTED: readonly [name: string, query: string, names: readonly string[]][] = [
  ['by label', 'labelSelector=odd%3D1', ['m1', 'm3']],
  ['by a set of labels', 'labelSelector=odd%20notin%20(1)', ['m0', 'm2', 'm4']],
  ['by name', 'fieldSelector=metadata.name%3Dm3', ['m3']],
  ['by another name', 'fieldSelector=metadata.name!%3Dm3', ['m0', 'm1', 'm2', 'm4']],
  ['with a limit that is not reached', 'labelSelector=odd%3D1&limit=2', ['m1', 'm3']],
];

for (const [name, query, names] of SELECTED) {
  test(`selected ${name}`, async () => {
    const { ask } = await withFive();
    const { body } = await ask(`GET ${MAPS}?${query}`);
    assert.deepEqual(namesOf(body), names);
    assert.equal(metaOf(body).continue, undefined);
  });
}

test('a selector hides how many remain', async () => {
  const { ask } = await withFive();
  const { body } = await ask(`GET ${MAPS}?labelSelector=odd%3D0&limit=1`);
  assert.deepEqual(namesOf(body), ['m0']);
  assert.equal(metaOf(body).remainingItemCount, undefined);
  const next = await ask(`GET ${MAPS}?labelSelector=odd%3D0&limit=5&continue=${metaOf(body).continue}`);
  assert.deepEqual(namesOf(next.body), ['m2', 'm4']);
});

test('pods by node come from the index', async () => {
  const { ask } = await startTestServer();
  await ask(`POST ${PODS_PATH}`, podNamed('b', { spec: { nodeName: 'n' } }));
  await ask(`POST ${PODS_PATH}`, podNamed('a', { spec: { nodeName: 'n' } }));
  await ask(`POST ${PODS_PATH}`, podNamed('c'));
  assert.deepEqual(namesOf((await ask('GET /api/v1/pods?fieldSelector=spec.nodeName%3Dn')).body), ['a', 'b']);
  assert.deepEqual(namesOf((await ask('GET /api/v1/pods?fieldSelector=spec.nodeName%3D')).body), ['c']);
});

const VERSIONS: readonly [name: string, query: string, code: number, seen: readonly string[] | RegExp][] = [
  ['most recent', '', 200, ['m0', 'm1', 'm2', 'm3', 'm4']],
  ['any', 'resourceVersion=0&limit=1', 200, ['m0', 'm1', 'm2', 'm3', 'm4']],
  ['not older than', 'resourceVersion=103&resourceVersionMatch=NotOlderThan', 200, ['m0', 'm1', 'm2', 'm3', 'm4']],
  ['exactly', 'resourceVersion=103&resourceVersionMatch=Exact', 200, ['m1', 'm3', 'm4']],
  ['exactly 0', 'resourceVersion=0&resourceVersionMatch=Exact', 422, /forbidden for resourceVersion "0"/],
  [
    'a match without a version',
    'resourceVersionMatch=Exact',
    422,
    /resourceVersionMatch is forbidden unless resourceVersion is provided/,
  ],
  ['a match that is none', 'resourceVersion=1&resourceVersionMatch=Maybe', 422, /Unsupported value: "Maybe"/],
  ['a token that is none', 'continue=nonsense', 400, /^invalid continue token: continue key is not valid/],
  ['initial events', 'sendInitialEvents=true', 422, /sendInitialEvents is forbidden for list/],
  [
    'exactly, compacted away',
    'resourceVersion=3&resourceVersionMatch=Exact',
    410,
    /The resourceVersion for the provided list is too old/,
  ],
];

for (const [name, query, code, seen] of VERSIONS) {
  test(`resourceVersion: ${name}`, async () => {
    const { ask } = await withFive();
    const reply = await ask(`GET ${MAPS}?${query}`);
    assert.equal(reply.code, code, JSON.stringify(reply.body));
    if (Array.isArray(seen)) assert.deepEqual(namesOf(reply.body), seen);
    else assert.match(String(reply.body['message']), seen as RegExp);
  });
}

const TOKENS: readonly [name: string, query: string, message: string][] = [
  [
    'no base64',
    'continue=a%21',
    'invalid continue token: continue key is not valid: illegal base64 data at input byte 1',
  ],
  [
    'no JSON',
    'continue=eHg',
    "invalid continue token: continue key is not valid: invalid character 'x' looking for beginning of value",
  ],
  [
    'another version',
    'continue=e30',
    'invalid continue token: continue key is not valid: server does not recognize this encoded version ""',
  ],
  [
    'a token and a revision',
    `continue=${encodeToken({ revision: 100, after: 'default/a' })}&resourceVersion=100`,
    'specifying resource version is not allowed when using continue',
  ],
];

for (const [name, query, message] of TOKENS) {
  test(`400: ${name}`, async () => {
    const { ask } = await startTestServer();
    const { code, body } = await ask(`GET ${MAPS}?${query}`);
    assert.deepEqual([code, body['message']], [400, message]);
  });
}

test('a limit below 1 is none', async () => {
  const { ask } = await startTestServer();
  await ask(`POST ${MAPS}`, { metadata: { name: 'a' } });
  const { body } = await ask(`GET ${MAPS}?limit=-1`);
  assert.equal((body['items'] as unknown[]).length, 1);
  assert.equal(metaOf(body).continue, undefined);
});
