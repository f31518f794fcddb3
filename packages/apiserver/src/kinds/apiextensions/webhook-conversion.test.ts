import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpCall, HttpCaller } from '@binnacle/base';
import { HttpConnectError } from '@binnacle/base';
import { boatsIn } from '../../testing/boats.ts';
import { startTestServer } from '../../testing/test-server.ts';
import type { TestObject, TestServer } from '../../testing/test-server.ts';
import { probe, settled } from '../../testing/watch-probe.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const PATH = (version: string): string => `/apis/ships.io/${version}/namespaces/default/boats`;
const MERGE = { 'content-type': 'application/merge-patch+json' };

interface Boat {
  readonly apiVersion: string;
  readonly metadata: { readonly name: string };
  readonly [field: string]: unknown;
}
interface Review {
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly Boat[] };
}
type Answer = (review: Review) => object | number;

/** `hostPort: "h:1"` of v1 is `host: h, port: "1"` of v2. */
function convertBoat(boat: Boat, apiVersion: string): object {
  const { hostPort, host, port, ...rest } = boat;
  if (apiVersion.endsWith('v2')) {
    const [first, second] = String(hostPort).split(':');
    return { ...rest, apiVersion, host: first, port: second };
  }
  return { ...rest, apiVersion, hostPort: `${String(host)}:${String(port)}` };
}

const honest: Answer = ({ apiVersion, request: { uid, desiredAPIVersion, objects } }) => ({
  apiVersion,
  kind: 'ConversionReview',
  response: {
    uid,
    result: { status: 'Success' },
    convertedObjects: objects.map((boat) => convertBoat(boat, desiredAPIVersion)),
  },
});

/** A webhook without a wire, and what it was asked. */
class Hook implements HttpCaller {
  readonly asked: Review[] = [];
  readonly urls: string[] = [];
  answer: Answer = honest;

  async request(call: HttpCall) {
    this.urls.push(call.url);
    const review = JSON.parse(new TextDecoder().decode(call.body as Uint8Array)) as Review;
    this.asked.push(review);
    const answer = this.answer(review);
    const text = typeof answer === 'number' ? 'no' : JSON.stringify(answer);
    return {
      status: typeof answer === 'number' ? answer : 200,
      headers: {},
      body: (async function* () {
        yield new TextEncoder().encode(text);
      })(),
    };
  }

  upgrade(call: HttpCall): Promise<never> {
    return Promise.reject(new HttpConnectError(call, { fault: 'dial', why: 'nobody' }));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function version(name: string, properties: object, storage: boolean): object {
  const openAPIV3Schema = { type: 'object', properties };
  const selectableFields = [{ jsonPath: name === 'v1' ? '.hostPort' : '.host' }];
  return { name, served: true, storage, schema: { openAPIV3Schema }, selectableFields };
}

const TEXT = { type: 'string' };

function definition(stored: 'v1' | 'v2', reviews: readonly string[] = ['v1', 'v1beta1']): object {
  const clientConfig = { url: 'https://hook.example/convert' };
  const { spec, ...boats } = boatsIn([
    version('v1', { hostPort: TEXT }, stored === 'v1'),
    version('v2', { host: TEXT, port: TEXT, color: { ...TEXT, default: 'blue' } }, stored === 'v2'),
  ]);
  const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: reviews } };
  return { ...boats, spec: { ...spec, conversion } };
}

async function serving(reviews?: readonly string[]): Promise<TestServer & { readonly hook: Hook }> {
  const hook = new Hook();
  const server = await startTestServer({ http: hook });
  const { code, body, warnings } = await server.ask(`POST ${CRDS}`, definition('v1', reviews));
  assert.deepEqual([code, warnings], [201, []], JSON.stringify(body));
  await server.parts.customKinds.settled();
  return { ...server, hook };
}

