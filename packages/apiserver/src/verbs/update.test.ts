import assert from 'node:assert/strict';
import test from 'node:test';
import type { Policy } from '../policy.ts';
import { openPolicyWith } from '../testing/open-policy.ts';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import type { TestObject, TestServer } from '../testing/test-server.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const DEPLOYMENT = {
  metadata: { name: 'd' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'd' } },
    template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'busybox' }] } },
  },
};

async function deployed(): Promise<{ server: TestServer; body: TestObject }> {
  const server = await startTestServer();
  const { code, body } = await server.ask(`POST ${DEPLOYMENTS}`, DEPLOYMENT);
  assert.equal(code, 201, JSON.stringify(body));
  return { server, body };
}

test('the generation counts changes of the spec, and of nothing else', async () => {
  const { server, body } = await deployed();
  const labelled = await server.ask(`PUT ${DEPLOYMENTS}/d`, {
    ...body,
    metadata: { ...body.metadata, labels: { k: 'v' } },
  });
  assert.equal(labelled.body.metadata.generation, 1);
  const scaled = { ...labelled.body, spec: { ...(labelled.body['spec'] as object), replicas: 3 } };
  const changed = await server.ask(`PUT ${DEPLOYMENTS}/d`, scaled);
  assert.equal(changed.body.metadata.generation, 2);
});

test('an update keeps the status, a status update keeps everything else', async () => {
  const { server, body } = await deployed();
  const status = { replicas: 1, observedGeneration: 1 };
  const withStatus = { ...body, spec: { ...(body['spec'] as object), replicas: 9 }, status };
  const one = await server.ask(`PUT ${DEPLOYMENTS}/d/status`, withStatus);
  assert.deepEqual(one.body['status'], status);
  assert.equal((one.body['spec'] as { replicas: number }).replicas, 1);
  assert.equal(one.body.metadata.generation, 1);
  const two = await server.ask(`PUT ${DEPLOYMENTS}/d`, { ...one.body, status: { replicas: 7 } });
  assert.deepEqual(two.body['status'], status);
});

test('a change that changes nothing writes nothing', async () => {
  const { server, body } = await deployed();
  const { code, body: after } = await server.ask(`PUT ${DEPLOYMENTS}/d`, body);
  assert.equal(code, 200);
  assert.equal(after.metadata.resourceVersion, body.metadata.resourceVersion);
  assert.equal(server.store.revision, Number(body.metadata.resourceVersion));
});

const MAP = '/api/v1/namespaces/default/configmaps/a';
const ROLE = '/apis/rbac.authorization.k8s.io/v1/clusterroles/a';
const NOWHERE: readonly [name: string, path: string, ask: string, body: (from: TestObject) => object, type?: string][] =
  [
    ['an update', MAP, 'PUT', (from) => ({ ...from, metadata: { ...from.metadata, namespace: '' } })],
    ['a merge patch', MAP, 'PATCH', () => ({ metadata: { namespace: null } }), 'merge-patch+json'],
    ['a JSON patch', MAP, 'PATCH', () => [{ op: 'remove', path: '/metadata/namespace' }], 'json-patch+json'],
    ['a strategic patch', MAP, 'PATCH', () => ({ metadata: { namespace: '' } }), 'strategic-merge-patch+json'],
    [
      'an apply',
      `${MAP}?fieldManager=m`,
      'PATCH',
      () => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: '' } }),
      'apply-patch+yaml',
    ],
    [
      'an update of what has none',
      ROLE,
      'PUT',
      (from) => ({ ...from, metadata: { ...from.metadata, namespace: 'n' } }),
    ],
  ];

for (const [name, path, verb, body, type] of NOWHERE) {
  test(`the URL says where an object is: ${name} with another word on it changes nothing`, async () => {
    const server = await startTestServer();
    const [plain = ''] = path.split('?');
    const namespace = path === ROLE ? 'n' : '';
    const { body: made } = await server.ask(`POST ${plain.slice(0, -2)}`, { metadata: { name: 'a', namespace } });
    const headers = type === undefined ? {} : { 'content-type': `application/${type}` };
    const { code, body: after } = await server.ask(`${verb} ${path}`, body(made), headers);
    assert.equal(code, 200, JSON.stringify(after));
    assert.equal(after.metadata.namespace, path === ROLE ? undefined : 'default');
  });
}

const REFUSED: readonly [name: string, change: (body: TestObject) => object, code: number, message: RegExp][] = [
  [
    'an old resourceVersion',
    (body) => ({ ...body, metadata: { ...body.metadata, resourceVersion: '1' } }),
    409,
    /^Operation cannot be fulfilled on deployments\.apps "d": the object has been modified; please apply your changes to the latest version and try again$/,
  ],
  [
    'another uid',
    (body) => ({ ...body, metadata: { ...body.metadata, uid: 'other' } }),
    409,
    /Precondition failed: UID in precondition: other, UID in object meta: /,
  ],
  [
    'another name',
    (body) => ({ ...body, metadata: { ...body.metadata, name: 'e' } }),
    400,
    /^the name of the object \(e\) does not match the name on the URL \(d\)$/,
  ],
];

for (const [name, change, code, message] of REFUSED) {
  test(`refused: ${name}`, async () => {
    const { server, body } = await deployed();
    const reply = await server.ask(`PUT ${DEPLOYMENTS}/d`, change(body));
    assert.equal(reply.code, code);
    assert.match(String(reply.body['message']), message);
  });
}

test('without a resourceVersion: most kinds overwrite, leases refuse', async () => {
  const { server, body } = await deployed();
  const { resourceVersion: _version, ...metadata } = body.metadata;
  assert.equal((await server.ask(`PUT ${DEPLOYMENTS}/d`, { ...body, metadata })).code, 200);
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const lease = { metadata: { name: 'l' }, spec: { holderIdentity: 'x', leaseDurationSeconds: 5 } };
  assert.equal((await server.ask(`PUT ${leases}/l`, lease)).code, 201, 'PUT creates a lease');
  const refused = await server.ask(`PUT ${leases}/l`, lease);
  assert.equal(refused.code, 422);
  assert.match(
    String(refused.body['message']),
    /metadata\.resourceVersion: Invalid value: 0: must be specified for an update/,
  );
});

test('a PUT on a pod that is not there is 404, not a create', async () => {
  const { ask } = await startTestServer();
  assert.equal((await ask(`PUT ${PODS_PATH}/a`, podNamed('a'))).code, 404);
});

test('an update of what is not there is a create, and asked about as one', async () => {
  const policy = (): Policy =>
    openPolicyWith(
      {},
      {
        authorizer: { authorize: ({ verb }) => ({ decision: verb === 'create' ? 'noOpinion' : 'allow', reason: '' }) },
      },
    );
  const { ask } = await startTestServer({ policy, user: { name: 'eve', groups: [] } });
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const { code, body } = await ask(`PUT ${leases}/l`, { metadata: { name: 'l' } });
  assert.deepEqual(
    [code, body['message']],
    [
      403,
      'leases.coordination.k8s.io "l" is forbidden: User "eve" cannot create resource "leases" in API group "coordination.k8s.io" in the namespace "default"',
    ],
  );
  assert.equal((await ask(`GET ${leases}/l`)).code, 404);
});
