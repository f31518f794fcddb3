/** Every path × verb of Kubernetes v1.36's GA API, and of what is served on request, against the server without a socket: one row each. */
import { findResource, RESOURCES_ON_REQUEST } from '@binnacle/api';
import { createSeededRandom, silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { createMemoryStore, prefixEnd } from '@binnacle/store';
import type { Operation, Store } from '@binnacle/store';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { valueOf } from './encode/body.ts';
import { createApiServer, createPolicy, LOOPBACK_USER } from './index.ts';
import type { ApiServer } from './index.ts';
import { createTokenKeys } from './node/index.ts';
import type { Answer } from './pipeline/pipeline.ts';
import { Query } from './request/query.ts';
import { CONNECTED, OtherEnd, POD_STATUS } from './testing/connect-fixtures.ts';
import { fixtureOf, SUBRESOURCE_BODIES } from './testing/path-fixtures.ts';

interface PathFacts {
  readonly kind: string;
  readonly ops: { readonly [method: string]: string };
}

const FACTS = JSON.parse(
  readFileSync(new URL('../../../tools/gen/facts/api-paths-v1.36.json', import.meta.url), 'utf8'),
) as { readonly [path: string]: PathFacts };

const NAMESPACE = 'paths';
type Body = Record<string, unknown> & { metadata: Record<string, unknown> };

interface Got {
  readonly code: number;
  readonly body: Body;
}

interface Sent {
  readonly query?: { readonly [name: string]: string };
  /** By names in lower case. */
  readonly headers?: { readonly [name: string]: string };
}

const GONE_MS_MAX = 10_000;

class Driver {
  readonly #server: ApiServer;

  constructor(server: ApiServer) {
    this.#server = server;
  }

  /** What a request without a body is answered, whatever that is. */
  async answer(method: string, path: string, { query = {}, headers = {} }: Sent = {}): Promise<Answer> {
    return this.#server.handle({
      method,
      path,
      query: new Query(query),
      header: (name) => headers[name] ?? '',
      headerLines: () => Object.entries(headers),
      user: LOOPBACK_USER,
      credentials: {},
      body: { kind: 'none' },
    });
  }

  async ask(method: string, path: string, body?: unknown, type = ''): Promise<Got> {
    const { reply } = await this.#server.handle({
      method,
      path,
      query: new Query({}),
      header: (name) => (name === 'content-type' ? type : ''),
      user: LOOPBACK_USER,
      credentials: {},
      body: body === undefined ? { kind: 'none' } : { kind: 'value', value: body },
    });
    if (reply.kind === 'watch' || reply.kind === 'stream' || reply.kind === 'upgrade')
      return { code: 0, body: { metadata: {} } };
    if (reply.kind === 'text') return { code: reply.code, body: { metadata: {} } };
    return { code: 'code' in reply ? reply.code : 200, body: valueOf(reply) as Body };
  }
}

interface Place {
  readonly collection: string;
  readonly item: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly virtual: boolean;
  readonly namespaced: boolean;
}

/** Undefined for groups and versions that are neither GA nor served on request. */
function placeOf(path: string): Place | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  const core = parts[0] === 'api';
  const group = core ? '' : (parts[1] ?? '');
  const version = (core ? parts[1] : parts[2]) ?? '';
  const rest = parts.slice(core ? 2 : 3);
  const namespaced = rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'status' && rest[2] !== 'finalize';
  const [resource = '', , subresource = ''] = namespaced ? rest.slice(2) : rest;
  const info = findResource(group, version, resource);
  if (info === undefined) return undefined;
  const apiVersion = core ? version : `${group}/${version}`;
  const root = core ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = info.namespaced ? `${root}/namespaces/${NAMESPACE}/${resource}` : `${root}/${resource}`;
  const name = fixtureOf(info.kind).name ?? 'x';
  return {
    collection,
    item: `${collection}/${name}`,
    kind: info.kind,
    apiVersion,
    subresource,
    virtual: info.virtual,
    namespaced: info.namespaced,
  };
}

