/** Other API servers that lie about themselves, and one whose Service leads back here. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { readReplyText } from '@binnacle/machinery';
import { FakeHttp } from '../testing/fake-http.ts';
import type { FakeAnswer } from '../testing/fake-http.ts';
import { startTestServer } from '../testing/test-server.ts';
import type { TestServer } from '../testing/test-server.ts';

const GROUP = 'wardle.example.com';
const NAME = `v1alpha1.${GROUP}`;
const ROOT = `/apis/${GROUP}/v1alpha1`;
const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const V2 = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const LISTED = { name: 'flunders', singularName: 'flunder', namespaced: true, kind: 'Flunder', verbs: ['get'] };

const list = (...resources: readonly unknown[]): FakeAnswer => ({ body: { kind: 'APIResourceList', resources } });

let server: TestServer & { readonly http: FakeHttp };

/** Lets what was set off come to its end: nothing here waits for time. */
async function settle(): Promise<void> {
  for (let i = 0; i < 400; i++) await Promise.resolve();
}

async function serving(t: TestContext, answer: FakeHttp['answer']): Promise<void> {
  const http = new FakeHttp(answer);
  server = { ...(await startTestServer({ http })), http };
  const { server: started } = server;
  t.after(() => started.close());
  const ports = [{ name: 'https', port: 443, protocol: 'TCP' }];
  const spec = { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9'], ports };
  await server.ask('POST /api/v1/namespaces/default/services', { metadata: { name: 'api' }, spec });
  await server.ask('POST /apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
    metadata: { name: 'api-1', labels: { 'kubernetes.io/service-name': 'api' } },
    addressType: 'IPv4',
    ports: [{ name: 'https', port: 8443, protocol: 'TCP' }],
    endpoints: [{ addresses: ['10.1.0.5'], conditions: { ready: true } }],
  });
  const made = await server.ask(`POST ${API_SERVICES}`, {
    metadata: { name: NAME },
    spec: {
      group: GROUP,
      version: 'v1alpha1',
      groupPriorityMinimum: 2000,
      versionPriority: 200,
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 'api', port: 443 },
    },
  });
  assert.equal(made.code, 201);
  await settle();
}

async function textOf(line: string, headers: { readonly [name: string]: string } = {}): Promise<[number, string]> {
  const { reply } = await server.answer(line, undefined, headers);
  if (reply.kind === 'stream') return [reply.code, await readReplyText({ body: reply.body })];
  assert.ok(reply.kind === 'text', JSON.stringify(reply));
  return [reply.code, String(reply.body)];
}

interface Shown {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly resources: readonly object[] }[];
  }[];
}

async function discovered(): Promise<readonly object[] | undefined> {
  const [code, text] = await textOf('GET /apis', { accept: V2 });
  assert.equal(code, 200);
  return (JSON.parse(text) as Shown).items.find(({ metadata }) => metadata.name === GROUP)?.versions[0]?.resources;
}

test('a Service that leads back to this server: a request goes around once', async (t) => {
  const passed: object[] = [];
  await serving(t, (_call, path) => (path === ROOT ? list(LISTED) : undefined));
  let around = 0;
  server.http.answer = (call) => {
    passed.push(call);
    // Whoever answers is this server itself, asked by its own front proxy.
    if (++around > 20) return undefined;
    return { status: 200, body: { pending: call } };
  };
  await textOf(`GET ${ROOT}/namespaces/default/flunders`);
  const [first] = passed as { readonly headers: { readonly [name: string]: string } }[];
  const via = first?.headers['via'] ?? '';
  assert.match(via, /^1\.1 \S+$/);
  const [code, text] = await textOf(`GET ${ROOT}/namespaces/default/flunders`, { via: `1.1 other, ${via}` });
  assert.deepEqual([code, text], [508, `the Service of ${NAME} leads back to this server\n`]);
  assert.equal(passed.length, 1);
  // Others that it came through are told to the next.
  await textOf(`GET ${ROOT}/namespaces/default/flunders`, { via: '1.1 other' });
  const [, second] = passed as { readonly headers: { readonly [name: string]: string } }[];
  assert.equal(second?.headers['via'], `1.1 other, ${via}`);
});

