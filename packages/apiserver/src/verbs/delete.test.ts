import assert from 'node:assert/strict';
import test from 'node:test';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import type { TestServer } from '../testing/test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const RCS = '/api/v1/namespaces/default/replicationcontrollers';
const REPLICA_SETS = '/apis/apps/v1/namespaces/default/replicasets';
const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'busybox' }] } };

test('answers with a Status for most kinds, with the object for pods', async () => {
  const { ask } = await startTestServer();
  const { body: map } = await ask(`POST ${MAPS}`, { metadata: { name: 'a' } });
  const gone = await ask(`DELETE ${MAPS}/a`);
  assert.deepEqual([gone.code, gone.body['status']], [200, 'Success']);
  assert.deepEqual(gone.body['details'], { name: 'a', kind: 'configmaps', uid: map.metadata.uid });
  await ask(`POST ${PODS_PATH}`, podNamed('a'));
  const pod = await ask(`DELETE ${PODS_PATH}/a`);
  assert.deepEqual([pod.code, pod.body.kind, pod.body.metadata.resourceVersion], [200, 'Pod', '104']);
  assert.equal((await ask(`DELETE ${PODS_PATH}/a`)).code, 404);
});

async function withBoundPod(): Promise<TestServer> {
  const server = await startTestServer();
  await server.ask(`POST ${PODS_PATH}`, podNamed('a', { spec: { nodeName: 'n' } }));
  return server;
}

test('a pod on a node stays for its grace; a second request may shorten it, and zero ends it', async () => {
  const { ask } = await withBoundPod();
  const first = await ask(`DELETE ${PODS_PATH}/a`);
  assert.equal(first.body.metadata.deletionTimestamp, '2026-01-01T00:00:30Z');
  assert.equal(first.body.metadata.deletionGracePeriodSeconds, 30);
  assert.equal(first.body.metadata.generation, 2);
  const longer = await ask(`DELETE ${PODS_PATH}/a`, { gracePeriodSeconds: 60 });
  assert.equal(longer.body.metadata.deletionGracePeriodSeconds, 30);
  const shorter = await ask(`DELETE ${PODS_PATH}/a?gracePeriodSeconds=5`);
  assert.equal(shorter.body.metadata.deletionTimestamp, '2026-01-01T00:00:05Z');
  assert.equal((await ask(`GET ${PODS_PATH}/a`)).code, 200);
  assert.equal((await ask(`DELETE ${PODS_PATH}/a`, { gracePeriodSeconds: 0 })).code, 200);
  assert.equal((await ask(`GET ${PODS_PATH}/a`)).code, 404);
});

const FINALIZERS: readonly [name: string, path: string, options: object, finalizers: readonly string[] | undefined][] =
  [
    ['a replication controller orphans by default', RCS, {}, ['orphan']],
    ['unless told otherwise', RCS, { propagationPolicy: 'Background' }, undefined],
    ['foreground waits', RCS, { propagationPolicy: 'Foreground' }, ['foregroundDeletion']],
    ['a replica set does not orphan by default', REPLICA_SETS, {}, undefined],
    ['the old way to orphan', REPLICA_SETS, { orphanDependents: true }, ['orphan']],
  ];

for (const [name, path, options, finalizers] of FINALIZERS) {
  test(`propagation: ${name}`, async () => {
    const { ask } = await startTestServer();
    const selector = path === RCS ? { a: 'b' } : { matchLabels: { a: 'b' } };
    const made = await ask(`POST ${path}`, { metadata: { name: 'x' }, spec: { selector, template: TEMPLATE } });
    assert.equal(made.code, 201, JSON.stringify(made.body));
    assert.equal((await ask(`DELETE ${path}/x`, options)).code, 200);
    const left = await ask(`GET ${path}/x`);
    assert.equal(left.code, finalizers === undefined ? 404 : 200);
    if (finalizers !== undefined) assert.deepEqual(left.body.metadata.finalizers, finalizers);
  });
}

const REFUSED: readonly [name: string, options: object, code: number, message: RegExp][] = [
  [
    'another uid',
    { preconditions: { uid: 'x' } },
    409,
    /the UID in the precondition \(x\) does not match the UID in record/,
  ],
  [
    'another resourceVersion',
    { preconditions: { resourceVersion: '1' } },
    409,
    /the ResourceVersion in the precondition \(1\)/,
  ],
  ['both ways to propagate', { propagationPolicy: 'Orphan', orphanDependents: true }, 422, /cannot be both set/],
  ['no such propagation', { propagationPolicy: 'Sideways' }, 422, /propagationPolicy: Unsupported value: "Sideways"/],
];

for (const [name, options, code, message] of REFUSED) {
  test(`refused: ${name}`, async () => {
    const { ask } = await startTestServer();
    await ask(`POST ${MAPS}`, { metadata: { name: 'a' } });
    const reply = await ask(`DELETE ${MAPS}/a`, options);
    assert.equal(reply.code, code);
    assert.match(String(reply.body['message']), message);
    assert.equal((await ask(`GET ${MAPS}/a`)).code, 200);
  });
}

test('a dry run deletes nothing', async () => {
  const { ask } = await startTestServer();
  await ask(`POST ${MAPS}`, { metadata: { name: 'a' } });
  const { code, body } = await ask(`DELETE ${MAPS}/a?dryRun=All`);
  assert.deepEqual([code, body['kind'], body['status']], [200, 'Status', 'Success']);
  assert.equal((await ask(`DELETE ${MAPS}/a`, { dryRun: ['All'] })).code, 200);
  assert.equal((await ask(`GET ${MAPS}/a`)).code, 200);
});

test('a namespace is Terminating until its finalizer goes', async () => {
  const { ask } = await startTestServer();
  await ask('POST /api/v1/namespaces', { metadata: { name: 'n' } });
  const { body } = await ask('DELETE /api/v1/namespaces/n');
  assert.deepEqual(body['status'], { phase: 'Terminating' });
  assert.deepEqual(body['spec'], { finalizers: ['kubernetes'] });
  const { body: now } = await ask('GET /api/v1/namespaces/n');
  assert.equal((await ask('PUT /api/v1/namespaces/n/finalize', { ...now, spec: {} })).code, 200);
  assert.equal((await ask('GET /api/v1/namespaces/n')).code, 404);
});

test('deletecollection deletes what is selected', async () => {
  const { ask } = await startTestServer();
  for (const [name, app] of [
    ['a', 'x'],
    ['b', 'x'],
    ['c', 'y'],
  ]) {
    await ask(`POST ${MAPS}`, { metadata: { name, labels: { app } } });
  }
  const { code, body } = await ask(`DELETE ${MAPS}?labelSelector=app%3Dx`);
  assert.deepEqual([code, body.kind, (body['items'] as unknown[]).length], [200, 'ConfigMapList', 2]);
  const left = (await ask(`GET ${MAPS}`)).body['items'] as { metadata: { name: string } }[];
  assert.deepEqual(
    left.map(({ metadata }) => metadata.name),
    ['c'],
  );
});
