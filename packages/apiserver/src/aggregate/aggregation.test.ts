import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinBytes } from '@binnacle/base';
import { readReplyText, StatusError } from '@binnacle/machinery';
import { boatsOf } from '../testing/boats.ts';
import { FakeHttp } from '../testing/fake-http.ts';
import type { FakeAnswer } from '../testing/fake-http.ts';
import { startTestServer } from '../testing/test-server.ts';
import type { TestObject, TestServer } from '../testing/test-server.ts';

const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const GROUP = 'wardle.example.com';
const NAME = `v1alpha1.${GROUP}`;
const ROOT = `/apis/${GROUP}/v1alpha1`;
const FLUNDERS = `${ROOT}/namespaces/default/flunders`;
const V2 = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const RESOURCES = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${GROUP}/v1alpha1`,
  resources: [
    { name: 'flunders', singularName: 'flunder', namespaced: true, kind: 'Flunder', verbs: ['get', 'list', 'watch'] },
    { name: 'flunders/status', singularName: '', namespaced: true, kind: 'Flunder', verbs: ['get'] },
  ],
};

const listing = (path: string): FakeAnswer | undefined => (path === ROOT ? { body: RESOURCES } : undefined);

function apiService(change: object = {}): object {
  return {
    metadata: { name: NAME },
    spec: {
      group: GROUP,
      version: 'v1alpha1',
      groupPriorityMinimum: 2000,
      versionPriority: 200,
      caBundle: btoa('a bundle'),
      service: { namespace: 'default', name: 'api', port: 7443 },
      ...change,
    },
  };
}

/** A Service without a selector, and who is behind it. */
async function serve({ ask }: TestServer, port = 7443): Promise<void> {
  const ports = [{ name: 'https', port, protocol: 'TCP', targetPort: 443 }];
  const service = { metadata: { name: 'api' }, spec: { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9'], ports } };
  assert.equal((await ask('POST /api/v1/namespaces/default/services', service)).code, 201);
}

async function addEndpoint({ ask }: TestServer, address = '10.1.0.5'): Promise<void> {
  const slice = {
    metadata: { name: 'api-1', labels: { 'kubernetes.io/service-name': 'api' } },
    addressType: 'IPv4',
    ports: [{ name: 'https', port: 8443, protocol: 'TCP' }],
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
  };
  const { code } = await ask('POST /apis/discovery.k8s.io/v1/namespaces/default/endpointslices', slice);
  assert.equal(code, 201);
}

/** Lets what was set off come to its end: nothing here waits for time. */
async function settle(): Promise<void> {
  for (let i = 0; i < 400; i++) await Promise.resolve();
}

async function availability({ ask }: TestServer): Promise<readonly (string | undefined)[]> {
  const { body } = await ask(`GET ${API_SERVICES}/${NAME}`);
  const { conditions = [] } = body['status'] as {
    conditions?: { type: string; status: string; reason: string; message: string }[];
  };
  const found = conditions.find(({ type }) => type === 'Available');
  return [found?.status, found?.reason, found?.message];
}

async function serving(answer: FakeHttp['answer']): Promise<TestServer & { readonly http: FakeHttp }> {
  const http = new FakeHttp(answer);
  const server = await startTestServer({ http });
  await serve(server);
  await addEndpoint(server);
  assert.equal((await server.ask(`POST ${API_SERVICES}`, apiService())).code, 201);
  await settle();
  return { ...server, http };
}

async function textOf(server: TestServer, line: string, body?: string): Promise<{ code: number; text: string }> {
  const { reply } = await server.answer(line, body, { 'content-type': 'application/json' });
  if (reply.kind === 'stream') return { code: reply.code, text: await readReplyText({ body: reply.body }) };
  assert.ok(reply.kind === 'text', JSON.stringify(reply));
  return { code: reply.code, text: String(reply.body) };
}

test('until it is known to be there, requests are answered with 503; then they are passed on', async () => {
  const http = new FakeHttp(() => undefined);
  const server = await startTestServer({ http });
  const unavailable = { code: 503, text: 'service unavailable\n' };
  await server.ask(`POST ${API_SERVICES}`, apiService());
  await settle();
  assert.deepEqual(await availability(server), ['False', 'ServiceNotFound', 'service/api in "default" is not present']);
  assert.deepEqual(await textOf(server, `GET ${FLUNDERS}`), unavailable);
  await serve(server);
  await settle();
  assert.deepEqual(await availability(server), [
    'False',
    'EndpointsNotFound',
    'cannot find endpointslices for service/api in "default"',
  ]);
  await addEndpoint(server);
  await settle();
  const asked = `https://10.1.0.5:8443${ROOT}`;
  assert.deepEqual(await availability(server), [
    'False',
    'FailedDiscoveryCheck',
    `failing or missing response from ${asked}: Get "${asked}": dial tcp 10.1.0.5:8443: connect: connection refused`,
  ]);
  http.answer = (_call, path) => listing(path) ?? { body: { items: [] } };
  await server.clock.advance(30_000);
  await settle();
  assert.deepEqual(await availability(server), ['True', 'Passed', 'all checks passed']);
  assert.deepEqual(await textOf(server, `GET ${FLUNDERS}`), { code: 200, text: '{"items":[]}' });
  await server.server.close();
});

