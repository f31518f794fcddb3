/** Empty lists that are written although they are empty: upstream keeps them as protobuf, and answers null. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../testing/test-server.ts';
import type { TestObject } from '../testing/test-server.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
const FLOWS = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
const PODS = '/api/v1/namespaces/default/pods';
const DAEMONS = '/apis/apps/v1/namespaces/default/daemonsets';
const metadata = { name: 'a' };

const rule = (namespaces: unknown): object => ({
  subjects: [{ kind: 'User', user: { name: 'u' } }],
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces }],
});
const flow = (namespaces: unknown): object => ({
  metadata,
  spec: { priorityLevelConfiguration: { name: 'global-default' }, rules: [rule(namespaces)] },
});
const podSpec = (sources: unknown): object => ({
  containers: [{ name: 'c', image: 'busybox' }],
  volumes: [{ name: 'v', projected: { sources } }],
});
const daemons = (sources: unknown): object => ({
  metadata,
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: podSpec(sources) },
  },
});

/** The place of a list, as its path. */
const ROWS: readonly (readonly [path: string, object: (list: unknown) => object, at: string])[] = [
  [`${RBAC}/clusterroles`, (rules) => ({ metadata, rules }), 'rules'],
  [`${RBAC}/namespaces/default/roles`, (rules) => ({ metadata, rules }), 'rules'],
  [SLICES, (endpoints) => ({ metadata, addressType: 'IPv4', endpoints, ports: null }), 'endpoints'],
  [SLICES, (ports) => ({ metadata, addressType: 'IPv4', endpoints: null, ports }), 'ports'],
  ['/apis/storage.k8s.io/v1/csinodes', (drivers) => ({ metadata, spec: { drivers } }), 'spec.drivers'],
  ['/api/v1/namespaces/default/limitranges', (limits) => ({ metadata, spec: { limits } }), 'spec.limits'],
  [FLOWS, flow, 'spec.rules.0.resourceRules.0.namespaces'],
  [PODS, (sources) => ({ metadata, spec: podSpec(sources) }), 'spec.volumes.0.projected.sources'],
  [DAEMONS, daemons, 'spec.template.spec.volumes.0.projected.sources'],
];

function at(object: object, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, name) => (inner as { [key: string]: unknown })[name], object);
}

for (const [path, object, place] of ROWS) {
  test(`${place} of ${path}: empty is null, in every answer, and nothing changes from one to the other`, async () => {
    const server = await startTestServer();
    const tried = await server.ask(`POST ${path}?dryRun=All`, object([]));
    assert.equal(tried.code, 201, JSON.stringify(tried.body));
    assert.equal(at(tried.body, place), null);
    const { body: made } = await server.ask(`POST ${path}`, object([]));
    const one = `${path}/a`;
    const { body: read } = await server.ask(`GET ${one}`);
    assert.deepEqual([at(made, place), at(read, place)], [null, null]);
    const triedAgain = await server.ask(`PUT ${one}?dryRun=All`, sent(made, object([])));
    assert.deepEqual(written(triedAgain.body), written(made));
    const again = await server.ask(`PUT ${one}`, sent(made, object([])));
    assert.deepEqual(written(again.body), written(made), 'its version, too');
  });
}

/** As it goes over a wire. */
function written(body: object): unknown {
  return JSON.parse(JSON.stringify(body));
}

/** As a client sends it that read the object and has its own mind of the rest. */
function sent(made: TestObject, wanted: object): object {
  return { ...made, ...wanted, metadata: made.metadata };
}

test('who says an empty list owns it, from an update also where it is null already', async () => {
  const server = await startTestServer();
  const { body: made } = await server.ask(`POST ${FLOWS}`, flow(null), { 'user-agent': 'one' });
  const { body: after } = await server.ask(`PUT ${FLOWS}/a`, sent(made, flow([])), { 'user-agent': 'two' });
  const owners = (body: TestObject): unknown =>
    (body.metadata as unknown as { managedFields: { manager: string; fieldsV1: object }[] }).managedFields.map(
      ({ manager, fieldsV1 }) => [manager, JSON.stringify(fieldsV1).includes('f:rules')],
    );
  assert.deepEqual(owners(made), [['one', true]]);
  assert.deepEqual(owners(after), [
    ['one', false],
    ['two', true],
  ]);
  assert.equal(after.metadata.generation, 1, 'and that is no change of the spec');
});

test('bytes that are null are none', async () => {
  const server = await startTestServer();
  const { body } = await server.ask('POST /api/v1/namespaces/default/secrets', { metadata, data: { a: null } });
  assert.deepEqual(body['data'], { a: '' });
});

test('a template counts no other generation for an empty list, whatever else of the spec changes', async () => {
  const server = await startTestServer();
  const { body: made } = await server.ask(`POST ${DAEMONS}`, daemons([]));
  const spec = { ...(daemons([]) as { spec: object }).spec, minReadySeconds: 5 };
  const { body: after } = await server.ask(`PUT ${DAEMONS}/a`, sent(made, { spec }));
  const { generation, annotations } = after.metadata;
  assert.deepEqual([generation, Object.values(annotations ?? {})], [2, ['1']]);
});

const AUTOSCALERS = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';

const scaling = (up: object): object => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata,
  spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'a' }, behavior: { scaleUp: up } },
});

test('a list that is filled in where there is none is refused where it is empty', async () => {
  const server = await startTestServer();
  const { code } = await server.ask(`POST ${AUTOSCALERS}`, scaling({}));
  assert.equal(code, 201);
  const { body: made } = await server.ask(`GET ${AUTOSCALERS}/a`);
  const empty = scaling({ policies: [] });
  const merge = { 'content-type': 'application/merge-patch+json' };
  const apply = { 'content-type': 'application/apply-patch+yaml' };
  const asks = [
    ['POST', '', { ...empty, metadata: { name: 'b' } }, {}],
    ['POST', '?dryRun=All', { ...empty, metadata: { name: 'b' } }, {}],
    ['PUT', '/a', sent(made, empty), {}],
    ['PATCH', '/a', { spec: { behavior: { scaleUp: { policies: [] } } } }, merge],
    ['PATCH', '/a?fieldManager=m&force=true', empty, apply],
  ] as const;
  for (const [verb, path, body, headers] of asks) {
    const refused = await server.ask(`${verb} ${AUTOSCALERS}${path}`, body, headers);
    assert.equal(refused.code, 422, `${verb} ${path}: ${JSON.stringify(refused.body)}`);
    assert.match(
      String(refused.body['message']),
      /spec\.behavior\.scaleUp\.policies: Required value: must specify at least one Policy$/,
    );
  }
  const { body: again } = await server.ask(
    `PATCH ${AUTOSCALERS}/a`,
    { spec: { behavior: { scaleUp: { policies: null } } } },
    merge,
  );
  assert.equal(at(again, 'spec.behavior.scaleUp.policies.length'), 2);
});