function objectOf({ kind, apiVersion, item }: Place): Body {
  const { fields } = fixtureOf(kind);
  return { apiVersion, kind, metadata: { name: item.slice(item.lastIndexOf('/') + 1) }, ...fields };
}

async function present(driver: Driver, place: Place): Promise<Body> {
  const found = await driver.ask('GET', place.item);
  if (found.code === 200) return found.body;
  const made = await driver.ask('POST', place.collection, objectOf(place));
  assert.equal(made.code, 201, `cannot make the object: ${JSON.stringify(made.body)}`);
  return made.body;
}

async function absent(driver: Driver, place: Place): Promise<void> {
  await driver.ask('DELETE', place.item, { gracePeriodSeconds: 0, propagationPolicy: 'Background' });
  const left = await driver.ask('GET', place.item);
  if (left.code === 404) return;
  const { metadata } = left.body;
  if (left.body['kind'] === 'Namespace') {
    const finalized = await driver.ask('PUT', `${place.item}/finalize`, { ...left.body, spec: { finalizers: [] } });
    assert.equal(finalized.code, 200, JSON.stringify(finalized.body));
    return;
  }
  // A keeper of the server's own clears away what belongs to a definition, and then itself.
  if (left.body['kind'] === 'CustomResourceDefinition') return untilGone(driver, place);
  await driver.ask('PUT', place.item, { ...left.body, metadata: { ...metadata, finalizers: [] } });
}

