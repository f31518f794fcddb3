import assert from 'node:assert/strict';
import test from 'node:test';
import { StoreFullError } from '@binnacle/store';
import { startTestServer } from '../testing/test-server.ts';

const ROLES = 'poststarthook/rbac/bootstrap-roles';
const SERVING = 'poststarthook/generic-apiserver-start-informers';

const ROWS: readonly [line: string, booted: boolean, code: number, text: RegExp][] = [
  ['GET /livez', false, 500, /^\[\+\]ping ok\n\[\+\]log ok\n\[\+\]etcd ok\n(.*\n)+livez check failed\n$/],
  ['GET /livez', true, 200, /^ok$/],
  ['GET /livez?verbose', true, 200, /^(\[\+\]\S+ ok\n){33}livez check passed\n$/],
  ['GET /livez/etcd', false, 200, /^ok$/],
  ['GET /livez/nonsense', false, 404, /^404 page not found\n$/],
  ['GET /livez/poststarthook', true, 404, /^404 page not found\n$/],
  ['GET /readyz', true, 200, /^ok$/],
  ['GET /readyz', false, 500, new RegExp(`\\[\\+\\]${SERVING} ok\n(.*\n)*\\[-\\]${ROLES} failed: reason withheld\n`)],
  [
    'GET /readyz?verbose',
    true,
    200,
    /^(?=(.*\n)*\[\+\]etcd-readiness ok\n\[\+\]informer-sync ok\n(.*\n)*\[\+\]shutdown ok\nreadyz)/,
  ],
  [`GET /readyz/${ROLES}`, true, 200, /^ok$/],
  [`GET /readyz/${ROLES}`, false, 500, /^internal server error: not finished\n$/],
  ['GET /healthz', true, 200, /^ok$/],
  ['GET /healthz?exclude=nosuch', true, 200, /^ok$/],
  [
    'GET /healthz?exclude=nosuch&exclude=ping,log&verbose',
    true,
    200,
    /^\[\+\]ping excluded: ok\n\[\+\]log excluded: ok\n\[\+\]etcd ok\n(.*\n)+warn: some health checks cannot be excluded: no matches for "nosuch"\nhealthz check passed\n$/,
  ],
];

for (const [line, booted, code, text] of ROWS) {
  test(`${line} ${booted ? 'after' : 'before'} the first objects are written`, async () => {
    const { ask, server } = await startTestServer();
    if (booted) await server.bootstrap({ addresses: ['127.0.0.1'], port: 1 });
    const reply = await ask(line);
    assert.equal(reply.code, code);
    assert.match(String(reply.body['text']), text);
  });
}

test('what is not done yet may be left out', async () => {
  const { ask } = await startTestServer();
  const failing = String((await ask('GET /livez')).body['text']).matchAll(/^\[-\](\S+) failed/gm);
  const names = [...failing].map(([, name]) => name);
  assert.ok(names.includes(ROLES));
  assert.equal((await ask(`GET /livez?exclude=${names.join('&exclude=')}`)).code, 200);
});

test('a server that closes is not ready, and lives', async () => {
  const { ask, parts, server } = await startTestServer();
  await server.bootstrap({ addresses: ['127.0.0.1'], port: 1 });
  parts.standing.closing();
  assert.deepEqual([(await ask('GET /readyz')).code, (await ask('GET /livez')).code], [500, 200]);
  assert.match(String((await ask('GET /readyz/shutdown')).body['text']), /process is shutting down/);
});

test('a store that is gone shows', async () => {
  const { ask, store, server } = await startTestServer();
  await server.bootstrap({ addresses: ['127.0.0.1'], port: 1 });
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
