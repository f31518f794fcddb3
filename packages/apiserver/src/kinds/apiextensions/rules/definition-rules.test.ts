import assert from 'node:assert/strict';
import test from 'node:test';
import { boatsOf } from '../../../testing/boats.ts';
import { startTestServer } from '../../../testing/test-server.ts';
import type { TestServer } from '../../../testing/test-server.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const BOATS = '/apis/ships.io/v1/namespaces/default/boats';
const MERGE = { 'content-type': 'application/merge-patch+json' };

function definition(...rules: readonly object[]): object {
  const spec = {
    type: 'object',
    properties: { masts: { type: 'integer' }, flag: { type: 'string' } },
    'x-kubernetes-validations': rules,
  };
  return boatsOf({ type: 'object', properties: { spec, status: { type: 'object' } } });
}

async function serving(...rules: readonly object[]): Promise<TestServer> {
  const server = await startTestServer();
  const { code, warnings } = await server.ask(`POST ${CRDS}`, definition(...rules));
  assert.deepEqual([code, warnings], [201, []]);
  await server.parts.customKinds.settled();
  return server;
}

function boat(name: string, spec: object): object {
  return { apiVersion: 'ships.io/v1', kind: 'Boat', metadata: { name }, spec };
}

test('a definition with a rule that cannot be read is refused', async () => {
  const { ask } = await startTestServer();
  const { code, body } = await ask(`POST ${CRDS}`, definition({ rule: 'self.wheels > 1' }));
  assert.equal(code, 422);
  assert.match(
    String(body['message']),
    /rule: Invalid value: .*: compilation failed: ERROR: <input>:1:5: undefined field 'wheels'/,
  );
});

test('objects are held to the rules of their kind, on every way in', async () => {
  const { ask } = await serving({ rule: 'self.masts > 0', message: 'a boat has masts' });
  const refused = await ask(`POST ${BOATS}`, boat('a', { masts: 0 }));
  assert.equal(refused.code, 422);
  assert.equal(refused.body['message'], 'Boat.ships.io "a" is invalid: spec: Invalid value: a boat has masts');
  assert.equal((await ask(`POST ${BOATS}`, boat('a', { masts: 1 }))).code, 201);
  const patched = await ask(`PATCH ${BOATS}/a`, { spec: { masts: -1 } }, MERGE);
  assert.equal(patched.code, 422);
  assert.equal((await ask(`PATCH ${BOATS}/a`, { spec: { masts: 2 } }, MERGE)).code, 200);
});

test('what was wrong before a rule came may stay, with a warning', async () => {
  const { ask, parts } = await serving({ rule: 'true' });
  assert.equal((await ask(`POST ${BOATS}`, boat('a', { masts: 0, flag: 'x' }))).code, 201);
  const { body } = await ask(`GET ${CRDS}/boats.ships.io`);
  const stricter = definition({ rule: 'self.masts > 0', fieldPath: '.masts' }) as { spec: object };
  assert.equal((await ask(`PUT ${CRDS}/boats.ships.io`, { ...body, spec: stricter.spec })).code, 200);
  await parts.customKinds.settled();
  const labelled = await ask(`PATCH ${BOATS}/a`, { metadata: { labels: { a: 'b' } } }, MERGE);
  assert.deepEqual(
    [labelled.code, labelled.warnings],
    [200, ['spec.masts: Invalid value: failed rule: self.masts > 0']],
  );
  assert.equal((await ask(`PATCH ${BOATS}/a`, { spec: { flag: 'y' } }, MERGE)).code, 422);
});

test('rules wait until the schema itself has nothing to say', async () => {
  const { ask } = await serving({ rule: 'self.masts > 0' });
  const { code, body } = await ask(`POST ${BOATS}`, boat('a', { masts: 'two' }));
  assert.equal(code, 422);
  assert.match(String(body['message']), /some validation rules were not checked because the object was invalid/);
});