const nested = (levels: number): unknown => JSON.parse('{"a":'.repeat(levels) + '1' + '}'.repeat(levels));

for (const [name, document] of [
  ['nested without end', `{"swagger":"2.0","paths":{"${ROOT}/":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`],
  ['nested without end where nobody looks', `{"swagger":"2.0","x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
  ['of more values than anybody reads', `{"swagger":"2.0","x":[${'[],'.repeat(2_000_000)}[]]}`],
  ['of other types', { swagger: '2.0', paths: [`${ROOT}/`, 5], definitions: 'none' }],
  [
    'with members named as prototypes',
    `{"swagger":"2.0","__proto__":{"paths":1},"paths":{"__proto__":{}},"definitions":{"__proto__":{"a":1}}}`,
  ],
] as const) {
  test(`a document ${name} takes nobody's documents away`, async (t) => {
    await serving(t, (_call, path) => {
      if (path === '/openapi/v2' || path === '/openapi/v3') return { body: document };
      return path === ROOT ? list(LISTED) : undefined;
    });
    assert.equal((await discovered())?.length, 1);
    for (const path of ['/openapi/v2', '/openapi/v3']) {
      const [code, text] = await textOf(`GET ${path}`);
      assert.equal(code, 200, text.slice(0, 200));
      const { paths } = JSON.parse(text) as { paths: object };
      assert.ok(Object.hasOwn(paths, path === '/openapi/v2' ? '/api/v1/pods' : 'api/v1'));
    }
  });
}

test('its document of version 3 is where its group and version are, and nowhere else', async (t) => {
  for (const url of [
    'https://evil.example/openapi',
    '/api/v1/secrets',
    `/openapi/v3${ROOT}/../api/v1`,
    `/openapi/v3${ROOT}x`,
  ]) {
    await serving(t, (_call, path) => {
      if (path === '/openapi/v3') return { body: { paths: { [ROOT.slice(1)]: { serverRelativeURL: url } } } };
      return path === ROOT ? list(LISTED) : undefined;
    });
    const [, text] = await textOf('GET /openapi/v3');
    assert.equal((JSON.parse(text) as { paths: { [name: string]: unknown } }).paths[ROOT.slice(1)], undefined, url);
  }
});

test('a list of resources is of the types that clients read, or is left out', async (t) => {
  const bad: readonly object[] = [
    { ...LISTED, name: 'a', verbs: 5 },
    { ...LISTED, name: 'b', verbs: ['get', 1] },
    { ...LISTED, name: 'c', kind: {} },
    { ...LISTED, name: 'd', singularName: ['x'] },
    { ...LISTED, name: 'e', shortNames: 'x' },
    { ...LISTED, name: 'f', categories: [null] },
    { ...LISTED, name: 'g', group: 1 },
    { ...LISTED, name: 'h', version: {} },
    { ...LISTED, name: 'i', namespaced: 'yes' },
    { ...LISTED, name: '' },
    { ...LISTED, name: 'flunders/bad', verbs: 'x' },
  ];
  await serving(t, (_call, path) =>
    path === ROOT ? list(...bad, null, 5, LISTED, { ...LISTED, name: 'z', verbs: null }) : undefined,
  );
  const found = (await discovered()) as { readonly resource: string; readonly subresources?: unknown }[];
  assert.deepEqual(
    found.map(({ resource, subresources }) => [resource, subresources]),
    [
      ['flunders', undefined],
      ['z', undefined],
    ],
  );
});

test('a list that is nested without end says nothing, and what is known of the server is told', async (t) => {
  await serving(t, (_call, path) =>
    path === ROOT ? { body: `{"resources":[${JSON.stringify(LISTED)}],"x":${JSON.stringify(nested(3))}}` } : undefined,
  );
  assert.equal((await discovered())?.length, 1);
  server.http.answer = (_call, path) =>
    path === ROOT
      ? { body: `{"resources":[{"name":"x","verbs":${'['.repeat(20_000)}${']'.repeat(20_000)}}]}` }
      : undefined;
  await server.clock.advance(30_000);
  await settle();
  const { body } = await server.ask(`GET ${API_SERVICES}/${NAME}`);
  const [condition] = (body['status'] as { conditions: readonly { status: string }[] }).conditions;
  assert.equal(condition?.status, 'True');
});
