import assert from 'node:assert/strict';
import test from 'node:test';
import type { KubeObject } from '@binnacle/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../ports/admission.ts';
import { openPolicyWith } from '../testing/open-policy.ts';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import type { TestServer } from '../testing/test-server.ts';

test('the server sets what is its own, defaults the rest and drops a status', async () => {
  const { ask } = await startTestServer();
  const { code, body } = await ask(`POST ${PODS_PATH}`, {
    ...podNamed('a'),
    metadata: {
      name: 'a',
      uid: 'mine',
      creationTimestamp: '2001-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z',
    },
    status: { phase: 'Running' },
  });
  assert.equal(code, 201);
  assert.equal(body.metadata.namespace, 'default');
  assert.notEqual(body.metadata.uid, 'mine');
  assert.equal(body.metadata.creationTimestamp, '2026-01-01T00:00:00Z');
  assert.equal(body.metadata.deletionTimestamp, undefined);
  assert.equal(body.metadata.generation, 1);
  assert.equal(body.metadata.resourceVersion, '101');
  assert.deepEqual(body['status'], { phase: 'Pending', qosClass: 'BestEffort' });
  assert.equal((body['spec'] as { restartPolicy: string }).restartPolicy, 'Always');
});

test('generateName adds five letters and tries again when the name is taken', async () => {
  const { ask } = await startTestServer();
  const made = new Set<string>();
  for (let i = 0; i < 30; i++) {
    const { body } = await ask(`POST ${PODS_PATH}`, { ...podNamed(''), metadata: { generateName: 'p-' } });
    assert.match(body.metadata.name ?? '', /^p-[a-z0-9]{5}$/);
    made.add(body.metadata.name ?? '');
  }
  assert.equal(made.size, 30);
  const long = await ask(`POST ${PODS_PATH}`, { ...podNamed(''), metadata: { generateName: `${'x'.repeat(70)}` } });
  assert.equal(long.body.metadata.name?.length, 63);
});

/** A server whose last plugins tell what they see, and do more. */
async function startWatched(plugin: Pick<AdmissionPlugin, 'admit' | 'validate'>): Promise<TestServer> {
  const watching: AdmissionPlugin = { name: 'Watching', changes: 'anything', handles: () => true, ...plugin };
  return startTestServer({ policy: () => openPolicyWith({}, { admission: [watching] }) });
}

const seen = ({ name, object }: AdmissionAttributes) => {
  const { metadata, status } = object as KubeObject & { readonly status?: unknown };
  return { name, own: metadata.name, uid: metadata.uid, since: metadata.creationTimestamp, status };
};

test('who changes a new object knows nothing that the server says of it: not its made-up name, nor who it is', async () => {
  const before: object[] = [];
  const behind: object[] = [];
  const { ask } = await startWatched({
    admit: (attributes) => void before.push(seen(attributes)),
    validate: (attributes) => void behind.push(seen(attributes)),
  });
  const metadata = { generateName: 'p-', uid: 'mine', creationTimestamp: '2001-01-01T00:00:00Z' };
  const { body } = await ask(`POST ${PODS_PATH}`, { ...podNamed(''), metadata, status: { phase: 'Failed' } });
  const { name, uid, creationTimestamp: since } = body.metadata;
  assert.deepEqual(before, [
    { name: '', own: undefined, uid: undefined, since: undefined, status: { phase: 'Failed' } },
  ]);
  assert.deepEqual(behind, [{ name, own: name, uid, since, status: { phase: 'Pending', qosClass: 'BestEffort' } }]);
});

test('who changes a new object may give it a name, or a base for one', async () => {
  const { ask } = await startWatched({
    admit: ({ object }) => {
      const metadata = (object as { metadata: { name?: string; generateName?: string } }).metadata;
      if (metadata.generateName === 'named-') metadata.name = 'given';
      else metadata.generateName = 'other-';
    },
  });
  const named = await ask(`POST ${PODS_PATH}`, { ...podNamed(''), metadata: { generateName: 'named-' } });
  assert.equal(named.body.metadata.name, 'given');
  const based = await ask(`POST ${PODS_PATH}`, { ...podNamed(''), metadata: {} });
  assert.match(based.body.metadata.name ?? '', /^other-[a-z0-9]{5}$/);
});

test('a made-up name that is taken meanwhile: another one, with nothing of the first in the object, changed once', async () => {
  const path = '/apis/batch/v1/namespaces/default/jobs';
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
  let changes = 0;
  const looked: string[] = [];
  const server = await startWatched({
    admit: () => void changes++,
    async validate({ name }) {
      looked.push(name);
      if (looked.length === 1) await server.ask(`POST ${path}`, { metadata: { name }, spec: { template } });
    },
  });
  const { code, body } = await server.ask(`POST ${path}`, { metadata: { generateName: 'j-' }, spec: { template } });
  assert.equal(code, 201, JSON.stringify(body));
  const [first, second, third] = looked;
  assert.deepEqual([first === second, third === body.metadata.name, third === first, changes], [true, true, false, 2]);
  const { labels } = (body['spec'] as { template: { metadata: { labels: object } } }).template.metadata;
  const { name, uid } = body.metadata;
  assert.deepEqual(labels, {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  });
});

