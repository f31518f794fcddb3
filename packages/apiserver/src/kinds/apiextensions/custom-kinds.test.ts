import assert from 'node:assert/strict';
import test from 'node:test';
import { status } from '@binnacle/machinery';
import { encodeBody } from '../../encode/body.ts';
import { createOpenPolicy } from '../../policy-open.ts';
import { negotiate } from '../../request/media.ts';
import { countRests } from '../../testing/slow-steps.ts';
import { startTestServer } from '../../testing/test-server.ts';
import type { TestObject, TestServer, TestServerOptions } from '../../testing/test-server.ts';
import { probe, settled } from '../../testing/watch-probe.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const BOATS = '/apis/ships.io/v1/namespaces/default/boats';
const MERGE = { 'content-type': 'application/merge-patch+json' };

const SPEC = {
  type: 'object',
  properties: {
    masts: { type: 'integer', minimum: 1, default: 2 },
    flag: { type: 'string', nullable: true },
    size: { 'x-kubernetes-int-or-string': true },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    color: { type: 'string' },
    crew: { type: 'object', properties: { size: { type: 'integer' } } },
  },
};
const STATUS = { type: 'object', properties: { aboard: { type: 'integer' }, selector: { type: 'string' } } };

function version(name: string, more: object = {}, spec: object = SPEC): object {
  const properties = { spec, status: STATUS };
  return {
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: { type: 'object', properties } },
    ...more,
  };
}

interface Wish {
  readonly names?: object;
  readonly versions?: readonly object[];
  readonly plural?: string;
}

function definition({ names = {}, versions = [version('v1')], plural = 'boats' }: Wish = {}): object {
  return {
    metadata: { name: `${plural}.ships.io` },
    spec: {
      group: 'ships.io',
      scope: 'Namespaced',
      names: { plural, kind: 'Boat', shortNames: ['bt'], ...names },
      versions,
    },
  };
}

async function serving(wish: Wish = {}, options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startTestServer(options);
  const { code, body } = await server.ask(`POST ${CRDS}`, definition(wish));
  assert.equal(code, 201, JSON.stringify(body));
  await server.parts.customKinds.settled();
  return server;
}

function conditionsOf(body: TestObject): { [type: string]: string } {
  const { conditions } = body['status'] as { conditions: { type: string; status: string; reason: string }[] };
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

async function text(server: TestServer, line: string, accept: string): Promise<string> {
  const { reply } = await server.answer(line, undefined, { accept });
  assert.ok(reply.kind !== 'watch' && reply.kind !== 'stream' && reply.kind !== 'upgrade');
  if (reply.kind === 'text') return String(reply.body);
  const { pieces } = await encodeBody(reply, { rendering: negotiate(accept, false), includeObject: '', now: 0 });
  return [...pieces].map((piece) => new TextDecoder().decode(piece)).join('');
}

test('a definition is served: pruned, defaulted, validated, discovered', async () => {
  const server = await serving();
  const { ask } = server;
  const { body } = await ask(`GET ${CRDS}/boats.ships.io`);
  assert.deepEqual(conditionsOf(body), {
    NamesAccepted: 'True NoConflicts',
    Established: 'True InitialNamesAccepted',
  });
  const { acceptedNames, storedVersions } = body['status'] as { acceptedNames: object; storedVersions: string[] };
  assert.deepEqual(acceptedNames, {
    plural: 'boats',
    singular: 'boat',
    shortNames: ['bt'],
    kind: 'Boat',
    listKind: 'BoatList',
  });
  assert.deepEqual(storedVersions, ['v1']);
  const made = await ask(`POST ${BOATS}`, {
    apiVersion: 'ships.io/v1',
    kind: 'Boat',
    metadata: { name: 'a' },
    spec: { wheels: 4, flag: null, size: '10%', free: { any: { thing: 1 } } },
    status: { aboard: 3 },
  });
  assert.deepEqual([made.code, made.warnings], [201, ['unknown field "spec.wheels"']]);
  assert.deepEqual(made.body['spec'], { flag: null, size: '10%', free: { any: { thing: 1 } }, masts: 2 });
  assert.deepEqual([made.body['status'], made.body.metadata.generation], [{ aboard: 3 }, 1]);
  const refused = await ask(`POST ${BOATS}`, {
    apiVersion: 'ships.io/v1',
    kind: 'Boat',
    metadata: { name: 'b' },
    spec: { masts: 0 },
  });
  assert.equal(refused.code, 422);
  assert.equal(
    refused.body['message'],
    'Boat.ships.io "b" is invalid: spec.masts: Invalid value: 0: spec.masts in body should be greater than or equal to 1',
  );
  assert.match(await text(server, 'GET /apis/ships.io/v1', ''), /"name":"boats"/);
});

test('strategic patches and protobuf bodies are 415', async () => {
  const { ask } = await serving();
  await ask(`POST ${BOATS}`, { metadata: { name: 'a' } });
  const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
  assert.equal((await ask(`PATCH ${BOATS}/a`, { spec: { masts: 3 } }, strategic)).code, 415);
  const protobuf = { 'content-type': 'application/vnd.kubernetes.protobuf' };
  assert.equal((await ask(`POST ${BOATS}`, 'k8s', protobuf)).code, 415);
});

test('columns are those of the definition', async () => {
  const additionalPrinterColumns = [{ name: 'Masts', type: 'integer', jsonPath: '.spec.masts' }];
  const server = await serving({ versions: [version('v1', { additionalPrinterColumns })] });
  await server.ask(`POST ${BOATS}`, { metadata: { name: 'a' }, spec: { masts: 3 } });
  const table = JSON.parse(await text(server, `GET ${BOATS}`, 'application/json;as=Table;v=v1;g=meta.k8s.io')) as {
    rows: { cells: unknown[] }[];
  };
  assert.deepEqual(
    table.rows.map(({ cells }) => cells),
    [['a', 3]],
  );
});

test('fields that may be selected by, and no others', async () => {
  const server = await serving({ versions: [version('v1', { selectableFields: [{ jsonPath: '.spec.color' }] })] });
  const { ask } = server;
  for (const color of ['red', 'blue']) await ask(`POST ${BOATS}`, { metadata: { name: color }, spec: { color } });
  const { items } = (await ask(`GET ${BOATS}?fieldSelector=spec.color%3Dblue`)).body as unknown as {
    items: TestObject[];
  };
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name),
    ['blue'],
  );
  assert.equal((await ask(`GET ${BOATS}?fieldSelector=spec.masts%3D1`)).code, 400);
});

