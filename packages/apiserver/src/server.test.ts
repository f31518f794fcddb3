import assert from 'node:assert/strict';
import test from 'node:test';
import { createOpenPolicy } from './policy-open.ts';
import { startTestServer } from './testing/test-server.ts';
import { probe, settled } from './testing/watch-probe.ts';

test('policy follows caches from when they stand, and may call the server as itself', async () => {
  const seen: (string | undefined)[] = [];
  const { ask, server, parts } = await startTestServer({
    policy: ({ cache }) => {
      cache.follow({ group: '', resource: 'namespaces' }, (_before, after) => seen.push(after?.metadata.name));
      return createOpenPolicy();
    },
  });
  const { loopback } = parts.own;
  const { caches } = parts.foundation;
  const resource = { group: '', version: 'v1', resource: 'namespaces' };
  await loopback.call({ verb: 'create', resource, body: { metadata: { name: 'n' } } });
  assert.equal(caches.get(resource, '', 'n')?.metadata.name, 'n');
  assert.deepEqual(seen, ['n']);
  assert.equal((await caches.getLive(resource, '', 'n'))?.metadata.name, 'n');
  assert.equal((await ask('GET /readyz')).code, 500);
  await server.bootstrap({ addresses: ['127.0.0.1'], port: 1 });
  assert.equal((await ask('GET /readyz')).code, 200);
});

test('closing ends watches and leaves no timer', async () => {
  const { answer, server, clock } = await startTestServer();
  const timers = clock.pending;
  const watch = probe((await answer('GET /api/v1/pods?watch=true&allowWatchBookmarks=true')).reply);
  await settled();
  await server.close();
  assert.deepEqual([watch.over, watch.error], [true, undefined]);
  assert.ok(clock.pending <= timers);
});

test("two servers on one store see each other's writes", async () => {
  const one = await startTestServer();
  const two = await startTestServer({ store: one.store });
  await one.ask('POST /api/v1/namespaces', { metadata: { name: 'n' } });
  assert.equal((await two.ask('GET /api/v1/namespaces/n')).code, 200);
  await two.ask('DELETE /api/v1/namespaces/n');
  assert.equal((await one.ask('GET /api/v1/namespaces/n')).body.metadata.deletionTimestamp, '2026-01-01T00:00:00Z');
});