function boat(name: string, hostPort = 'h:1'): object {
  return { apiVersion: 'ships.io/v1', kind: 'Boat', metadata: { name }, hostPort };
}

async function store(server: TestServer, stored: 'v1' | 'v2'): Promise<void> {
  const { body } = await server.ask(`GET ${CRDS}/boats.ships.io`);
  const { spec } = definition(stored) as { spec: object };
  assert.equal((await server.ask(`PUT ${CRDS}/boats.ships.io`, { ...body, spec })).code, 200);
  await server.parts.customKinds.settled();
}

const pick = ({ apiVersion, hostPort, host, port, color }: { readonly [field: string]: unknown }): unknown[] => [
  apiVersion,
  hostPort,
  host,
  port,
  color,
];
const AS_V1 = ['ships.io/v1', 'h:1', undefined, undefined, undefined];
const AS_V2 = ['ships.io/v2', undefined, 'h', '1', 'blue'];

for (const review of ['v1', 'v1beta1']) {
  test(`a boat of one version is read in another, asked in ${review}`, async () => {
    const server = await serving(['v7', review]);
    const { ask, hook } = server;
    assert.equal((await ask(`POST ${PATH('v1')}`, boat('a'))).code, 201);
    assert.equal(hook.asked.length, 0);
    const { body } = await ask(`GET ${PATH('v2')}/a`);
    assert.deepEqual(pick(body), AS_V2);
    assert.equal(hook.urls[0], 'https://hook.example/convert?timeout=30s');
    assert.equal(hook.asked[0]?.apiVersion, `apiextensions.k8s.io/${review}`);
    assert.deepEqual(pick((await ask(`GET ${PATH('v1')}/a`)).body), AS_V1);
    await ask(`GET ${PATH('v2')}/a`);
    // What was converted once is kept.
    assert.equal(hook.asked.length, 1);
    await server.server.close();
  });
}

test('what comes in one version is stored in the other', async () => {
  const server = await serving();
  const { ask } = server;
  const made = await ask(`POST ${PATH('v2')}`, {
    apiVersion: 'ships.io/v2',
    kind: 'Boat',
    metadata: { name: 'a', labels: { l: 'x' } },
    host: 'h',
    port: '1',
  });
  assert.deepEqual([made.code, ...pick(made.body)], [201, ...AS_V2]);
  const { body } = await ask(`GET ${PATH('v1')}/a`);
  assert.deepEqual([...pick(body), body.metadata.labels], [...AS_V1, { l: 'x' }]);
  const patched = await ask(`PATCH ${PATH('v2')}/a`, '{"port":"2"}', MERGE);
  assert.deepEqual([patched.code, patched.body['port']], [200, '2']);
  assert.equal((await ask(`GET ${PATH('v1')}/a`)).body['hostPort'], 'h:2');
  await server.server.close();
});

test('objects stored in several versions are listed in any, and asked for in one question', async () => {
  const server = await serving();
  const { ask, hook } = server;
  for (const name of ['a', 'b']) await ask(`POST ${PATH('v1')}`, boat(name));
  await store(server, 'v2');
  await ask(`POST ${PATH('v2')}`, {
    apiVersion: 'ships.io/v2',
    kind: 'Boat',
    metadata: { name: 'c' },
    host: 'h',
    port: '1',
  });
  for (const [of, wanted, sent] of [
    ['v2', AS_V2, ['a', 'b']],
    ['v1', AS_V1, ['c']],
  ] as const) {
    hook.asked.length = 0;
    const { items } = (await ask(`GET ${PATH(of)}`)).body as unknown as { items: TestObject[] };
    assert.deepEqual(
      items.map((item) => pick({ ...item, apiVersion: `ships.io/${of}` })),
      [wanted, wanted, wanted],
    );
    assert.deepEqual(
      hook.asked.map(({ request }) => request.objects.map(({ metadata }) => metadata.name)),
      [sent],
    );
  }
  // A write that changes nothing brings an old object into the new version.
  const { body } = await ask(`GET ${PATH('v2')}/a`);
  const again = await ask(`PUT ${PATH('v2')}/a`, body);
  assert.notEqual(again.body.metadata.resourceVersion, body.metadata.resourceVersion);
  hook.asked.length = 0;
  assert.deepEqual(pick((await ask(`GET ${PATH('v2')}/a`)).body), AS_V2);
  assert.equal(hook.asked.length, 0);
  await server.server.close();
});