test('status and scale are subresources where the definition says so', async () => {
  const scale = {
    specReplicasPath: '.spec.crew.size',
    statusReplicasPath: '.status.aboard',
    labelSelectorPath: '.status.selector',
  };
  const { ask } = await serving({ versions: [version('v1', { subresources: { status: {}, scale } })] });
  const made = await ask(`POST ${BOATS}`, {
    metadata: { name: 'a' },
    spec: { crew: { size: 2 } },
    status: { aboard: 9 },
  });
  assert.equal(made.body['status'], undefined, 'a new object has no status');
  const status = { aboard: 1, selector: 'boat=a' };
  const told = await ask(
    `PATCH ${BOATS}/a/status`,
    { spec: { masts: 9 }, status, metadata: { labels: { x: 'y' } } },
    MERGE,
  );
  assert.deepEqual(
    [told.body['status'], told.body.metadata.labels, told.body.metadata.generation],
    [status, undefined, 1],
  );
  const changed = await ask(`PATCH ${BOATS}/a`, { spec: { masts: 9 }, status: { aboard: 5 } }, MERGE);
  assert.deepEqual([changed.body['status'], changed.body.metadata.generation], [status, 2]);
  const seen = await ask(`GET ${BOATS}/a/scale`);
  assert.deepEqual(
    [seen.body.kind, seen.body['spec'], seen.body['status']],
    ['Scale', { replicas: 2 }, { replicas: 1, selector: 'boat=a' }],
  );
  const scaled = await ask(`PATCH ${BOATS}/a/scale`, { spec: { replicas: 7 } }, MERGE);
  assert.deepEqual([scaled.code, scaled.body['spec']], [200, { replicas: 7 }]);
  assert.deepEqual((await ask(`GET ${BOATS}/a`)).body['spec'], { crew: { size: 7 }, masts: 9 });
});

test('what is made behind its collection is called as it says itself, and admission hears of the place', async () => {
  const { ask } = await serving();
  const made = await ask(`POST ${BOATS}/elsewhere`, { metadata: { name: 'a' }, spec: { masts: 3 } });
  assert.deepEqual([made.code, made.body.metadata.name], [201, 'a']);
  assert.equal((await ask(`GET ${BOATS}/elsewhere`)).code, 404);
  const again = await ask(`POST ${BOATS}/b`, { metadata: { name: 'a' } });
  assert.deepEqual([again.code, again.body['message']], [409, 'boats.ships.io "a" already exists']);
  assert.equal((await ask('POST /api/v1/namespaces/default/configmaps/a', { metadata: { name: 'a' } })).code, 405);
});

