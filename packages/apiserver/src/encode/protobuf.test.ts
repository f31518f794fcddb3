import { schemas } from '@binnacle/api';
import { openProtobuf } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import { renderingOf } from '../pipeline/call-of.ts';
import { negotiate } from '../request/media.ts';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import type { TestServer } from '../testing/test-server.ts';
import { probe, settled } from '../testing/watch-probe.ts';
import { encodeBody } from './body.ts';
import { createFrameEncoder } from './watch-frame.ts';

/** As client-go asks. */
const ACCEPT = 'application/vnd.kubernetes.protobuf,application/json';
const MAPS = '/api/v1/namespaces/default/configmaps';

interface Received {
  readonly type: string;
  readonly pieces: Uint8Array[];
  readonly body: Uint8Array;
}

/** The body that a caller over HTTP gets. */
async function received({ answer }: TestServer, line: string, more: { accept?: string; body?: object } = {}) {
  const { accept = ACCEPT, body } = more;
  const { reply, exchange } = await answer(line, body, { accept });
  assert.ok(reply.kind !== 'watch' && reply.kind !== 'stream' && reply.kind !== 'upgrade');
  const { user: _inProcess, ...request } = exchange.request;
  const rendering = renderingOf({ ...exchange, request });
  const encoded = await encodeBody(reply, { rendering, includeObject: '', now: 0 });
  const pieces = [...encoded.pieces];
  return { type: encoded.contentType, pieces, body: Buffer.concat(pieces) } satisfies Received;
}

function read<T>({ type, body }: Received, struct: string): T {
  assert.equal(type, 'application/vnd.kubernetes.protobuf');
  return schemas.decodeProtobuf<T>(body, struct)?.value as T;
}

test('an object, with its revision; the same as its JSON', async () => {
  const server = await startTestServer();
  await server.ask(`POST ${PODS_PATH}`, podNamed('a', { labels: { app: 'x' } }));
  const pod = read<KubeObject>(await received(server, `GET ${PODS_PATH}/a`), 'core.v1.Pod');
  const json = await received(server, `GET ${PODS_PATH}/a`, { accept: 'application/json' });
  assert.deepEqual(JSON.parse(JSON.stringify(pod)), JSON.parse(Buffer.from(json.body).toString()));
  assert.equal(pod.metadata.resourceVersion, '101');
});

test('what a create answers, and a refusal', async () => {
  const server = await startTestServer();
  const body = { metadata: { name: 'a' }, data: { k: 'v' } };
  const made = read<KubeObject>(await received(server, `POST ${MAPS}`, { body }), 'core.v1.ConfigMap');
  assert.equal(made.metadata.name, 'a');
  const again = read<{ reason: string; code: number; details: object }>(
    await received(server, `POST ${MAPS}`, { body }),
    'meta.v1.Status',
  );
  assert.deepEqual([again.reason, again.code], ['AlreadyExists', 409]);
  assert.deepEqual({ ...again.details }, { name: 'a', kind: 'configmaps' });
});

test('a list in pieces whose length is said before; the messages of its items are made once', async () => {
  const server = await startTestServer();
  for (let n = 0; n < 300; n++) {
    await server.ask(`POST ${MAPS}`, { metadata: { name: `c${n}` }, data: { k: 'x'.repeat(400) } });
  }
  const reply = await received(server, `GET ${MAPS}?limit=299`);
  assert.ok(reply.pieces.length > 1, 'never joined');
  const list = read<{ kind: string; metadata: { continue: string; remainingItemCount: number }; items: KubeObject[] }>(
    reply,
    'core.v1.ConfigMapList',
  );
  assert.deepEqual([list.kind, list.items.length, list.metadata.remainingItemCount], ['ConfigMapList', 299, 1]);
  assert.notEqual(list.metadata.continue, '');
  assert.equal(list.items[0]?.metadata.name, 'c0');
  const entry = server.server.catalogue.stored({ group: '', resource: 'configmaps' })?.cache.get('default/c0');
  const kept = entry?.kept?.get('protobuf');
  assert.ok(kept !== undefined);
  await received(server, `GET ${MAPS}/c0`);
  assert.equal(entry?.kept?.get('protobuf'), kept);
});

test('metadata alone', async () => {
  const server = await startTestServer();
  await server.ask(`POST ${PODS_PATH}`, podNamed('a'));
  const as = (kind: string): string =>
    `application/vnd.kubernetes.protobuf;as=${kind};g=meta.k8s.io;v=v1,application/json;as=${kind};g=meta.k8s.io;v=v1`;
  const one = await received(server, `GET ${PODS_PATH}/a`, { accept: as('PartialObjectMetadata') });
  assert.equal(read<KubeObject>(one, 'meta.v1.PartialObjectMetadata').metadata.name, 'a');
  const many = await received(server, `GET ${PODS_PATH}`, { accept: as('PartialObjectMetadataList') });
  const { items } = read<{ items: KubeObject[] }>(many, 'meta.v1.PartialObjectMetadataList');
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name),
    ['a'],
  );
});