test('names that are taken however often one is made up; the name of one that goes', async () => {
  const server = await startWatched({
    async validate({ name }) {
      if (made.has(name)) return;
      made.add(name);
      await server.ask(`POST ${PODS_PATH}`, podNamed(name));
    },
  });
  const made = new Set<string>();
  const { code, body } = await server.ask(`POST ${PODS_PATH}`, { ...podNamed(''), metadata: { generateName: 'p-' } });
  assert.equal(code, 409);
  assert.match(
    String(body['message']),
    /^pods "p-[a-z0-9]{5}" already exists, the server was not able to generate a unique name for the object$/,
  );
  assert.equal((body['details'] as { retryAfterSeconds?: number }).retryAfterSeconds, 1);
  const { ask } = await startTestServer();
  await ask(`POST ${PODS_PATH}`, { ...podNamed('a'), metadata: { name: 'a', finalizers: ['a/b'] } });
  await ask(`DELETE ${PODS_PATH}/a`);
  const gone = await ask(`POST ${PODS_PATH}`, podNamed('a'));
  assert.equal(gone.body['message'], 'object is being deleted: pods "a" already exists');
});

test('a dry run answers as if and stores nothing', async () => {
  const { ask, store } = await startTestServer();
  const before = store.revision;
  const { code, body } = await ask(`POST ${PODS_PATH}?dryRun=All`, podNamed('a'));
  assert.equal(code, 201);
  assert.equal(body.metadata.resourceVersion, undefined);
  assert.equal(store.revision, before);
  assert.equal((await ask(`GET ${PODS_PATH}/a`)).code, 404);
});

const REFUSED: readonly [name: string, line: string, body: object, code: number, message: RegExp][] = [
  [
    'another namespace',
    `POST ${PODS_PATH}`,
    { metadata: { name: 'a', namespace: 'b' } },
    400,
    /the namespace of the provided object does not match the namespace sent on the request/,
  ],
  [
    'no name',
    `POST ${PODS_PATH}`,
    podNamed(''),
    422,
    /metadata\.name: Required value: name or generateName is required/,
  ],
  ['no such dry run', `POST ${PODS_PATH}?dryRun=Maybe`, podNamed('a'), 422, /dryRun: Unsupported value/],
  ['across namespaces', 'POST /api/v1/pods', podNamed('a'), 405, /does not allow this method/],
];

for (const [name, line, body, code, message] of REFUSED) {
  test(`refused and nothing stored: ${name}`, async () => {
    const { ask, store } = await startTestServer();
    const before = store.revision;
    const reply = await ask(line, body);
    assert.equal(reply.code, code);
    assert.match(String(reply.body['message']), message);
    assert.equal(store.revision, before);
  });
}

test('a name that is taken is a conflict', async () => {
  const { ask } = await startTestServer();
  await ask(`POST ${PODS_PATH}`, podNamed('a'));
  const { code, body } = await ask(`POST ${PODS_PATH}`, podNamed('a'));
  assert.deepEqual([code, body['reason'], body['message']], [409, 'AlreadyExists', 'pods "a" already exists']);
});

test('what the caller gave is rebuilt: changing it later changes nothing', async () => {
  const { ask } = await startTestServer();
  const mine = { metadata: { name: 'a' }, data: { k: 'v' } };
  await ask('POST /api/v1/namespaces/default/configmaps', mine);
  mine.data.k = 'changed';
  const { body } = await ask('GET /api/v1/namespaces/default/configmaps/a');
  assert.deepEqual(body['data'], { k: 'v' });
  assert.ok(Object.isFrozen(body['data']), 'cached objects are frozen under assertions');
});

for (const [name, resourceVersion, object, query, code] of [
  ['a version', '7', { data: {} }, '', 500],
  ['the version of anything', '0', { data: {} }, '', 201],
  ['no number', 'x', { data: {} }, '', 201],
  ['a version, and something wrong', '7', { data: { '!': 'x' } }, '', 422],
  ['a version, to try', '7', { data: {} }, '?dryRun=All', 201],
] as const) {
  test(`a new object with a resourceVersion: ${name}`, async () => {
    const { ask } = await startTestServer();
    const body = { metadata: { name: 'a', resourceVersion }, ...object };
    const reply = await ask(`POST /api/v1/namespaces/default/configmaps${query}`, body);
    assert.equal(reply.code, code, JSON.stringify(reply.body));
    if (code === 500) assert.equal(reply.body['message'], 'resourceVersion should not be set on objects to be created');
  });
}