test('a status is changed beside members of any name', async () => {
  const schema = {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    properties: { status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  };
  const open = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schema },
    subresources: { status: {} },
  };
  const { ask } = await serving({ versions: [open] });
  const head = '"apiVersion":"ships.io/v1","kind":"Boat"';
  const json = { 'content-type': 'application/json' };
  const made = await ask(`POST ${BOATS}`, `{${head},"metadata":{"name":"a"},"__proto__":{"a":1}}`, json);
  const sent = `{${head},"metadata":${JSON.stringify(made.body.metadata)},"constructor":{},"status":{"b":2}}`;
  const changed = await ask(`PUT ${BOATS}/a/status`, sent, json);
  const { metadata: _metadata, ...rest } = changed.body as { metadata: object };
  const kept = JSON.parse('{"apiVersion":"ships.io/v1","kind":"Boat","status":{"b":2},"__proto__":{"a":1}}') as object;
  assert.deepEqual([changed.code, JSON.parse(JSON.stringify(rest))], [200, kept]);
});

test('without the subresource the status is a field like any other', async () => {
  const { ask } = await serving();
  await ask(`POST ${BOATS}`, { metadata: { name: 'a' } });
  assert.equal((await ask(`GET ${BOATS}/a/status`)).code, 404);
  const changed = await ask(`PATCH ${BOATS}/a`, { status: { aboard: 5 } }, MERGE);
  assert.deepEqual([changed.body['status'], changed.body.metadata.generation], [{ aboard: 5 }, 2]);
});

test('several versions: each by its own schema, the stored one kept, a deprecated one warned of', async () => {
  const small = {
    type: 'object',
    properties: { masts: { type: 'integer', maximum: 3 }, sails: { type: 'integer', default: 1 } },
  };
  const old = version('v1beta1', { deprecated: true }, small);
  const { ask } = await serving({ versions: [version('v1'), old] });
  const OLD = BOATS.replace('/v1/', '/v1beta1/');
  const made = await ask(`POST ${OLD}`, { metadata: { name: 'a' }, spec: { masts: 3, color: 'red' } });
  assert.deepEqual(made.body['spec'], { masts: 3, sails: 1 });
  assert.deepEqual(made.warnings, ['ships.io/v1beta1 Boat is deprecated', 'unknown field "spec.color"']);
  assert.deepEqual((await ask(`GET ${BOATS}/a`)).body['spec'], { masts: 3 });
  assert.equal((await ask(`POST ${OLD}`, { metadata: { name: 'b' }, spec: { masts: 4 } })).code, 422);
  assert.equal((await ask(`POST ${BOATS}`, { metadata: { name: 'b' }, spec: { masts: 4 } })).code, 201);
  assert.equal((await ask(`GET ${OLD}/b`)).body.apiVersion, 'ships.io/v1beta1');
});

test('another storage version is remembered beside the first', async () => {
  const server = await serving({ versions: [version('v1'), version('v2')] });
  const { ask } = server;
  await ask(`POST ${BOATS}`, { metadata: { name: 'a' }, spec: { color: 'red' } });
  const versions = [version('v1', { storage: false }), version('v2', { storage: true })];
  await ask(`PATCH ${CRDS}/boats.ships.io`, { spec: { versions } }, MERGE);
  await server.parts.customKinds.settled();
  const { status } = (await ask(`GET ${CRDS}/boats.ships.io`)).body as unknown as {
    status: { storedVersions: string[] };
  };
  assert.deepEqual(status.storedVersions, ['v1', 'v2']);
  for (const path of [BOATS, BOATS.replace('/v1/', '/v2/')]) {
    assert.deepEqual((await ask(`GET ${path}/a`)).body['spec'], { color: 'red', masts: 2 }, path);
  }
});

