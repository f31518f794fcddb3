import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../testing/test-server.ts';
import type { TestServer } from '../testing/test-server.ts';

const TEMPLATE = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'busybox' }] } };
const KINDS: readonly [path: string, selector: object][] = [
  ['/api/v1/namespaces/default/replicationcontrollers', { app: 'x' }],
  ['/apis/apps/v1/namespaces/default/replicasets', { matchLabels: { app: 'x' } }],
  ['/apis/apps/v1/namespaces/default/deployments', { matchLabels: { app: 'x' } }],
  ['/apis/apps/v1/namespaces/default/statefulsets', { matchLabels: { app: 'x' } }],
];

async function made(path: string, selector: object): Promise<TestServer> {
  const server = await startTestServer();
  const { code, body } = await server.ask(`POST ${path}`, {
    metadata: { name: 'a' },
    spec: { replicas: 2, selector, template: TEMPLATE },
  });
  assert.equal(code, 201, JSON.stringify(body));
  return server;
}

for (const [path, selector] of KINDS) {
  test(`${path.split('/').at(-1)}: read, set, patch`, async () => {
    const { ask } = await made(path, selector);
    const read = await ask(`GET ${path}/a/scale`);
    assert.deepEqual([read.body.kind, read.body.apiVersion], ['Scale', 'autoscaling/v1']);
    assert.deepEqual([read.body['spec'], read.body['status']], [{ replicas: 2 }, { replicas: 0, selector: 'app=x' }]);
    const set = await ask(`PUT ${path}/a/scale`, { ...read.body, spec: { replicas: 5 } });
    assert.deepEqual([set.code, set.body['spec']], [200, { replicas: 5 }]);
    const patched = await ask(
      `PATCH ${path}/a/scale`,
      { spec: { replicas: 7 } },
      { 'content-type': 'application/merge-patch+json' },
    );
    assert.deepEqual([patched.code, patched.body['spec']], [200, { replicas: 7 }]);
    const whole = await ask(`GET ${path}/a`);
    assert.equal((whole.body['spec'] as { replicas: number }).replicas, 7);
    assert.equal(whole.body.metadata.generation, 3);
  });
}

test('a stale scale is a conflict, a negative one is invalid, a missing one is 404', async () => {
  const [path, selector] = KINDS[1] ?? ['', {}];
  const { ask } = await made(path, selector);
  const { body } = await ask(`GET ${path}/a/scale`);
  await ask(`PUT ${path}/a/scale`, { ...body, spec: { replicas: 3 } });
  assert.equal((await ask(`PUT ${path}/a/scale`, { ...body, spec: { replicas: 4 } })).code, 409);
  const { resourceVersion: _version, ...metadata } = body.metadata;
  assert.equal((await ask(`PUT ${path}/a/scale`, { ...body, metadata, spec: { replicas: -1 } })).code, 422);
  assert.equal((await ask(`GET ${path}/none/scale`)).code, 404);
});

const WRONG_PATCHES: readonly [name: string, patch: string, message: RegExp][] = [
  ['of another type', '{"spec":{"replicas":"x"}}', /patch: Invalid value: .*: json: cannot unmarshal string/],
  ['unknown', '{"spec":{"replica":1}}', /strict decoding error: unknown field "spec\.replica"$/],
  [
    'that stands twice',
    '{"spec":{"replicas":1,"replicas":2}}',
    /strict decoding error: duplicate field "spec\.replicas"$/,
  ],
];

for (const [name, patch, message] of WRONG_PATCHES) {
  test(`a patch of a scale with a field ${name} is refused`, async () => {
    const path = '/apis/apps/v1/namespaces/default/deployments';
    const { ask } = await made(path, { matchLabels: { app: 'x' } });
    const type = { 'content-type': 'application/merge-patch+json' };
    const reply = await ask(`PATCH ${path}/a/scale?fieldValidation=Strict`, patch, type);
    assert.equal(reply.code, 422, JSON.stringify(reply.body));
    assert.match(String(reply.body['message']), message);
  });
}