test('many watchers of a version ask once for an event', async () => {
  const server = await serving();
  const { ask, hook } = server;
  await ask(`POST ${PATH('v1')}`, boat('a'));
  const line = `GET ${PATH('v2')}?watch=true`;
  const replies = await Promise.all([1, 2, 3].map(async () => (await server.answer(line)).reply));
  const probes = replies.map(probe);
  await settled();
  hook.asked.length = 0;
  await ask(`POST ${PATH('v1')}`, boat('b', 'x:9'));
  await settled();
  for (const [at, { items }] of probes.entries()) {
    const reply = replies[at];
    assert.ok(reply?.kind === 'watch');
    const shown = items.map((item) => item.type === 'ADDED' && pick(reply.served.view(item.entry) as TestObject));
    assert.deepEqual(shown, [AS_V2, ['ships.io/v2', undefined, 'x', '9', 'blue']]);
  }
  assert.equal(hook.asked.length, 1);
  await server.server.close();
});

const named = ({ body }: { readonly body: TestObject }): unknown[] =>
  (body as unknown as { items: Boat[] }).items.map(({ metadata }) => metadata.name);

test('fields are selected by as each version shows them, whatever the objects are stored in', async () => {
  const server = await serving();
  const { ask } = server;
  for (const [name, hostPort] of [
    ['a', 'h:1'],
    ['b', 'h:2'],
    ['c', 'x:1'],
  ] as const) {
    await ask(`POST ${PATH('v1')}`, boat(name, hostPort));
  }
  const check = async (): Promise<void> => {
    assert.deepEqual(named(await ask(`GET ${PATH('v1')}?fieldSelector=hostPort%3Dh:1`)), ['a']);
    assert.deepEqual(named(await ask(`GET ${PATH('v2')}?fieldSelector=host%3Dh`)), ['a', 'b']);
    assert.deepEqual(named(await ask(`GET ${PATH('v2')}?fieldSelector=host%3Dh,metadata.name%3Db`)), ['b']);
    const page = await ask(`GET ${PATH('v2')}?fieldSelector=host%3Dh&limit=1`);
    const { continue: token = '' } = page.body.metadata as { continue?: string };
    const rest = await ask(`GET ${PATH('v2')}?fieldSelector=host%3Dh&limit=1&continue=${token}`);
    assert.deepEqual([named(page), named(rest)], [['a'], ['b']]);
    assert.equal((await ask(`GET ${PATH('v2')}?fieldSelector=hostPort%3Dh:1`)).code, 400, 'of another version');
  };
  await check();
  await store(server, 'v2');
  await ask(`PATCH ${PATH('v2')}/a`, { color: 'red' }, MERGE);
  await check();
  assert.deepEqual(named(await ask(`DELETE ${PATH('v2')}?fieldSelector=host%3Dh`)), ['a', 'b']);
  assert.deepEqual(named(await ask(`GET ${PATH('v1')}`)), ['c']);
  await server.server.close();
});