test('a changed schema: open watches end, old objects are shown by the new one, on the wire too', async () => {
  const server = await serving();
  const { ask, answer } = server;
  await ask(`POST ${BOATS}`, { metadata: { name: 'a' }, spec: { color: 'red', masts: 5 } });
  const watch = probe((await answer(`GET ${BOATS}?watch=true`)).reply);
  await settled();
  const stricter = {
    type: 'object',
    properties: { masts: { type: 'integer', maximum: 3 }, speed: { type: 'string', default: 'slow' } },
  };
  await ask(`PATCH ${CRDS}/boats.ships.io`, { spec: { versions: [version('v1', {}, stricter)] } }, MERGE);
  await server.parts.customKinds.settled();
  await settled();
  assert.equal(watch.over, true);
  const seen = JSON.parse(await text(server, `GET ${BOATS}/a`, 'application/json')) as { spec: object };
  assert.deepEqual(seen.spec, { masts: 5, speed: 'slow' });
  assert.equal(
    (await ask(`PATCH ${BOATS}/a`, { metadata: { labels: { x: 'y' } } }, MERGE)).code,
    200,
    'what was wrong may stay',
  );
  assert.equal(
    (await ask(`PATCH ${BOATS}/a`, { spec: { masts: 6 } }, MERGE)).code,
    422,
    'and may not become another mistake',
  );
});

test('what was wrong and may stay keeps no rule from being looked at', async () => {
  const server = await serving();
  const { ask } = server;
  await ask(`POST ${BOATS}`, { metadata: { name: 'a' }, spec: { color: 'red', masts: 5 } });
  const ruled = {
    type: 'object',
    properties: { color: { type: 'integer' }, masts: { type: 'integer' } },
    'x-kubernetes-validations': [{ rule: 'self.masts < 10', message: 'too many' }],
  };
  await ask(`PATCH ${CRDS}/boats.ships.io`, { spec: { versions: [version('v1', {}, ruled)] } }, MERGE);
  await server.parts.customKinds.settled();
  assert.equal((await ask(`PATCH ${BOATS}/a`, { spec: { masts: 6 } }, MERGE)).code, 200);
  const { code, body } = await ask(`PATCH ${BOATS}/a`, { spec: { masts: 11 } }, MERGE);
  assert.equal(code, 422);
  assert.match(String(body['message']), /spec: Invalid value: too many$/);
});

test('a finalizer that somebody else could choose too is warned of once', async () => {
  const server = await serving();
  const made = await server.ask(`POST ${BOATS}`, { metadata: { name: 'a', finalizers: ['mine', 'a.io/b', 'a.io'] } });
  assert.deepEqual(made.warnings, [
    'metadata.finalizers: "a.io": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
    'metadata.finalizers: "mine": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
  ]);
  const changed = await server.ask(`PATCH ${BOATS}/a`, { metadata: { labels: { a: 'b' } } }, MERGE);
  assert.deepEqual(changed.warnings, []);
});

test('names that another definition of the group has: told, not served, served when they are free', async () => {
  const server = await serving();
  const { ask } = server;
  await ask(`POST ${CRDS}`, definition({ plural: 'ships' }));
  await server.parts.customKinds.settled();
  const second = (await ask(`GET ${CRDS}/ships.ships.io`)).body;
  assert.deepEqual(conditionsOf(second), { NamesAccepted: 'False ListKindConflict', Established: 'False NotAccepted' });
  assert.equal((await ask('GET /apis/ships.io/v1/ships')).code, 404);
  await ask(`DELETE ${CRDS}/boats.ships.io`);
  await server.parts.customKinds.settled();
  assert.deepEqual(conditionsOf((await ask(`GET ${CRDS}/ships.ships.io`)).body), {
    NamesAccepted: 'True NoConflicts',
    Established: 'True InitialNamesAccepted',
  });
  assert.equal((await ask('GET /apis/ships.io/v1/ships')).code, 200);
});

