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
