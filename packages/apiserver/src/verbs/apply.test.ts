import assert from 'node:assert/strict';
import test from 'node:test';
import type { ManagedFieldsEntry, Status } from '@binnacle/machinery';
import { startTestServer } from '../testing/test-server.ts';
import type { TestServer } from '../testing/test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const APPLY = { 'content-type': 'application/apply-patch+yaml' };

type Body = { [field: string]: unknown; metadata: { managedFields?: ManagedFieldsEntry[]; resourceVersion?: string } };

function applier({ ask }: TestServer) {
  return async (path: string, manager: string, body: object | string, query = '') => {
    const reply = await ask(
      `PATCH ${path}?fieldManager=${manager}${query}`,
      typeof body === 'string' ? body : JSON.stringify(body),
      APPLY,
    );
    return { ...reply, body: reply.body as unknown as Body & Status };
  };
}

const map = (data: object, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...more },
  data,
});

test('an apply makes what is not there, and owns what it lists', async () => {
  const server = await startTestServer();
  const { code, body } = await applier(server)(`${MAPS}/a`, 'one', map({ k: 'v' }, { labels: { app: 'x' } }));
  assert.equal(code, 201);
  assert.deepEqual(body['data'], { k: 'v' });
  assert.deepEqual(body.metadata.managedFields, [
    {
      manager: 'one',
      operation: 'Apply',
      apiVersion: 'v1',
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:k': {} }, 'f:metadata': { 'f:labels': { 'f:app': {} } } },
    },
  ]);
});

test('of many applies at once that make an object, each has its say and none is told that it was late', async () => {
  const server = await startTestServer();
  const apply = applier(server);
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, i) => apply(`${MAPS}/a`, `m${i}`, map({ [`k${i}`]: 'v' }))),
  );
  assert.deepEqual(replies.map(({ code }) => code).toSorted(), [...Array.from({ length: 19 }, () => 200), 201]);
  const { body } = await server.ask(`GET ${MAPS}/a`);
  assert.equal(Object.keys(body['data'] as object).length, 20);
  assert.equal(body.metadata.managedFields?.length, 20);
});

