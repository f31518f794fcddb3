import assert from 'node:assert/strict';
import test from 'node:test';
import { negotiate } from '../request/media.ts';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import type { TestServer } from '../testing/test-server.ts';
import type { WholeReply } from '../catalogue/definition.ts';
import type { YamlConverter } from '../ports/yaml.ts';
import { encodeBody } from './body.ts';

async function encoded({ answer }: TestServer, line: string, accept = '', pretty = false): Promise<[string, string]> {
  const { reply } = await answer(line);
  assert.ok(reply.kind !== 'watch' && reply.kind !== 'stream' && reply.kind !== 'upgrade');
  const body = await encodeBody(reply, { rendering: negotiate(accept, pretty), includeObject: '', now: 0 });
  let text = '';
  for (const piece of body.pieces) text += new TextDecoder().decode(piece, { stream: true });
  if (body.length !== undefined) assert.equal(new TextEncoder().encode(text).length, body.length);
  return [text, body.contentType];
}

async function withPods(count: number): Promise<TestServer> {
  const server = await startTestServer();
  for (let n = 0; n < count; n++) await server.ask(`POST ${PODS_PATH}`, podNamed(`p${String(n).padStart(4, '0')}`));
  return server;
}

test('one object: the stored bytes with the revision, and a newline', async () => {
  const [text, type] = await encoded(await withPods(1), `GET ${PODS_PATH}/p0000`);
  assert.equal(type, 'application/json');
  assert.match(text, /^\{"kind":"Pod","apiVersion":"v1","metadata":\{"resourceVersion":"101","name":"p0000",.*\}\n$/);
});

test('a list in pieces that come to one document, items without a kind of their own', async () => {
  const server = await withPods(500);
  const { reply } = await server.answer(`GET ${PODS_PATH}`);
  assert.ok(reply.kind === 'list');
  const { pieces } = await encodeBody(reply, {
    rendering: negotiate('', false),
    includeObject: '',
    now: 0,
  });
  const all = [...pieces];
  assert.ok(all.length > 1, 'never joined');
  const list = JSON.parse(all.map((piece) => new TextDecoder().decode(piece)).join('')) as {
    kind: string;
    items: { kind?: string; metadata: { name: string; resourceVersion: string } }[];
  };
  assert.deepEqual([list.kind, list.items.length, list.items[0]?.kind], ['PodList', 500, undefined]);
  assert.deepEqual([list.items[499]?.metadata.name, list.items[499]?.metadata.resourceVersion], ['p0499', '600']);
});

test('an empty list', async () => {
  const [text] = await encoded(await withPods(0), 'GET /api/v1/pods');
  assert.equal(text, '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"100"},"items":[]}\n');
});

test('metadata alone, of one and of many', async () => {
  const server = await withPods(2);
  const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
  const one = JSON.parse((await encoded(server, `GET ${PODS_PATH}/p0001`, accept))[0]) as {
    kind: string;
    spec?: object;
  };
  assert.deepEqual([one.kind, one.spec], ['PartialObjectMetadata', undefined]);
  const many = JSON.parse((await encoded(server, `GET ${PODS_PATH}`, accept))[0]) as {
    kind: string;
    items: { kind: string; metadata: { name: string } }[];
  };
  assert.equal(many.kind, 'PartialObjectMetadataList');
  assert.deepEqual(
    many.items.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    ['PartialObjectMetadata p0000', 'PartialObjectMetadata p0001'],
  );
});

test('YAML, indented JSON, and a Status as it is whatever was asked for', async () => {
  const server = await withPods(1);
  const [yaml, type] = await encoded(server, `GET ${PODS_PATH}/p0000`, 'application/yaml');
  assert.equal(type, 'application/yaml');
  assert.match(yaml, /^apiVersion: v1\nkind: Pod\nmetadata:\n/);
  const [pretty] = await encoded(server, `GET ${PODS_PATH}/p0000`, '', true);
  assert.match(pretty, /^\{\n {2}"kind": "Pod",\n/);
  const [status] = await encoded(server, `GET ${PODS_PATH}/none`, 'application/json;as=Table;g=meta.k8s.io;v=v1');
  assert.equal((JSON.parse(status) as { kind: string }).kind, 'Status');
});

test('the other version of a resource', async () => {
  const server = await startTestServer();
  const event = { metadata: { name: 'e' }, involvedObject: { namespace: 'default' }, message: 'hello' };
  await server.ask('POST /api/v1/namespaces/default/events', event);
  const [text] = await encoded(server, 'GET /apis/events.k8s.io/v1/namespaces/default/events/e');
  const shown = JSON.parse(text) as { apiVersion: string; note: string; message?: string };
  assert.deepEqual([shown.apiVersion, shown.note, shown.message], ['events.k8s.io/v1', 'hello', undefined]);
});

const PARTIAL_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

test('metadata alone of a list that is worked out at the moment', async () => {
  const [text] = await encoded(await startTestServer(), 'GET /api/v1/componentstatuses', PARTIAL_LIST);
  const list = JSON.parse(text) as { kind: string; items: { kind: string; metadata: { name: string } }[] };
  assert.equal(list.kind, 'PartialObjectMetadataList');
  assert.ok(list.items.some(({ kind, metadata }) => kind === 'PartialObjectMetadata' && metadata.name === 'etcd-0'));
});

test('a list that is worked out keeps where it goes on, as a Table and as metadata', async () => {
  const items = [{ kind: 'Hop', metadata: { name: 'a' } }];
  const metadata = { resourceVersion: '7', continue: '5' };
  const reply: WholeReply = { kind: 'object', code: 200, object: { kind: 'HopList', metadata, items }, items };
  for (const accept of [PARTIAL_LIST, TABLE]) {
    const shown = JSON.parse(await textOf(reply, accept)) as { metadata: object };
    assert.deepEqual(shown.metadata, metadata);
  }
});

test('an object that has items of its own is no list', async () => {
  const order = { kind: 'Order', apiVersion: 'shop.example/v1', metadata: { name: 'o' }, items: [{ size: 1 }, {}] };
  const reply: WholeReply = { kind: 'object', code: 200, object: order };
  const table = JSON.parse(await textOf(reply, TABLE)) as { rows: { cells: unknown[] }[] };
  assert.deepEqual(
    table.rows.map(({ cells }) => cells[0]),
    ['o'],
  );
  const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
  assert.equal((JSON.parse(await textOf(reply, accept)) as { kind: string }).kind, 'PartialObjectMetadata');
});

async function textOf(reply: WholeReply, accept: string): Promise<string> {
  const { pieces } = await encodeBody(reply, { rendering: negotiate(accept, false), includeObject: '', now: 0 });
  return [...pieces].map((piece) => new TextDecoder().decode(piece)).join('');
}

test('large YAML is written where there is a place for it', async () => {
  const server = await withPods(100);
  const asked: number[] = [];
  const yaml: YamlConverter = {
    toJson: () => assert.fail('nothing is read'),
    fromJson(json) {
      asked.push(json.length);
      return Promise.resolve(new TextEncoder().encode('large'));
    },
  };
  const written = async (line: string): Promise<string> => {
    const { reply } = await server.answer(line);
    assert.ok(reply.kind === 'entry' || reply.kind === 'list');
    const rendering = negotiate('application/yaml', false);
    const { pieces } = await encodeBody(reply, { rendering, includeObject: '', now: 0, yaml });
    return [...pieces].map((piece) => new TextDecoder().decode(piece)).join('');
  };
  assert.match(await written(`GET ${PODS_PATH}/p0000`), /^apiVersion: v1\nkind: Pod\n/);
  assert.deepEqual(asked, []);
  assert.equal(await written(`GET ${PODS_PATH}`), 'large');
  assert.equal(asked.length, 1);
});