test('the other server hears who asks, and is known by its name', async () => {
  const server = await serving((_call, path) => listing(path) ?? { status: 201, body: { made: true } });
  const { http } = server;
  http.asked.length = 0;
  const user = {
    name: 'jane',
    uid: 'u-1',
    groups: ['a', 'b'],
    extra: { 'Example.com/Scope': ['x', 'y'] },
  };
  const wire = server.server.clientAs(user);
  // Whoever may do nothing here is refused here: this one may, as the server's policy is open.
  const made = await wire.call({
    verb: 'create',
    resource: { group: GROUP, version: 'v1alpha1', resource: 'flunders' },
    namespace: 'default',
    query: { dryRun: 'All' },
    body: { kind: 'Flunder' },
  });
  assert.deepEqual(made, { made: true });
  const [call] = http.asked;
  assert.ok(call?.body !== undefined && call.headers !== undefined);
  assert.deepEqual([call.method, call.url], ['POST', `https://10.1.0.5:8443${FLUNDERS}?dryRun=All`]);
  assert.deepEqual(call.trust, { serverName: 'api.default.svc', ca: 'a bundle' });
  const { headers } = call;
  assert.deepEqual(
    [headers['x-remote-user'], headers['x-remote-uid'], headers['x-remote-group'], headers['content-type']],
    ['jane', 'u-1', ['a', 'b'], 'application/json'],
  );
  assert.deepEqual(headers['x-remote-extra-%45xample.com%2F%53cope'], ['x', 'y']);
  const parts: Uint8Array[] = [];
  for await (const part of call.body instanceof Uint8Array ? [call.body] : call.body) parts.push(part);
  const sent = joinBytes(
    parts,
    parts.reduce((sum, { length }) => sum + length, 0),
  );
  assert.equal(new TextDecoder().decode(sent), '{"kind":"Flunder"}');
  await server.server.close();
});

test('callers in the process: refusals are errors, watches tell their events', async () => {
  const event = { type: 'ADDED', object: { kind: 'Flunder', metadata: { name: 'a', namespace: 'default' } } };
  const gone = {
    type: 'ERROR',
    object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old', status: 'Failure' },
  };
  const server = await serving((_call, path) => {
    if (path.includes('watch=true')) return { body: `${JSON.stringify(event)}\n${JSON.stringify(gone)}\n` };
    return (
      listing(path) ?? { status: 404, body: { kind: 'Status', code: 404, reason: 'NotFound', message: 'no flunder' } }
    );
  });
  const wire = server.server.clientAs({ name: 'u', groups: [] });
  const resource = { group: GROUP, version: 'v1alpha1', resource: 'flunders' };
  await assert.rejects(
    wire.call({ verb: 'get', resource, namespace: 'default', name: 'x' }),
    (error) => error instanceof StatusError && error.httpCode === 404 && error.message === 'no flunder',
  );
  const seen: unknown[] = [];
  const ended = await new Promise<Error | undefined>((resolve) => {
    wire.watch({ resource, namespace: 'default' }, { events: (batch) => seen.push(...batch), end: resolve });
  });
  assert.deepEqual(seen, [event]);
  assert.ok(ended instanceof StatusError && ended.httpCode === 410);
  await server.server.close();
});

