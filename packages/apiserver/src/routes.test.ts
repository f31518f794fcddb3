import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from './testing/test-server.ts';

test('/version', async () => {
  const { ask } = await startTestServer();
  const { body } = await ask('GET /version');
  assert.deepEqual([body['major'], body['minor'], body['gitVersion']], ['1', '36', 'v1.36.0']);
});

test('discovery and OpenAPI answer 304 to whoever has them', async () => {
  const { answer } = await startTestServer();
  for (const path of ['/api', '/apis', '/apis/apps', '/api/v1', '/openapi/v2', '/openapi/v3']) {
    const { reply } = await answer(`GET ${path}`);
    assert.ok(reply.kind === 'text' && reply.code === 200, path);
    const etag = reply.headers?.['etag'] ?? '';
    assert.notEqual(etag, '');
    const again = await answer(`GET ${path}`, undefined, { 'if-none-match': etag });
    assert.ok(again.reply.kind === 'text' && again.reply.code === 304, path);
  }
});

test('the list of paths names what is served', async () => {
  const { ask } = await startTestServer();
  const paths = (await ask('GET /')).body['paths'] as string[];
  for (const path of ['/api/v1', '/apis/apps/v1', '/healthz', '/metrics', '/version'])
    assert.ok(paths.includes(path), path);
});

test('causes: who made a revision, or 404', async () => {
  const { ask } = await startTestServer();
  const { body } = await ask('POST /api/v1/namespaces/default/secrets', { metadata: { name: 's' } });
  const cause = await ask(`GET /binnacle/v1/causes?revision=${body.metadata.resourceVersion}`);
  assert.deepEqual([cause.code, cause.body['request']], [200, 'POST /api/v1/namespaces/default/secrets']);
  assert.equal((await ask('GET /binnacle/v1/causes?revision=7')).code, 404);
  assert.equal((await ask('GET /binnacle/v1/causes')).code, 400);
});

test('component statuses tell of the store, with a warning that they are deprecated', async () => {
  const { ask } = await startTestServer();
  const { body, warnings } = await ask('GET /api/v1/componentstatuses/etcd-0');
  assert.deepEqual(body['conditions'], [{ type: 'Healthy', status: 'True', message: 'ok' }]);
  assert.deepEqual(warnings, ['v1 ComponentStatus is deprecated in v1.19+']);
});

test('a document of OpenAPI v3 is kept for good by its hash, and an old hash leads to the new one', async () => {
  const { ask, answer } = await startTestServer();
  const index = JSON.parse(String((await ask('GET /openapi/v3')).body['text'])) as {
    paths: { [name: string]: { serverRelativeURL: string } };
  };
  const url = index.paths['apis/apps/v1']?.serverRelativeURL ?? '';
  const right = (await answer(`GET ${url}`)).reply;
  assert.ok(right.kind === 'text');
  assert.deepEqual([right.code, right.headers?.['cache-control']], [200, 'public, immutable']);
  assert.match(right.headers?.['expires'] ?? '', /GMT$/);
  const old = (await answer('GET /openapi/v3/apis/apps/v1?hash=0')).reply;
  assert.ok(old.kind === 'text');
  assert.deepEqual([old.code, old.headers?.['location']], [301, url]);
  const plain = (await answer('GET /openapi/v3/apis/apps/v1')).reply;
  assert.ok(plain.kind === 'text');
  assert.deepEqual([plain.code, plain.headers?.['cache-control']], [200, undefined]);
});