async function untilGone(driver: Driver, place: Place): Promise<void> {
  const deadline = performance.now() + GONE_MS_MAX;
  while ((await driver.ask('GET', place.item)).code !== 404) {
    assert.ok(performance.now() < deadline, `${place.item} is still there`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The server writes into the status of a definition by itself until it serves it. */
async function untilServed(driver: Driver, place: Place): Promise<void> {
  const deadline = performance.now() + GONE_MS_MAX;
  const isServed = async (): Promise<boolean> => {
    const { status } = (await driver.ask('GET', place.item)).body as {
      readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
    };
    return status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') === true;
  };
  while (!(await isServed())) {
    assert.ok(performance.now() < deadline, `${place.item} is not served`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

type Check = (driver: Driver, place: Place) => Promise<void>;

const label = (body: Body): unknown => (body.metadata['labels'] as Record<string, unknown> | undefined)?.['k'];

const CHECKS: { readonly [op: string]: Check } = {
  async list(driver, place) {
    if (!place.virtual) await present(driver, place);
    const { code, body } = await driver.ask('GET', place.collection);
    assert.equal(code, 200, JSON.stringify(body));
    assert.equal(body['kind'], `${place.kind}List`);
    assert.ok((body['items'] as unknown[]).length > 0);
  },
  async get(driver, place) {
    if (!place.virtual) await present(driver, place);
    const sub = place.subresource === '' ? '' : `/${place.subresource}`;
    const item = place.kind === 'ComponentStatus' ? `${place.collection}/etcd-0` : place.item;
    const { code, body } = await driver.ask('GET', item + sub);
    // The pod has no node: no log is no failure.
    if (place.subresource === 'log') return assert.equal(code, 204);
    assert.equal(code, 200, JSON.stringify(body));
    assert.equal(body['kind'], place.subresource === 'scale' ? 'Scale' : place.kind);
  },
  async post(driver, place) {
    const special = SUBRESOURCE_BODIES[place.subresource === '' ? place.kind : place.subresource];
    if (special !== undefined) {
      const parent = placeOf(place.item);
      if (!place.virtual && parent !== undefined) await present(driver, parent);
      if (place.kind === 'Binding') {
        const pod = placeOf(`/api/v1/namespaces/${NAMESPACE}/pods/x`);
        assert.ok(pod !== undefined);
        await absent(driver, pod);
        await present(driver, pod);
      }
      const target = place.subresource === '' ? place.collection : `${place.item}/${place.subresource}`;
      const { code, body } = await driver.ask('POST', target, special(place.apiVersion, place.kind));
      assert.equal(code, 201, JSON.stringify(body));
      return;
    }
    await absent(driver, place);
    const { code, body } = await driver.ask('POST', place.collection, objectOf(place));
    assert.equal(code, 201, JSON.stringify(body));
    assert.equal(body['kind'], place.kind);
    assert.equal((await driver.ask('POST', place.collection, objectOf(place))).code, 409);
  },
  async put(driver, place) {
    await present(driver, place);
    if (place.kind === 'CustomResourceDefinition') await untilServed(driver, place);
    const path = place.subresource === '' ? place.item : `${place.item}/${place.subresource}`;
    const source = place.subresource === 'finalize' ? place.item : path;
    const before = (await driver.ask('GET', source)).body;
    const wanted = { ...before, metadata: { ...before.metadata, labels: { k: 'put' } } };
    const { code, body } = await driver.ask('PUT', path, wanted);
    assert.equal(code, 200, JSON.stringify(body));
    if (place.subresource === '') assert.equal(label(body), 'put');
    const stale = { ...wanted, metadata: { ...wanted.metadata, resourceVersion: '1', labels: { k: 'stale' } } };
    assert.equal((await driver.ask('PUT', path, stale)).code, 409, 'a stale update is a conflict');
  },
  async patch(driver, place) {
    await present(driver, place);
    const path = place.subresource === '' ? place.item : `${place.item}/${place.subresource}`;
    const patch = { metadata: { labels: { k: 'patch' } } };
    const { code, body } = await driver.ask('PATCH', path, patch, 'application/merge-patch+json');
    assert.equal(code, 200, JSON.stringify(body));
    if (place.subresource === '') assert.equal(label(body), 'patch');
  },
  async delete(driver, place) {
    await present(driver, place);
    await absent(driver, place);
    const gone = await driver.ask('GET', place.item);
    assert.equal(gone.code, 404, JSON.stringify(gone.body));
  },
  async deletecollection(driver, place) {
    await present(driver, place);
    const items = async (): Promise<Body[]> => (await driver.ask('GET', place.collection)).body['items'] as Body[];
    const before = new Set((await items()).map(({ metadata }) => metadata['uid']));
    const { code, body } = await driver.ask('DELETE', place.collection, { propagationPolicy: 'Background' });
    assert.equal(code, 200, JSON.stringify(body));
    // What the server itself needs (the claim of its Service's address) comes back, as another object.
    const left = (await items()).filter(({ metadata }) => before.has(metadata['uid']));
    assert.deepEqual(
      left.filter(({ metadata }) => metadata['deletionTimestamp'] === undefined),
      [],
    );
  },
};

/** On a server of its own: no row depends on what another left behind. Every row has its check. */
async function checkRow(op: string, place: Place): Promise<void> {
  const check = CHECKS[op];
  assert.ok(check !== undefined, `nothing checks ${op}`);
  const server = await start();
  try {
    await check(new Driver(server), place);
  } finally {
    await server.close();
  }
}

/** Handshakes of the streams, by the method they come with. */
const HANDSHAKES: { readonly [method: string]: { readonly [header: string]: string } } = {
  GET: { upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-protocol': 'v4.channel.k8s.io' },
  POST: { upgrade: 'SPDY/3.1', connection: 'Upgrade', 'x-stream-protocol-version': 'v4.channel.k8s.io' },
};

/** `exec` and its like change the protocol; `proxy` passes every method on, and leads a page to where its links work. */
async function checkConnect(place: Place, method: string, path: string): Promise<void> {
  const otherEnd = new OtherEnd();
  const server = await start(otherEnd);
  try {
    const driver = new Driver(server);
    for (const [collection, object] of CONNECTED) {
      const made = await driver.ask('POST', collection, object);
      assert.equal(made.code, 201, JSON.stringify(made.body));
    }
    const pod = `/api/v1/namespaces/${NAMESPACE}/pods/x`;
    const { body } = await driver.ask('GET', pod);
    assert.equal((await driver.ask('PUT', `${pod}/status`, { ...body, status: POD_STATUS })).code, 200);
    const target = `${place.item}/${place.subresource}`;
    if (place.subresource !== 'proxy') {
      const query = { command: 'ls', stdout: 'true', ports: '80' };
      const { reply } = await driver.answer(method, target, { query, headers: HANDSHAKES[method] ?? {} });
      assert.equal(reply.kind, 'upgrade');
      assert.equal(otherEnd.heard.length, 1);
      const plain = await driver.answer(method, target, { query });
      assert.ok(plain.reply.kind === 'object' && plain.reply.code === 400, JSON.stringify(plain.reply));
      return;
    }
    const isBelow = path.endsWith('/{path}');
    const { reply } = await driver.answer(method, isBelow ? `${target}/a/b` : target);
    const isLedOn = !isBelow && (method === 'GET' || method === 'HEAD');
    assert.equal('code' in reply ? reply.code : 0, isLedOn ? 301 : 200, JSON.stringify(reply));
    assert.deepEqual(otherEnd.heard, isLedOn ? [] : [`${method} ${isBelow ? '/a/b' : '/'}`]);
  } finally {
    await server.close();
  }
}

const tokenKeys = createTokenKeys();

async function open(store: Store, otherEnd?: OtherEnd): Promise<ApiServer> {
  const server = await createApiServer({
    store,
    clock: realClock,
    random: createSeededRandom(1),
    log: silentLogger,
    assertions: true,
    onRequest: RESOURCES_ON_REQUEST,
    policy: (world) => createPolicy(world, { tokenKeys }),
    ...(otherEnd === undefined ? {} : { nodes: otherEnd.nodes, http: otherEnd.http, passing: otherEnd.http }),
  });
  await server.bootstrap({ addresses: ['127.0.0.1'], port: 6443 });
  return server;
}

/** What a server brings into an empty store, and the namespace of the rows: made anew by each row it costs more than what the row checks. */
async function furniture(): Promise<readonly Operation[]> {
  const store = createMemoryStore({ clock: realClock });
  const server = await open(store);
  const driver = new Driver(server);
  await driver.ask('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await driver.ask('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name: 'default' } });
  const { kvs } = await store.range({ key: '/', end: prefixEnd('/') });
  await server.close();
  assert.ok(kvs.length > 100);
  return kvs.filter(({ lease }) => lease === 0).map(({ key, value }) => ({ type: 'put', key, value }));
}

const furnished = furniture();

/** A server with a store of its own. */
async function start(otherEnd?: OtherEnd): Promise<ApiServer> {
  const store = createMemoryStore({ clock: realClock });
  for (const put of await furnished) await store.txn({ compare: [], success: [put], failure: [] });
  return open(store, otherEnd);
}

test('every path and verb of the GA API', async (t) => {
  const counts = { pass: 0, fail: 0, 'not GA': 0 };
  const failures: string[] = [];
  for (const [path, { ops }] of Object.entries(FACTS)) {
    const place = placeOf(path);
    for (const [method, op] of Object.entries(ops)) {
      const row = `${method.toUpperCase().padEnd(7)} ${op.padEnd(17)} ${path}`;
      if (place === undefined) counts['not GA']++;
      else {
        try {
          if (op === 'connect') await checkConnect(place, method.toUpperCase(), path);
          else await checkRow(op, place);
          counts.pass++;
          t.diagnostic(`pass     ${row}`);
        } catch (error) {
          counts.fail++;
          failures.push(`FAIL     ${row}: ${error instanceof Error ? error.message : 'unknown'}`);
        }
      }
    }
  }
  for (const failure of failures) t.diagnostic(failure);
  t.diagnostic(JSON.stringify(counts));
  assert.deepEqual(failures, []);
});
