/** What kinds do at a change, asked of a whole server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import type { TestObject } from '../testing/test-server.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
const VOLUMES = '/api/v1/persistentvolumes';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const DEPLOYMENT = {
  metadata: { name: 'd', labels: { own: 'x' } },
  spec: {
    selector: { matchLabels: { app: 'd' } },
    template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'busybox' }] } },
  },
};
const SLICE = { metadata: { name: 's' }, addressType: 'IPv4', endpoints: [], ports: [] };

for (const [name, path, object, patch, generation] of [
  ['annotations of a deployment', DEPLOYMENTS, DEPLOYMENT, { metadata: { annotations: { a: 'b' } } }, 2],
  ['labels of a deployment', DEPLOYMENTS, DEPLOYMENT, { metadata: { labels: { a: 'b' } } }, 1],
  ['both in one change', DEPLOYMENTS, DEPLOYMENT, { metadata: { annotations: { a: 'b' } }, spec: { replicas: 3 } }, 2],
  ['labels of a slice', SLICES, SLICE, { metadata: { labels: { a: 'b' } } }, 2],
  ['annotations of a slice', SLICES, SLICE, { metadata: { annotations: { a: 'b' } } }, 1],
] as const) {
  test(`what counts as a new generation: ${name}`, async () => {
    const { ask } = await startTestServer();
    await ask(`POST ${path}`, object);
    const { code, body } = await ask(`PATCH ${path}/${object.metadata.name}`, JSON.stringify(patch), MERGE);
    assert.deepEqual([code, body.metadata.generation], [200, generation]);
  });
}

test('the status of a deployment leaves its labels alone', async () => {
  const { ask } = await startTestServer();
  const { body } = await ask(`POST ${DEPLOYMENTS}`, DEPLOYMENT);
  const change = { ...body, metadata: { ...body.metadata, labels: { own: 'y' } }, status: { observedGeneration: 1 } };
  const after = await ask(`PUT ${DEPLOYMENTS}/d/status`, change);
  assert.deepEqual([after.body.metadata.labels, after.body['status']], [{ own: 'x' }, { observedGeneration: 1 }]);
});

test('a volume is Pending from its creation on, and dates its phases', async () => {
  const { ask, clock } = await startTestServer();
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/v' } };
  const made = await ask(`POST ${VOLUMES}`, { metadata: { name: 'v' }, spec, status: { phase: 'Bound' } });
  const born = { phase: 'Pending', lastPhaseTransitionTime: made.body.metadata.creationTimestamp };
  assert.deepEqual(made.body['status'], born);
  await clock.advance(5000);
  const put = async (body: TestObject, status: object): Promise<TestObject> =>
    (await ask(`PUT ${VOLUMES}/v/status`, { ...body, status })).body;
  const same = await put(made.body, { phase: 'Pending', message: 'm' });
  assert.deepEqual(same['status'], { ...born, message: 'm' });
  const { lastPhaseTransitionTime: then } = (await put(same, { ...born, phase: 'Available' }))['status'] as typeof born;
  assert.equal(Date.parse(then ?? '') - Date.parse(born.lastPhaseTransitionTime ?? ''), 5000);
});

test('a claim is Pending from its creation on', async () => {
  const { ask } = await startTestServer();
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const { body } = await ask('POST /api/v1/namespaces/default/persistentvolumeclaims', {
    metadata: { name: 'c' },
    spec,
  });
  assert.equal((body['status'] as { phase?: string }).phase, 'Pending');
});

for (const [name, given, other] of [
  ['the older field', 'dataSource', 'dataSourceRef'],
  ['the newer field', 'dataSourceRef', 'dataSource'],
] as const) {
  test(`what a claim is filled from is said in both fields: ${name}`, async () => {
    const { ask } = await startTestServer();
    const from = { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'old' };
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, [given]: from };
    const path = 'POST /api/v1/namespaces/default/persistentvolumeclaims';
    const { body } = await ask(path, { metadata: { name: 'c' }, spec });
    assert.deepEqual((body['spec'] as { [field: string]: unknown })[other], from);
  });
}

test('what the older field of a claim never could say is passed over; in the newer one it counts', async () => {
  const { ask } = await startTestServer();
  const from = { apiGroup: 'ships.io', kind: 'Ship', name: 'old' };
  const path = '/api/v1/namespaces/default/persistentvolumeclaims';
  const claim = (name: string, more: object): object => ({
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
  });
  const older = await ask(`POST ${path}`, claim('a', { dataSource: from }));
  assert.equal(older.code, 201);
  const sources = ({ spec }: { readonly [field: string]: unknown }): unknown[] => {
    const { dataSource, dataSourceRef } = spec as { dataSource?: object; dataSourceRef?: object };
    return [dataSource, dataSourceRef];
  };
  assert.deepEqual(sources(older.body), [undefined, undefined]);
  const patch = JSON.stringify({ spec: { dataSource: from } });
  const patched = await ask(`PATCH ${path}/a`, patch, { 'content-type': 'application/merge-patch+json' });
  assert.deepEqual([patched.code, ...sources(patched.body)], [200, undefined, undefined]);
  const newer = await ask(`POST ${path}`, claim('b', { dataSourceRef: from }));
  assert.deepEqual(sources(newer.body), [from, from]);
});

test('a pod behind gates says so from its creation on', async () => {
  const { ask } = await startTestServer();
  const { body } = await ask(
    `POST ${PODS_PATH}`,
    podNamed('p', { spec: { schedulingGates: [{ name: 'g.example/x' }] } }),
  );
  const { metadata, status } = body as unknown as Pod;
  assert.deepEqual(
    status?.conditions?.map(({ type, status, reason, lastTransitionTime }) => [
      type,
      status,
      reason,
      lastTransitionTime,
    ]),
    [['PodScheduled', 'False', 'SchedulingGated', metadata.creationTimestamp]],
  );
});

test('ephemeral containers are not taken away', async () => {
  const { ask } = await startTestServer();
  const made = await ask(`POST ${PODS_PATH}`, podNamed('p'));
  const spec = { ...(made.body['spec'] as object), ephemeralContainers: [{ name: 'e', image: 'busybox' }] };
  const path = `PUT ${PODS_PATH}/p/ephemeralcontainers`;
  const added = await ask(path, { ...made.body, spec });
  assert.equal(added.code, 200, JSON.stringify(added.body));
  const { code, body } = await ask(path, { ...added.body, spec: made.body['spec'] });
  assert.equal(code, 422);
  assert.match(String(body['message']), /existing ephemeral containers "e" may not be removed/);
});

const DAEMON_SETS = '/apis/apps/v1/namespaces/default/daemonsets';
const GENERATION = 'deprecated.daemonset.template.generation';
const daemonSet = (said?: string): object => ({
  metadata: { name: 'd', annotations: { own: 'x', ...(said === undefined ? {} : { [GENERATION]: said }) } },
  spec: DEPLOYMENT.spec,
});
const generationsOf = ({ metadata }: TestObject): unknown => [metadata.annotations?.[GENERATION], metadata.generation];

for (const [name, said, wanted] of [
  ['nothing said', undefined, '1'],
  ['zero', '0', '1'],
  ['a version that it had elsewhere', '9007199254740993', '9007199254740993'],
] as const) {
  test(`a daemon set counts the versions of its template from its creation on: ${name}`, async () => {
    const { ask } = await startTestServer();
    const { code, body } = await ask(`POST ${DAEMON_SETS}`, daemonSet(said));
    assert.equal(code, 201, JSON.stringify(body));
    assert.deepEqual(generationsOf(body), [wanted, 1]);
  });
}

test('a daemon set counts changes of its template alone, whatever a caller says', async () => {
  const { ask } = await startTestServer();
  await ask(`POST ${DAEMON_SETS}`, daemonSet());
  const patch = async (change: object, part = ''): Promise<unknown> =>
    generationsOf((await ask(`PATCH ${DAEMON_SETS}/d${part}`, JSON.stringify(change), MERGE)).body);
  const template = { metadata: { annotations: { a: 'b' } } };
  assert.deepEqual(await patch({ metadata: { annotations: { [GENERATION]: '7', a: 'b' } } }), ['1', 1]);
  assert.deepEqual(await patch({ spec: { minReadySeconds: 1 } }), ['1', 2]);
  assert.deepEqual(await patch({ spec: { template } }), ['2', 3]);
  assert.deepEqual(await patch({ metadata: { annotations: { [GENERATION]: '9' } }, status: {} }, '/status'), ['2', 3]);
});

test('a version of a daemon set that is no integer is refused', async () => {
  const { ask } = await startTestServer();
  for (const said of ['x', '1.5', '9223372036854775808', '']) {
    const { code, body } = await ask(`POST ${DAEMON_SETS}`, daemonSet(said));
    assert.equal(code, 400);
    assert.match(String(body['message']), /strconv\.ParseInt: parsing ".*": invalid syntax$/);
  }
});