test('a deleted definition takes its instances with it, and waits for those that are held', async () => {
  const server = await serving();
  const { ask } = server;
  await ask(`POST ${BOATS}`, { metadata: { name: 'a' } });
  await ask(`POST ${BOATS}`, { metadata: { name: 'held', finalizers: ['x.io/y'] } });
  const marked = (await ask(`DELETE ${CRDS}/boats.ships.io`)).body;
  assert.deepEqual(marked.metadata.finalizers, ['customresourcecleanup.apiextensions.k8s.io']);
  assert.equal(conditionsOf(marked)['Terminating'], 'True InstanceDeletionPending');
  await server.parts.customKinds.settled();
  assert.equal((await ask(`GET ${BOATS}/a`)).code, 404);
  assert.equal((await ask(`GET ${BOATS}/held`)).code, 200);
  const late = { apiVersion: 'ships.io/v1', kind: 'Boat', metadata: { name: 'late' } };
  const refused = await ask(`POST ${BOATS}`, late);
  assert.deepEqual(
    [refused.code, refused.body['message']],
    [403, 'boats.ships.io "late" is forbidden: create not allowed while custom resource definition is terminating'],
  );
  assert.equal(
    conditionsOf((await ask(`GET ${CRDS}/boats.ships.io`)).body)['Terminating'],
    'True InstanceDeletionInProgress',
  );
  const { body } = await ask(`GET ${BOATS}/held`);
  await ask(`PUT ${BOATS}/held`, { ...body, metadata: { ...body.metadata, finalizers: [] } });
  await server.parts.customKinds.settled();
  assert.equal((await ask(`GET ${CRDS}/boats.ships.io`)).code, 404);
  assert.equal((await ask(`GET ${BOATS}`)).code, 404);
  assert.equal((await server.store.range({ key: '/registry/ships.io/', end: '/registry/ships.io0' })).kvs.length, 0);
});

test('a definition that could not be stored as it is goes all the same', async () => {
  const server = await serving();
  const { ask } = server;
  await ask(`POST ${BOATS}`, { metadata: { name: 'a' } });
  const lost = { status: { storedVersions: ['v9'] } };
  assert.equal((await ask(`PATCH ${CRDS}/boats.ships.io/status`, JSON.stringify(lost), MERGE)).code, 200);
  await server.parts.customKinds.settled();
  assert.equal((await ask(`DELETE ${CRDS}/boats.ships.io`)).code, 200);
  await server.parts.customKinds.settled();
  assert.equal((await ask(`GET ${CRDS}/boats.ships.io`)).code, 404);
});

test('instances that nobody may delete are tried again later, not at once', async () => {
  let tries = 0;
  let refuses = true;
  const admit = (): Promise<void> => {
    tries++;
    return refuses
      ? Promise.reject(status.forbidden({ group: 'ships.io', resource: 'boats' }, 'a', 'no'))
      : Promise.resolve();
  };
  const handles = (operation: string, { resource }: { readonly resource: string }): boolean =>
    operation === 'DELETE' && resource === 'boats';
  const server = await serving(
    {},
    { policy: () => ({ ...createOpenPolicy(), admission: [{ name: 'No', handles, admit }] }) },
  );
  const { ask, clock, parts } = server;
  await ask(`POST ${BOATS}`, { metadata: { name: 'a' } });
  await ask(`DELETE ${CRDS}/boats.ships.io`);
  await parts.customKinds.settled();
  assert.equal(tries, 1);
  const [, told] = Object.entries(conditionsOf((await ask(`GET ${CRDS}/boats.ships.io`)).body)).at(-1) ?? [];
  assert.equal(told, 'True InstanceDeletionFailed');
  for (const [ms, count] of [
    [199, 1],
    [1, 2],
    [399, 2],
    [1, 3],
  ] as const) {
    await clock.advance(ms);
    await parts.customKinds.settled();
    assert.equal(tries, count);
  }
  refuses = false;
  await clock.advance(800);
  await parts.customKinds.settled();
  assert.equal((await ask(`GET ${CRDS}/boats.ships.io`)).code, 404);
});

test('what was established before a restart is served when the server answers', async () => {
  const first = await serving();
  await first.ask(`POST ${BOATS}`, { metadata: { name: 'a' } });
  const second = await startTestServer({ store: first.store });
  assert.equal((await second.ask(`GET ${BOATS}/a`)).code, 200);
});