test('redirects are not passed back; a server that is gone since is 503', async () => {
  const server = await serving(
    (_call, path) => listing(path) ?? { status: 302, headers: { location: 'https://evil/' } },
  );
  assert.deepEqual(await textOf(server, `GET ${FLUNDERS}`), {
    code: 502,
    text: 'the backend attempted to redirect this request, which is not permitted\n',
  });
  server.http.answer = () => undefined;
  assert.deepEqual(await textOf(server, `GET ${FLUNDERS}`), {
    code: 503,
    text: 'error trying to reach service: dial tcp 10.1.0.5:8443: connect: connection refused\n',
  });
  await server.server.close();
});

interface Groups {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly freshness: string;
      readonly resources: readonly object[];
    }[];
  }[];
}

async function discovered(server: TestServer): Promise<Groups['items'][number] | undefined> {
  const { reply } = await server.answer('GET /apis', undefined, { accept: V2 });
  assert.ok(reply.kind === 'text');
  return (JSON.parse(String(reply.body)) as Groups).items.find(({ metadata }) => metadata.name === GROUP);
}

test('its resources are discovered, by priority, and called stale when it is gone', async () => {
  const server = await serving((_call, path) => listing(path));
  const found = await discovered(server);
  assert.deepEqual(found?.versions, [
    {
      version: 'v1alpha1',
      resources: [
        {
          resource: 'flunders',
          responseKind: { group: GROUP, version: 'v1alpha1', kind: 'Flunder' },
          scope: 'Namespaced',
          singularResource: 'flunder',
          verbs: ['get', 'list', 'watch'],
          subresources: [
            {
              subresource: 'status',
              responseKind: { group: GROUP, version: 'v1alpha1', kind: 'Flunder' },
              verbs: ['get'],
            },
          ],
        },
      ],
      freshness: 'Current',
    },
  ]);
  const { groups } = JSON.parse((await textOf(server, 'GET /apis')).text) as { groups: { name: string }[] };
  // Above custom kinds and the like, below Kubernetes' own.
  assert.deepEqual(
    groups.slice(-2).map(({ name }) => name),
    [GROUP, 'trace.binnacle.dev'],
  );
  const { text } = await textOf(server, `GET /apis/${GROUP}`);
  assert.deepEqual((JSON.parse(text) as { preferredVersion: object }).preferredVersion, {
    groupVersion: `${GROUP}/v1alpha1`,
    version: 'v1alpha1',
  });
  assert.deepEqual(JSON.parse((await textOf(server, `GET ${ROOT}`)).text), RESOURCES);
  server.http.answer = () => undefined;
  await server.clock.advance(30_000);
  await settle();
  const stale = await discovered(server);
  assert.deepEqual(
    stale?.versions.map(({ freshness, resources }) => [freshness, resources.length]),
    [['Stale', 1]],
  );
  assert.equal((await server.ask(`DELETE ${API_SERVICES}/${NAME}`)).code, 200);
  await settle();
  assert.equal(await discovered(server), undefined);
  assert.equal((await textOf(server, `GET ${FLUNDERS}`)).code, 404);
  await server.server.close();
});

