import { RESOURCES } from '@binnacle/api';
import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../testing/test-server.ts';

test('serves every stored resource, and gives versions of one resource one cache', async () => {
  const { catalogue: resources } = (await startTestServer()).server;
  for (const { group, version, resource, virtual } of RESOURCES) {
    assert.equal(resources.find(group, version, resource) === undefined, virtual, `${group}/${version}/${resource}`);
  }
  const core = resources.find('', 'v1', 'events');
  const group = resources.find('events.k8s.io', 'v1', 'events');
  assert.equal(core?.stored, group?.stored);
  assert.deepEqual([core?.native, group?.native], [true, false]);
  const prefixes = [...resources.all()].map(({ cache }) => cache.prefix);
  assert.equal(new Set(prefixes).size, prefixes.length, 'no two resources share a prefix');
});

test('keys are those of upstream', async () => {
  const { server, store, ask } = await startTestServer();
  await ask('POST /api/v1/namespaces/default/services', { metadata: { name: 's' }, spec: { ports: [{ port: 1 }] } });
  await ask('POST /api/v1/nodes', { metadata: { name: 'n' } });
  await ask('POST /apis/events.k8s.io/v1/namespaces/default/events', {
    metadata: { name: 'e' },
    regarding: { namespace: 'default' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'x.io/y',
    reportingInstance: 'z',
    action: 'A',
    reason: 'R',
    type: 'Normal',
  });
  const { kvs } = await store.range({ key: '/registry/', end: '/registry0' });
  assert.deepEqual(
    kvs.map(({ key }) => key),
    ['/registry/events/default/e', '/registry/minions/n', '/registry/services/specs/default/s'],
  );
  const [event] = kvs;
  const stored = JSON.parse(new TextDecoder().decode(event?.value)) as { apiVersion: string; metadata: object };
  assert.equal(stored.apiVersion, 'v1');
  assert.ok(!('resourceVersion' in stored.metadata), 'the revision is not stored');
  assert.ok(Number(event?.lease) > 0, 'events go away by themselves');
  assert.equal(server.catalogue.stored({ group: '', resource: 'nodes' })?.cache.size, 1);
});

test("what another server wrote is decoded with today's defaults", async () => {
  const { ask, store } = await startTestServer();
  const value = new TextEncoder().encode(
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"default","uid":"u"},"spec":{"containers":[{"name":"c","image":"i"}]}}',
  );
  const put = { type: 'put', key: '/registry/pods/default/p', value } as const;
  await store.txn({ compare: [], success: [put], failure: [] });
  const { body } = await ask('GET /api/v1/namespaces/default/pods/p');
  assert.equal((body['spec'] as { restartPolicy: string }).restartPolicy, 'Always');
  assert.equal(body.metadata.resourceVersion, '101');
});
