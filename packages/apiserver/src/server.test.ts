import assert from 'node:assert/strict';
import test from 'node:test';
import type { PolicyWorld } from './ports/policy.ts';
import { createOpenPolicy } from './policy-open.ts';
import { startTestServer } from './testing/test-server.ts';
import { probe, settled } from './testing/watch-probe.ts';

test('policy is built over standing caches and may call the server as itself', async () => {
  let world: PolicyWorld | undefined;
  const { ask, server } = await startTestServer({
    policy: (given) => {
      world = given;
      assert.deepEqual(given.cache.list({ group: '', resource: 'namespaces' }), []);
      return createOpenPolicy();
    },
  });
  assert.ok(world !== undefined);
  const resource = { group: '', version: 'v1', resource: 'namespaces' };
  await world.loopback.call({ verb: 'create', resource, body: { metadata: { name: 'n' } } });
  assert.equal(world.cache.get(resource, '', 'n')?.metadata.name, 'n');
  assert.equal((await world.cache.getLive(resource, '', 'n'))?.metadata.name, 'n');
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