test('an apply of a Scale owns the number, and meets its owners', async () => {
  const { ask } = await startTestServer();
  const [path, selector] = KINDS[2] ?? ['', {}];
  const apply = (at: string, manager: string, body: object) =>
    ask(`PATCH ${at}?fieldManager=${manager}`, body, { 'content-type': 'application/apply-patch+yaml' });
  const scale = (replicas: unknown, more: object = {}) => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'a', ...more },
    spec: { replicas },
  });
  const ownersOf = async (): Promise<readonly string[]> => {
    const { managedFields = [] } = (await ask(`GET ${path}/a`)).body.metadata;
    return managedFields.flatMap(({ manager, subresource, apiVersion, fieldsV1 }) =>
      JSON.stringify(fieldsV1).includes('f:replicas') ? [`${manager} ${subresource ?? ''} ${apiVersion}`] : [],
    );
  };
  const whole = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a' },
    spec: { replicas: 2, selector, template: TEMPLATE },
  };
  assert.equal((await apply(`${path}/a`, 'owner', whole)).code, 201);
  const met = await apply(`${path}/a/scale`, 'scaler', scale(3));
  assert.deepEqual(
    [met.code, met.body['message']],
    [409, 'Apply failed with 1 conflict: conflict with "owner": .spec.replicas'],
  );
  const forced = await apply(`${path}/a/scale`, 'scaler&force=true', scale(3));
  assert.deepEqual([forced.code, forced.body.kind, forced.body['spec']], [200, 'Scale', { replicas: 3 }]);
  assert.deepEqual(await ownersOf(), ['scaler scale apps/v1']);
  assert.equal((await apply(`${path}/a/scale`, 'second', scale(3))).code, 200);
  assert.deepEqual(await ownersOf(), ['scaler scale apps/v1', 'second scale apps/v1']);
  // Both let go of it: it stays as it is.
  for (const manager of ['scaler', 'second']) await apply(`${path}/a/scale`, manager, { ...scale(0), spec: {} });
  assert.deepEqual([await ownersOf(), (await ask(`GET ${path}/a/scale`)).body['spec']], [[], { replicas: 3 }]);
  assert.equal((await apply(`${path}/a/scale`, 'third', scale(4))).code, 200);
  const refused = async (body: object): Promise<unknown> => {
    const reply = await apply(`${path}/a/scale`, 'third&force=true', body);
    return [reply.code, reply.body['message']];
  };
  const untyped = 'failed to create typed patch object (/a; autoscaling/v1, Kind=Scale): ';
  assert.deepEqual(await refused({ ...scale(1), foo: 1 }), [500, `${untyped}.foo: field not declared in schema`]);
  const mistake = '.spec.replicas: expected numeric (int or float), got string';
  assert.deepEqual(await refused({ ...scale(1), spec: { replicas: 'x' } }), [500, `${untyped}${mistake}`]);
  assert.deepEqual(await refused(whole), [400, 'invalid object type: apps/v1, Kind=Deployment']);
  const negative =
    'Scale.autoscaling "a" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0';
  assert.deepEqual(await refused(scale(-1)), [422, negative]);
  assert.equal((await apply(`${path}/a/scale`, 'third', scale(9, { resourceVersion: '1' }))).code, 409);
  assert.equal((await apply(`${path}/none/scale`, 'third', scale(9))).code, 404);
});

test('a Scale of another name is none of this object, whichever way it comes', async () => {
  const [path, selector] = KINDS[1] ?? ['', {}];
  const { ask } = await made(path, selector);
  const merge = { 'content-type': 'application/merge-patch+json' };
  assert.equal((await ask(`PATCH ${path}/a/scale`, { metadata: { name: 'b' } }, merge)).code, 400);
});
