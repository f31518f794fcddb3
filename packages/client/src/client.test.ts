import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { DEPLOYMENTS, NODES, PODS } from '@binnacle/api';
import type { ApiCall, WatchCall, Wire } from '@binnacle/machinery';
import { createClient } from './client.ts';
import { contentTypeOf, methodOf, pathOf } from './request-path.ts';

function recordingWire(): { wire: Wire; calls: ApiCall[]; watches: WatchCall[] } {
  const calls: ApiCall[] = [];
  const watches: WatchCall[] = [];
  const wire: Wire = {
    call: (call) => {
      calls.push(call);
      return Promise.resolve({ metadata: { resourceVersion: '5', continue: '' }, items: null });
    },
    watch: (call) => {
      watches.push(call);
      return { stop: () => undefined };
    },
    batch: () => Promise.reject(new Error('not asked')),
    raw: () => Promise.reject(new Error('not asked')),
    open: () => Promise.reject(new Error('not asked')),
    close: () => Promise.resolve(),
  };
  return { wire, calls, watches };
}

const meta = { metadata: { name: 'a b' } };
const rows: { name: string; make: (wire: Wire) => unknown; line: string }[] = [
  { name: 'get', make: (w) => createClient(w).resource(PODS, 'ns').get('p'), line: 'GET /api/v1/namespaces/ns/pods/p' },
  { name: 'cluster-scoped', make: (w) => createClient(w).resource(NODES).get('n'), line: 'GET /api/v1/nodes/n' },
  {
    name: 'list with selectors',
    make: (w) => createClient(w).resource(PODS).list({ labelSelector: 'a=b', limit: 5 }),
    line: 'GET /api/v1/pods?labelSelector=a%3Db&limit=5',
  },
  {
    name: 'status update of a group, name escaped',
    make: (w) =>
      createClient(w)
        .resource(DEPLOYMENTS, 'ns')
        .updateStatus({ ...meta, spec: { template: { ...meta, spec: { containers: [] } } } }),
    line: 'PUT /apis/apps/v1/namespaces/ns/deployments/a%20b/status',
  },
  {
    name: 'patch with a manager',
    make: (w) => createClient(w).resource(PODS, 'ns').patch('p', 'strategic', {}, { fieldManager: 'me', dryRun: true }),
    line: 'PATCH /api/v1/namespaces/ns/pods/p?dryRun=All&fieldManager=me',
  },
  {
    name: 'binding',
    make: (w) => createClient(w).resource(PODS, 'ns').subresource('create', 'p', 'binding', {}),
    line: 'POST /api/v1/namespaces/ns/pods/p/binding',
  },
];
for (const row of rows) {
  test(`path of ${row.name}`, async () => {
    const { wire, calls } = recordingWire();
    await row.make(wire);
    const call = calls[0];
    assert.ok(call);
    assert.equal(`${methodOf(call.verb)} ${pathOf(call)}`, row.line);
  });
}

test('kind and apiVersion are filled in; the patch kind decides the content type', async () => {
  const { wire, calls } = recordingWire();
  const pods = createClient(wire).resource(PODS, 'ns');
  await pods.create({ metadata: { name: 'p' }, spec: { containers: [] } });
  await pods.patch('p', 'merge', {});
  await pods.delete('p', { propagationPolicy: 'Orphan' });
  assert.deepEqual(calls[0]?.body, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [] },
  });
  assert.equal(calls[1] && contentTypeOf(calls[1]), 'application/merge-patch+json');
  assert.deepEqual(calls[2]?.body, { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Orphan' });
});

test('a list without items is empty, an empty continue is none', async () => {
  const { wire } = recordingWire();
  assert.deepEqual(await createClient(wire).resource(PODS).list(), { items: [], resourceVersion: '5' });
});

test('initial events ask for a version that is not older', () => {
  const { wire, watches } = recordingWire();
  const sink = { events: () => undefined, end: () => undefined };
  createClient(wire).resource(PODS).watch({ sendInitialEvents: true, allowWatchBookmarks: true }, sink);
  assert.equal(watches[0]?.query?.['resourceVersionMatch'], 'NotOlderThan');
});