test('a watch selects by what the conversion makes of both sides of a change', async () => {
  const server = await serving();
  const { ask, answer } = server;
  await ask(`POST ${PATH('v1')}`, boat('a'));
  await ask(`POST ${PATH('v1')}`, boat('other', 'x:1'));
  const { reply } = await answer(`GET ${PATH('v2')}?watch=true&fieldSelector=host%3Dh`);
  const { items } = probe(reply);
  await settled();
  await ask(`POST ${PATH('v1')}`, boat('b', 'h:9'));
  await ask(`PATCH ${PATH('v2')}/b`, { color: 'red' }, MERGE);
  await ask(`PATCH ${PATH('v1')}/other`, { hostPort: 'x:2' }, MERGE);
  await ask(`PATCH ${PATH('v1')}/other`, { hostPort: 'h:2' }, MERGE);
  await ask(`PATCH ${PATH('v1')}/a`, { hostPort: 'y:1' }, MERGE);
  await ask(`DELETE ${PATH('v2')}/b`);
  await settled();
  const seen = items.map((item) => (item.type === 'BOOKMARK' ? item.type : `${item.type} ${item.entry.name}`));
  assert.deepEqual(seen, ['ADDED a', 'ADDED b', 'MODIFIED b', 'ADDED other', 'DELETED a', 'DELETED b']);
  await server.server.close();
});

test('a webhook that fails fails the selection by fields', async () => {
  const server = await serving();
  await server.ask(`POST ${PATH('v1')}`, boat('a'));
  server.hook.answer = () => 500;
  const { code, body } = await server.ask(`GET ${PATH('v2')}?fieldSelector=host%3Dh`);
  assert.deepEqual(
    [code, /conversion webhook for ships\.io\/v1, Kind=Boat failed/.test(String(body['message']))],
    [500, true],
  );
  await server.server.close();
});

const FAILED = 'Internal error occurred: conversion webhook for ships.io/v1, Kind=Boat';
const success = (uid: string, convertedObjects: readonly unknown[]): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'ConversionReview',
  response: { uid, result: { status: 'Success' }, convertedObjects },
});

// Provenance: apiextensions-apiserver's webhook_converter, v1.36.
for (const [name, answer, message] of [
  ['a status', () => 500, `${FAILED} failed: an error on the server ("no") has prevented the request from succeeding`],
  [
    'no review',
    () => ({ kind: 'Other', apiVersion: 'v1' }),
    `${FAILED} failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /v1, Kind=Other`,
  ],
  [
    'no response',
    () => ({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' }),
    `${FAILED} failed: no response provided`,
  ],
  ['the answer to another question', () => success('x', []), /failed: expected response\.uid="[-0-9a-f]+", got "x"$/],
  [
    'a failure with a reason',
    ({ request: { uid } }: Review) => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      response: { uid, result: { status: 'Failure', message: 'cannot sail' } },
    }),
    `${FAILED} failed: cannot sail`,
  ],
  [
    'a failure without one',
    ({ request: { uid } }: Review) => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      response: { uid, result: {} },
    }),
    `${FAILED} failed: response.result.status was '', not 'Success'`,
  ],
  ['too few objects', ({ request: { uid } }: Review) => success(uid, []), `${FAILED} returned 0 objects, expected 1`],
  [
    'another object',
    ({ request: { uid, objects } }: Review) =>
      success(
        uid,
        objects.map((one) => ({ ...one, apiVersion: 'ships.io/v2', metadata: { ...one.metadata, name: 'z' } })),
      ),
    `${FAILED} returned invalid converted object at index 0 (default/a): must have the same name: a != z`,
  ],
] as const) {
  test(`a webhook that answers with ${name}`, async () => {
    const server = await serving();
    const { ask, hook } = server;
    await ask(`POST ${PATH('v1')}`, boat('a'));
    hook.answer = answer as Answer;
    for (const path of [`${PATH('v2')}/a`, PATH('v2')]) {
      const { code, body } = await ask(`GET ${path}`);
      const said = String(body['message']);
      assert.equal(code, 500);
      if (typeof message === 'string') assert.equal(said, message);
      else assert.match(said, message);
    }
    // The version it is stored in needs nobody.
    assert.equal((await ask(`GET ${PATH('v1')}/a`)).code, 200);
    await server.server.close();
  });
}