test('its documents are published with ours; that of its version is its own to give', async () => {
  const v3 = `/openapi/v3${ROOT}?hash=abc`;
  const server = await serving((_call, path) => {
    if (path === '/openapi/v3') return { body: { paths: { [ROOT.slice(1)]: { serverRelativeURL: v3 } } } };
    if (path === '/openapi/v2') return { body: { swagger: '2.0', paths: { [`${ROOT}/`]: {}, '/apis/else/': {} } } };
    if (path === v3) return { body: { openapi: '3.0.0' } };
    return listing(path);
  });
  const index = JSON.parse((await textOf(server, 'GET /openapi/v3')).text) as { paths: { [name: string]: object } };
  assert.deepEqual(index.paths[ROOT.slice(1)], { serverRelativeURL: v3 });
  assert.ok(index.paths['api/v1'] !== undefined);
  const whole = JSON.parse((await textOf(server, 'GET /openapi/v2')).text) as { paths: object };
  assert.deepEqual(
    [`${ROOT}/`, '/api/v1/pods', '/apis/else/'].map((path) => Object.hasOwn(whole.paths, path)),
    [true, true, false],
  );
  assert.equal((await textOf(server, `GET ${v3}`)).text, '{"openapi":"3.0.0"}');
  await server.server.close();
});

test('a condition of somebody else stays when this server writes its own', async () => {
  const server = await serving((_call, path) => listing(path));
  const { body } = await server.ask(`GET ${API_SERVICES}/${NAME}`);
  const { conditions } = body['status'] as { conditions: object[] };
  const foreign = {
    type: 'StatusUpdated',
    status: 'True',
    reason: 'E2E',
    message: 'Set from an e2e test',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const put = await server.ask(`PUT ${API_SERVICES}/${NAME}/status`, {
    ...body,
    status: { conditions: [...conditions, foreign] },
  });
  assert.equal(put.code, 200);
  await settle();
  server.http.answer = () => undefined;
  await server.clock.advance(30_000);
  await settle();
  const after = (await server.ask(`GET ${API_SERVICES}/${NAME}`)).body['status'] as {
    conditions: { type: string; status: string }[];
  };
  assert.deepEqual(
    after.conditions.map(({ type, status }) => [type, status]),
    [
      ['Available', 'False'],
      ['StatusUpdated', 'True'],
    ],
  );
  await server.server.close();
});

async function registered(server: TestServer): Promise<Map<string, TestObject>> {
  await settle();
  const { items } = (await server.ask(`GET ${API_SERVICES}`)).body as unknown as { items: TestObject[] };
  return new Map(items.map((item) => [item.metadata.name ?? '', item]));
}

test('what is served here is registered: built-in groups at the start, those of custom kinds as they come and go', async () => {
  const server = await startTestServer();
  const address = { addresses: ['192.0.2.1'], port: 443 };
  await server.server.bootstrap(address);
  const first = await registered(server);
  assert.ok(first.has('v1.') && first.has('v2.autoscaling') && !first.has('v1.apiregistration.k8s.io'));
  const apps = first.get('v1.apps');
  assert.ok(apps);
  assert.deepEqual(apps['spec'], { group: 'apps', version: 'v1', groupPriorityMinimum: 17_800, versionPriority: 15 });
  assert.deepEqual(apps.metadata.labels, { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' });
  const { conditions } = apps['status'] as { conditions: { message: string }[] };
  assert.equal(conditions[0]?.message, 'Local APIServices are always available');
  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const made = await server.ask(`POST ${crds}`, boatsOf({ type: 'object' }));
  assert.equal(made.code, 201);
  const boats = (await registered(server)).get('v1.ships.io');
  assert.deepEqual(boats?.metadata.labels, { 'kube-aggregator.kubernetes.io/automanaged': 'true' });
  // Whoever takes one away of a custom kind gets it back; one that somebody else keeps is left alone.
  await server.ask(`DELETE ${API_SERVICES}/v1.ships.io`);
  assert.ok((await registered(server)).has('v1.ships.io'));
  await server.ask(`DELETE ${crds}/boats.ships.io`);
  await server.parts.customKinds.settled();
  assert.ok(!(await registered(server)).has('v1.ships.io'));
  await server.server.close();
});