test('the same again changes nothing; what is no longer listed goes; what another lists too stays', async () => {
  const server = await startTestServer();
  const apply = applier(server);
  const first = await apply(`${MAPS}/a`, 'one', map({ k: 'v', shared: 's', gone: 'g' }));
  const again = await apply(`${MAPS}/a`, 'one', map({ k: 'v', shared: 's', gone: 'g' }));
  assert.deepEqual([again.code, again.body.metadata.resourceVersion], [200, first.body.metadata.resourceVersion]);
  assert.equal((await apply(`${MAPS}/a`, 'two', map({ shared: 's' }))).code, 200);
  const less = await apply(`${MAPS}/a`, 'one', map({ k: 'w' }));
  assert.deepEqual(less.body['data'], { k: 'w', shared: 's' });
  const none = await apply(`${MAPS}/a`, 'two', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
  assert.deepEqual(none.body['data'], { k: 'w' });
  assert.deepEqual(
    none.body.metadata.managedFields?.map(({ manager }) => manager),
    ['one'],
  );
});

test('an apply that lists an empty map again writes nothing', async () => {
  const server = await startTestServer();
  const apply = applier(server);
  const first = await apply(`${MAPS}/a`, 'one', map({ k: 'v' }, { labels: {} }));
  await server.clock.advance(5000);
  const again = await apply(`${MAPS}/a`, 'one', map({ k: 'v' }, { labels: {} }));
  assert.equal(again.body.metadata.resourceVersion, first.body.metadata.resourceVersion);
});

test('conflicts name owner and field; force takes the fields over', async () => {
  const server = await startTestServer();
  const apply = applier(server);
  await apply(`${MAPS}/a`, 'one', map({ k: 'v', l: 'v' }));
  const one = await apply(`${MAPS}/a`, 'two', map({ k: 'w' }));
  assert.equal(one.code, 409);
  assert.equal(one.body.message, 'Apply failed with 1 conflict: conflict with "one": .data.k');
  assert.deepEqual(one.body.details?.causes, [
    { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.k' },
  ]);
  const two = await apply(`${MAPS}/a`, 'two', map({ k: 'w', l: 'w' }));
  assert.equal(two.body.message, 'Apply failed with 2 conflicts: conflicts with "one":\n- .data.k\n- .data.l');
  const forced = await apply(`${MAPS}/a`, 'two', map({ k: 'w' }), '&force=true');
  assert.deepEqual([forced.code, forced.body['data']], [200, { k: 'w', l: 'v' }]);
  const back = await apply(`${MAPS}/a`, 'one', map({ l: 'v' }));
  assert.deepEqual([back.code, back.body['data']], [200, { k: 'w', l: 'v' }]);
});

test('of very many conflicts the first are named, the others counted', async () => {
  const apply = applier(await startTestServer());
  const keys = Array.from({ length: 3000 }, (_, i) => `k${i}`);
  const all = (value: string): { [key: string]: string } => Object.fromEntries(keys.map((key) => [key, value]));
  await apply(`${MAPS}/a`, 'one', map(all('v')));
  const { code, body } = await apply(`${MAPS}/a`, 'two', map(all('w')));
  assert.equal(code, 409);
  assert.match(String(body.message), /^Apply failed with 3000 conflicts: conflicts with "one":\n- \.data\.k0\n/);
  assert.match(String(body.message), /\nand 2000 more$/);
  const causes = body.details?.causes ?? [];
  assert.deepEqual([causes.length, causes.at(-1)], [1001, { message: 'and 2000 more' }]);
});

test('who updates a field owns it from then on', async () => {
  const server = await startTestServer();
  const apply = applier(server);
  await apply(`${MAPS}/a`, 'one', map({ k: 'v', l: 'v' }));
  const headers = { 'content-type': 'application/merge-patch+json' };
  await server.ask(`PATCH ${MAPS}/a?fieldManager=editor`, '{"data":{"k":"edited"}}', headers);
  const { code, body } = await apply(`${MAPS}/a`, 'one', map({ k: 'v', l: 'v' }));
  assert.equal(code, 409);
  assert.equal(body.message, 'Apply failed with 1 conflict: conflict with "editor" using v1: .data.k');
  const without = await apply(`${MAPS}/a`, 'one', map({ l: 'v' }));
  assert.deepEqual(without.body['data'], { k: 'edited', l: 'v' });
});

test('what was there before the first apply has an owner', async () => {
  const server = await startTestServer();
  const apply = applier(server);
  await server.ask(`POST ${MAPS}`, map({ k: 'v', l: 'v' }));
  const headers = { 'content-type': 'application/merge-patch+json' };
  const untracked = await server.ask(`PATCH ${MAPS}/a`, '{"metadata":{"managedFields":[{}]}}', headers);
  assert.equal((untracked.body as unknown as Body).metadata.managedFields, undefined);
  const { body } = await apply(`${MAPS}/a`, 'one', map({ k: 'w' }));
  assert.equal(body.message, 'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.k');
  const forced = await apply(`${MAPS}/a`, 'one', map({ k: 'w' }), '&force=true');
  assert.deepEqual(
    forced.body.metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`),
    ['one Apply', 'before-first-apply Update'],
  );
});

test('kubectl takes over what it applied on the client side', async () => {
  const server = await startTestServer();
  const apply = applier(server);
  const record = JSON.stringify(map({ k: 'v' }, { annotations: {} }));
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': record };
  await server.ask(`POST ${MAPS}`, map({ k: 'v' }, { annotations }));
  const { code, body } = await apply(`${MAPS}/a`, 'kubectl', map({ k: 'w' }));
  assert.equal(code, 200);
  const { metadata } = body as unknown as { metadata: { annotations: { [name: string]: string } } };
  assert.match(metadata.annotations['kubectl.kubernetes.io/last-applied-configuration'] ?? '', /"data":\{"k":"w"\}/);
});

const deployment = (spec: object, ports: object[] = []): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i', ports }] } },
    ...spec,
  },
});

test('items of lists by their keys, a port with the default of its protocol', async () => {
  const server = await startTestServer();
  const apply = applier(server);
  const made = await apply(`${DEPLOYMENTS}/d`, 'one', deployment({}, [{ containerPort: 80 }]));
  assert.equal(made.code, 201);
  const other = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: { template: { spec: { containers: [{ name: 'side', image: 'j' }] } } },
  };
  const both = await apply(`${DEPLOYMENTS}/d`, 'two', other);
  const { spec } = both.body as unknown as { spec: { template: { spec: { containers: { name: string }[] } } } };
  assert.deepEqual(
    spec.template.spec.containers.map(({ name }) => name),
    ['c', 'side'],
  );
  const fields = JSON.stringify(both.body.metadata.managedFields);
  assert.match(fields, /"k:\{\\"containerPort\\":80,\\"protocol\\":\\"TCP\\"\}":\{"\.":\{\},"f:containerPort":\{\}\}/);
  const same = await apply(`${DEPLOYMENTS}/d`, 'one', deployment({}, [{ containerPort: 80, protocol: 'TCP' }]));
  assert.equal(same.code, 200);
});

test('a scaler owns the replicas, under its subresource', async () => {
  const server = await startTestServer();
  const apply = applier(server);
  await apply(`${DEPLOYMENTS}/d`, 'one', deployment({ replicas: 1 }));
  const scale = { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: { name: 'd' }, spec: { replicas: 3 } };
  await server.ask(`PUT ${DEPLOYMENTS}/d/scale?fieldManager=scaler`, scale);
  const { body } = await apply(`${DEPLOYMENTS}/d`, 'one', deployment({ replicas: 1 }));
  assert.equal(
    body.message,
    'Apply failed with 1 conflict: conflict with "scaler" with subresource "scale" using apps/v1: .spec.replicas',
  );
});

const REFUSED: readonly [name: string, body: object | string, query: string, code: number, message: string][] = [
  [
    'a field that is not declared',
    { ...map({}), spec: { x: 1 } },
    '?fieldManager=one',
    500,
    'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .spec: field not declared in schema',
  ],
  [
    'a field that is not declared, in its own name',
    { ...map({}, { name: 'other', namespace: 'there' }), spec: { x: 1 } },
    '?fieldManager=one',
    500,
    'failed to create typed patch object (there/other; /v1, Kind=ConfigMap): .spec: field not declared in schema',
  ],
  [
    'no manager',
    map({}),
    '',
    422,
    'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
  ],
  [
    'entries of its own',
    map({}, { managedFields: [] }),
    '?fieldManager=one',
    400,
    'metadata.managedFields must be nil',
  ],
  [
    'another version',
    { ...map({}), apiVersion: 'v2' },
    '?fieldManager=one',
    400,
    'invalid object type: /v2, Kind=ConfigMap',
  ],
  ['no kind', { ...map({}), kind: undefined }, '?fieldManager=one', 400, 'invalid object type: /v1, Kind='],
  ['a kind that is no text', { ...map({}), kind: 5 }, '?fieldManager=one', 400, 'invalid object type: /v1, Kind='],
  ['another kind', { ...map({}), kind: 'Car' }, '?fieldManager=one', 400, 'invalid object type: /v1, Kind=Car'],
  ['no version', { ...map({}), apiVersion: '' }, '?fieldManager=one', 400, 'invalid object type: /, Kind=ConfigMap'],
  [
    'another group',
    { ...map({}), apiVersion: 'apps/v1' },
    '?fieldManager=one',
    400,
    'invalid object type: apps/v1, Kind=ConfigMap',
  ],
  ['no such version', { ...map({}), apiVersion: 'a/b/c' }, '?fieldManager=one', 400, 'invalid object type: /, Kind='],
  [
    'a key twice, strictly',
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n  k: w\n',
    '?fieldManager=one&fieldValidation=Strict',
    400,
    'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 7: key "k" already set in map',
  ],
];
for (const [name, body, query, code, message] of REFUSED) {
  test(`refused: ${name}`, async () => {
    const { ask, store } = await startTestServer();
    const { revision } = store;
    const reply = await ask(`PATCH ${MAPS}/a${query}`, typeof body === 'string' ? body : JSON.stringify(body), APPLY);
    assert.deepEqual([reply.code, reply.body['message']], [code, message]);
    assert.equal(store.revision, revision);
  });
}

test('every write has its owner: by the name it gives itself, its program, its subresource', async () => {
  const server = await startTestServer();
  const agent = { 'user-agent': 'kubectl/v1.33.1 (linux/amd64)' };
  await server.ask(`POST ${DEPLOYMENTS}`, deployment({ replicas: 1 }), agent);
  const { body } = await server.ask(`PATCH ${DEPLOYMENTS}/d?fieldManager=me`, '{"spec":{"replicas":2}}', {
    'content-type': 'application/strategic-merge-patch+json',
  });
  await server.ask(`PUT ${DEPLOYMENTS}/d/status`, { ...body, status: { observedGeneration: 2 } });
  const found = await server.ask(`GET ${DEPLOYMENTS}/d`);
  const entries = (found.body as unknown as Body).metadata.managedFields ?? [];
  assert.deepEqual(
    entries.map(({ manager, operation, subresource = '' }) => `${manager} ${operation} ${subresource}`),
    ['kube-apiserver Update status', 'kubectl Update ', 'me Update '],
  );
  const [status, creator, patcher] = entries.map(({ fieldsV1 }) => fieldsV1);
  assert.deepEqual(status, { 'f:status': { 'f:observedGeneration': {} } });
  assert.deepEqual(patcher, { 'f:spec': { 'f:replicas': {} } });
  const made = creator?.['f:spec'] as { [element: string]: unknown };
  assert.deepEqual([made['f:replicas'], made['f:selector'], creator?.['f:status']], [undefined, {}, undefined]);
});

test('an update without entries, or with entries that are none, keeps those that are there', async () => {
  const server = await startTestServer();
  const { body } = await server.ask(`POST ${MAPS}?fieldManager=one`, map({ k: 'v' }));
  const sent = { ...body, metadata: { ...body['metadata'], managedFields: [{ manager: 'x', fieldsV1: {} }] } };
  const again = await server.ask(`PUT ${MAPS}/a?fieldManager=two`, sent);
  const without = await server.ask(`PUT ${MAPS}/a?fieldManager=two`, map({ k: 'v' }));
  const { managedFields } = (body as unknown as Body).metadata;
  for (const reply of [again, without]) {
    assert.deepEqual((reply.body as unknown as Body).metadata.managedFields, managedFields);
  }
});

test('entries may be taken away, and are not owned by chance again', async () => {
  const server = await startTestServer();
  await applier(server)(`${MAPS}/a`, 'one', map({ k: 'v' }));
  const headers = { 'content-type': 'application/merge-patch+json' };
  const { body } = await server.ask(`PATCH ${MAPS}/a`, '{"metadata":{"managedFields":[{}]}}', headers);
  assert.equal((body as unknown as Body).metadata.managedFields, undefined);
});

const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const deploymentOf = (spec: object, more: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a' },
  spec,
  ...more,
});

test('an apply of the status meets owners of the status alone, and does not come to own the rest', async () => {
  const server = await startTestServer();
  const apply = applier(server);
  const spec = { replicas: 1, selector: { matchLabels: { a: 'b' } }, template: TEMPLATE };
  await apply(`${DEPLOYMENTS}/a`, 'owner', deploymentOf(spec));
  const status = { replicas: 5, conditions: [{ type: 'X', status: 'True' }] };
  const told = { ...deploymentOf({ replicas: 9 }, { status }), metadata: { name: 'a', labels: { l: 'm' } } };
  const { code, body } = await apply(`${DEPLOYMENTS}/a/status`, 'teller', told);
  assert.deepEqual([code, (body['spec'] as { replicas: number }).replicas], [200, 1]);
  const teller = body.metadata.managedFields?.find(({ manager }) => manager === 'teller');
  assert.deepEqual(Object.keys(teller?.fieldsV1 ?? {}), ['f:status']);
  const other = await apply(
    `${DEPLOYMENTS}/a/status`,
    'other',
    deploymentOf({}, { status: { replicas: 6, conditions: [{ type: 'X', status: 'False' }] } }),
  );
  const met = 'conflicts with "teller" with subresource "status":';
  const lines = [
    `Apply failed with 2 conflicts: ${met}`,
    '- .status.replicas',
    '- .status.conditions[type="X"].status',
  ];
  assert.deepEqual([other.code, other.body.message], [409, lines.join('\n')]);
});

test('an item without its name is refused for that, as any other object is', async () => {
  const server = await startTestServer();
  const nameless = { ...TEMPLATE, spec: { containers: [{ image: 'i' }] } };
  const spec = { selector: { matchLabels: { a: 'b' } }, template: nameless };
  const { code, body } = await applier(server)(`${DEPLOYMENTS}/a`, 'one', deploymentOf(spec));
  const why = 'Deployment.apps "a" is invalid: spec.template.spec.containers[0].name: Required value';
  assert.deepEqual([code, body.message], [422, why]);
});

test('names of owners that are sent have their limits, and an empty list forgets all of them', async () => {
  const server = await startTestServer();
  await applier(server)(`${MAPS}/a`, 'one', map({ k: 'v' }));
  const merge = { 'content-type': 'application/merge-patch+json' };
  const entry = {
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': { 'f:k': {} } },
  };
  const send = (managedFields: readonly object[]) =>
    server.ask(`PATCH ${MAPS}/a`, { metadata: { managedFields } }, merge);
  for (const [part, length] of [['manager', 129] as const, ['subresource', 257] as const]) {
    const { code, body } = await send([{ manager: 'm', ...entry, [part]: 'x'.repeat(length) }]);
    const why = `metadata.managedFields[0].${part}: Too long: may not be more than ${length - 1} bytes`;
    assert.deepEqual([code, body['message']], [422, `ConfigMap "a" is invalid: ${why}`]);
  }
  assert.equal((await send([{ manager: 'm', ...entry }])).code, 200);
  assert.equal((await send([])).body.metadata.managedFields, undefined);
});

test('a program without a name is unknown', async () => {
  const { ask } = await startTestServer();
  const { body } = await ask(`POST ${MAPS}`, map({ k: 'v' }), { 'user-agent': '/x' });
  assert.equal(body.metadata.managedFields?.[0]?.manager, 'unknown');
});

const OWNED = {
  image: 'i',
  args: ['x'],
  ports: [{ containerPort: 80 }],
  env: [{ name: 'A', value: '1' }],
};
const at = (field: string): string => `.spec.template.spec.${field}`;
const NULLS: readonly (readonly [name: string, container: object, pod: object, met: string])[] = [
  ['a list that is a whole', { args: null }, {}, at('containers[name="c"].args')],
  ['a field of an item', { env: [{ name: 'A', value: null }] }, {}, at('containers[name="c"].env[name="A"].value')],
  ['a map that is a whole', {}, { nodeSelector: null }, at('nodeSelector')],
  ['a list of items that have owners', { ports: null }, {}, ''],
  ['a list of other items', { env: null, volumeMounts: null }, {}, ''],
];
for (const [name, container, pod, met] of NULLS) {
  test(`null takes nothing from others: ${name}`, async () => {
    const server = await startTestServer();
    const apply = applier(server);
    const whole = { containers: [{ name: 'c', ...OWNED }], nodeSelector: { x: 'y' } };
    const template = { metadata: { labels: { a: 'b' } }, spec: whole };
    const made = await apply(
      `${DEPLOYMENTS}/a`,
      'owner',
      deploymentOf({ selector: { matchLabels: { a: 'b' } }, template }),
    );
    const said = { template: { spec: { containers: [{ name: 'c', ...container }], ...pod } } };
    const { code, body } = await apply(`${DEPLOYMENTS}/a`, 'other', deploymentOf(said));
    if (met === '') assert.deepEqual([code, body['spec']], [200, made.body['spec']]);
    else assert.deepEqual([code, body.message], [409, `Apply failed with 1 conflict: conflict with "owner": ${met}`]);
  });
}