const UNNAMED: readonly (readonly [name: string, body: string, code: number, message: RegExp])[] = [
  [
    'no kind',
    '{"metadata":{"name":"a"},"spec":{"a":1}}',
    400,
    /^the object provided is unrecognized \(must be of type Boat\): Object 'Kind' is missing in '\{"metadata":\{"name":"a"\},"spec":\{"a":1\}\}' \(\{"metadata":\{"name":"a"\},"spec \.\.\.\)$/,
  ],
  [
    'no version',
    '{"kind":"Boat","metadata":{"name":"b"}}',
    400,
    /^the API version in the data \(\) does not match the expected API version \(ships\.io\/v1\)$/,
  ],
  [
    'another kind',
    '{"apiVersion":"ships.io/v1","kind":"Car","metadata":{"name":"d"}}',
    422,
    /^Car\.ships\.io "d" is invalid: kind: Invalid value: "Car": must be Boat$/,
  ],
  [
    'another version',
    '{"apiVersion":"ships.io/v2","kind":"Boat","metadata":{"name":"d"}}',
    400,
    /^the API version in the data \(ships\.io\/v2\) does not match the expected API version \(ships\.io\/v1\)$/,
  ],
];
for (const [name, sent, code, message] of UNNAMED) {
  test(`a body that does not say what it is, or says another thing, is refused: ${name}`, async () => {
    const { ask } = await serving();
    for (const line of [`POST ${BOATS}`, `PUT ${BOATS}/a`]) {
      const refused = await ask(line, sent);
      assert.equal(refused.code, code, line);
      assert.match(String(refused.body['message']), message);
    }
  });
}

const RETYPED: readonly (readonly [patch: string, code: number, message: RegExp])[] = [
  ['{"kind":""}', 422, /^ "" is invalid: patch: .*: Object 'Kind' is missing in '\{.*\}'$/],
  ['{"kind":null}', 422, /^ "" is invalid: patch: .*: Object 'Kind' is missing in '\{.*\}'$/],
  ['{"apiVersion":"","kind":""}', 422, /^ "" is invalid: patch: .*: Object 'Kind' is missing in '\{.*\}'$/],
  ['{"apiVersion":null}', 422, /^ "" is invalid: patch: .*: Object 'apiVersion' is missing in '\{.*\}'$/],
  ['{"kind":"Car"}', 422, /^Car\.ships\.io "a" is invalid: kind: Invalid value: "Car": must be Boat$/],
  [
    '{"apiVersion":"ships.io/v2"}',
    422,
    /^Boat\.ships\.io "a" is invalid: apiVersion: Invalid value: "ships\.io\/v2": must be ships\.io\/v1$/,
  ],
  [
    '{"apiVersion":"v1","kind":"Pod"}',
    422,
    /^Pod "a" is invalid: \[kind: Invalid value: "Pod": must be Boat, apiVersion: Invalid value: "v1": must be ships\.io\/v1\]$/,
  ],
  [
    '{"kind":"Car","metadata":{"name":"b"}}',
    400,
    /^the name of the object \(b\) does not match the name on the URL \(a\)$/,
  ],
];
for (const [patch, code, message] of RETYPED) {
  test(`no patch takes from an object what it is: ${patch}`, async () => {
    const { ask } = await serving();
    await ask(`POST ${BOATS}`, '{"apiVersion":"ships.io/v1","kind":"Boat","metadata":{"name":"a"}}');
    const refused = await ask(`PATCH ${BOATS}/a`, patch, { 'content-type': 'application/merge-patch+json' });
    assert.equal(refused.code, code);
    assert.match(String(refused.body['message']), message);
  });
}

test('thousands of rules and patterns are made ready with turns for the others, once', async () => {
  const COUNT = 100;
  const rules = Array.from({ length: COUNT }, (_, i) => ({ rule: `self.color != "c${i}"` }));
  const fields = Array.from({ length: COUNT }, (_, i) => [`p${i}`, { type: 'string', pattern: `^x{1,999}${i}$` }]);
  const properties = { color: { type: 'string', maxLength: 9 }, ...Object.fromEntries(fields) };
  const spec = { type: 'object', properties, 'x-kubernetes-validations': rules };
  const { ask, clock } = await serving({ versions: [version('v1', {}, spec)] });
  const rests = countRests(clock);
  rests.slow();
  const made = async (name: string): Promise<number> => {
    const before = rests.count;
    const { code, body } = await ask(`POST ${BOATS}`, {
      apiVersion: 'ships.io/v1',
      kind: 'Boat',
      metadata: { name },
      spec: { color: 'red', p7: 'x7' },
    });
    assert.equal(code, 201, JSON.stringify(body));
    return rests.count - before;
  };
  const [first, second] = [await made('a'), await made('b')];
  // Each rule, and each five thousand steps of patterns.
  assert.ok(first - second >= COUNT + (COUNT * 999) / 6000, `${first} and ${second}`);
  const broken = await ask(`POST ${BOATS}`, { metadata: { name: 'c' }, spec: { color: 'c7', p7: 'y' } });
  assert.match(String(broken.body['message']), /spec\.p7 in body should match.*failed rule: self\.color != "c7"/s);
});
