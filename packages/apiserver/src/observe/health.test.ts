import assert from 'node:assert/strict';
import test from 'node:test';
import { StoreFullError } from '@binnacle/store';
import { startTestServer } from '../testing/test-server.ts';

const ROWS: readonly [line: string, booted: boolean, code: number, text: string][] = [
  ['GET /livez', false, 200, 'ok'],
  ['GET /livez?verbose', false, 200, '[+]ping ok\n[+]log ok\n[+]etcd ok\nlivez check passed\n'],
  ['GET /livez/etcd', false, 200, 'ok'],
  ['GET /livez/nonsense', false, 404, '404 page not found\n'],
  ['GET /readyz', true, 200, 'ok'],
  [
    'GET /readyz',
    false,
    500,
    '[+]ping ok\n[+]log ok\n[+]etcd ok\n[+]etcd-readiness ok\n[-]poststarthook/rbac/bootstrap-roles failed: reason withheld\nreadyz check failed\n',
  ],
  ['GET /readyz?exclude=poststarthook/rbac/bootstrap-roles', false, 200, 'ok'],
  ['GET /readyz/poststarthook/rbac/bootstrap-roles', true, 200, 'ok'],
  ['GET /healthz', true, 200, 'ok'],
];

for (const [line, booted, code, text] of ROWS) {
  test(`${line} ${booted ? 'after' : 'before'} the first objects are written`, async () => {
    const { ask, server } = await startTestServer();
    if (booted) await server.bootstrap({ addresses: ['127.0.0.1'], port: 1 });
    const reply = await ask(line);
    assert.deepEqual([reply.code, reply.body['text']], [code, text]);
  });
}

test('a store that is gone shows', async () => {
  const { ask, store } = await startTestServer();
  await store.close();
  assert.equal((await ask('GET /livez')).code, 500);
});

test('a store without room makes the server unready, not dead', async (t) => {
  const { ask, server, store } = await startTestServer();
  await server.bootstrap({ addresses: ['127.0.0.1'], port: 1 });
  t.mock.method(store, 'health', (aspect: string) =>
    aspect === 'writing' ? Promise.reject(new StoreFullError('the disk is full')) : Promise.resolve(),
  );
  assert.equal((await ask('GET /livez')).code, 200);
  const reply = await ask('GET /readyz');
  assert.equal(reply.code, 500);
  assert.match(String(reply.body['text']), /\[-\]etcd-readiness failed: reason withheld\n/);
});