test('scale, and a review', async () => {
  const server = await startTestServer();
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const deployments = '/apis/apps/v1/namespaces/default/deployments';
  const body = { metadata: { name: 'd' }, spec: { replicas: 3, selector: { matchLabels: { a: 'b' } }, template } };
  await server.ask(`POST ${deployments}`, body);
  const scale = await received(server, `GET ${deployments}/d/scale`);
  const { spec, status } = read<{ spec: object; status: { selector: string } }>(scale, 'autoscaling.v1.Scale');
  assert.deepEqual([{ ...spec }, status.selector], [{ replicas: 3 }, 'a=b']);
  const object = {
    kind: 'SelfSubjectReview',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: {},
    status: { userInfo: { username: 'jane', extra: { scopes: ['a', 'b'], none: [] } } },
  };
  const rendering = negotiate(ACCEPT, false, { messages: true });
  const { pieces } = await encodeBody({ kind: 'object', code: 201, object }, { rendering, includeObject: '', now: 0 });
  const review = schemas.decodeProtobuf<typeof object>(
    Buffer.concat([...pieces]),
    'authentication.v1.SelfSubjectReview',
  );
  assert.equal(JSON.stringify(review?.value.status.userInfo.extra), '{"none":[],"scopes":["a","b"]}');
});

test('custom kinds, Tables and documents are JSON to whoever also takes it; the definitions of kinds are messages', async () => {
  const server = await startTestServer();
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', additionalProperties: true } } };
  const definition = {
    metadata: { name: 'boats.ships.io' },
    spec: {
      group: 'ships.io',
      scope: 'Namespaced',
      names: { plural: 'boats', kind: 'Boat' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, subresources: { status: {} } },
      ],
    },
  };
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const made = await received(server, `POST ${path}`, { body: definition });
  const { spec } = read<typeof definition>(made, 'apiextensions.v1.CustomResourceDefinition');
  assert.partialDeepStrictEqual(JSON.parse(JSON.stringify(spec)), { versions: definition.spec.versions });
  await server.parts.customKinds.settled();
  const boats = await received(server, 'GET /apis/ships.io/v1/namespaces/default/boats');
  const table = await received(server, `GET ${MAPS}`, {
    accept:
      'application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1;g=meta.k8s.io',
  });
  const version = await received(server, 'GET /version');
  assert.deepEqual([boats.type, table.type, version.type], Array(3).fill('application/json'));
  assert.throws(() => negotiate('application/vnd.kubernetes.protobuf', false), { httpCode: 406 });
});

const FORMS: readonly [name: string, accept: string, form: string][] = [
  ['client-go', ACCEPT, 'protobuf object'],
  ['protobuf alone', 'application/vnd.kubernetes.protobuf', 'protobuf object'],
  ['a watch', 'application/vnd.kubernetes.protobuf;stream=watch, application/json', 'protobuf object'],
  ['JSON preferred', 'application/vnd.kubernetes.protobuf;q=0.5,application/json', 'json object'],
  [
    'a Table, else JSON',
    'application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1,application/json',
    'json object',
  ],
  ['metadata', 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', 'protobuf partial'],
  ['a name of Object', 'constructor,application/json', 'json object'],
];
for (const [name, accept, form] of FORMS) {
  test(`negotiated: ${name}`, () => {
    const { format, as } = negotiate(accept, true, { messages: true });
    assert.equal(`${format} ${as}`, form);
  });
}

interface Event {
  readonly type: string;
  readonly object: Uint8Array;
}

/** The events of a stream: four bytes of length, type in field 1, the object in field 1 of field 2. */
function eventsOf(stream: Uint8Array): Event[] {
  const events: Event[] = [];
  for (let at = 0; at < stream.length;) {
    const length = new DataView(stream.buffer, stream.byteOffset + at, 4).getUint32(0);
    const event = schemas.decodeProtobuf<{ type: string }>(
      enveloped(stream.subarray(at + 4, at + 4 + length)),
      'meta.v1.WatchEvent',
    )?.value;
    const raw = stream.subarray(at + 4, at + 4 + length);
    const magic = Buffer.from(raw).indexOf('k8s\0');
    events.push({ type: event?.type ?? '', object: raw.subarray(magic) });
    at += 4 + length;
  }
  return events;
}

/** A WatchEvent without its object, which is no JSON, in an envelope that the decoder opens. */
function enveloped(event: Uint8Array): Uint8Array {
  const type = event.subarray(0, 2 + (event[1] ?? 0));
  return Uint8Array.of(0x6b, 0x38, 0x73, 0, 0x12, type.length, ...type);
}

test('a watch: events made once for all who take protobuf, a deletion with its own revision, bookmarks, errors', async () => {
  const { server, ask, answer, clock } = await startTestServer();
  const watch = probe((await answer(`GET ${MAPS}?watch=true&resourceVersion=100`)).reply);
  await ask(`POST ${MAPS}`, { metadata: { name: 'a' } });
  await ask(`DELETE ${MAPS}/a`);
  await settled();
  const served = server.catalogue.find('', 'v1', 'configmaps');
  assert.ok(served !== undefined);
  const encoder = () =>
    createFrameEncoder(served, { rendering: negotiate(ACCEPT, false, { messages: true }), includeObject: '', clock });
  const [one, two] = [encoder(), encoder()];
  for (const item of watch.items) assert.equal(one.frame(item), two.frame(item), 'the same bytes');
  const bookmark = one.frame({ type: 'BOOKMARK', revision: 9, initialEnd: true });
  const stream = Buffer.concat([...watch.items.map((item) => one.frame(item)), bookmark]);
  const seen = eventsOf(stream).map(({ type, object }) => {
    const { kind } = openProtobuf(object);
    const value = schemas.decodeProtobuf<KubeObject>(object, 'core.v1.ConfigMap')?.value;
    return [type, kind, value?.metadata.resourceVersion];
  });
  assert.deepEqual(seen, [
    ['ADDED', 'ConfigMap', '101'],
    ['DELETED', 'ConfigMap', '102'],
    ['BOOKMARK', 'ConfigMap', '9'],
  ]);
});
