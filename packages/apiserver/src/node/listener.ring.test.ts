/** The listener over real sockets: both HTTPs, certificates, bodies, lists, watches. */
import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:http2';
import type { ClientHttp2Session } from 'node:http2';
import { request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createOpenPolicy } from '../policy-open.ts';
import type { Credentials } from '../ports/authentication.ts';
import type { Watchers } from '../cache/watcher.ts';
import type { Certificates } from '@binnacle/certificates/node';
import type { Listener } from './listener.ts';
import { startListeningServer } from './testing/listening-server.ts';
import type { ListeningServer } from './testing/listening-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const seen: Credentials[] = [];
let watchers: Watchers;
let listener: Listener;
let listening: ListeningServer;
let certificates: Certificates;

before(async () => {
  const policy = () => ({
    ...createOpenPolicy(),
    authenticate(credentials: Credentials) {
      seen.push(credentials);
      return { name: credentials.certificate?.commonName ?? 'anonymous', groups: [] };
    },
  });
  listening = await startListeningServer({
    server: { policy },
    clients: { jane: { commonName: 'jane', organizations: ['devs', 'ops'] } },
  });
  ({ listener, certificates } = listening);
  ({ watchers } = listening.parts.foundation);
});

after(() => listening.close());

interface Received {
  readonly code: number;
  readonly headers: { readonly [name: string]: unknown };
  readonly body: Buffer;
}

interface Sent {
  readonly body?: string | Buffer;
  readonly headers?: { readonly [name: string]: string };
  readonly identity?: { readonly cert: string; readonly key: string };
}

async function overHttp1(method: string, path: string, sent: Sent = {}): Promise<Received> {
  const { port } = listener;
  const call = request({
    host: '127.0.0.1',
    port,
    ca: certificates.ca,
    method,
    path,
    headers: sent.headers,
    ...sent.identity,
    agent: false,
  });
  call.end(sent.body);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { code: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
}

function session(): ClientHttp2Session {
  return connect(`https://127.0.0.1:${listener.port}`, { ca: certificates.ca });
}

async function overHttp2(method: string, path: string, sent: Sent = {}): Promise<Received> {
  const client = session();
  const stream = client.request({ ':method': method, ':path': path, ...sent.headers });
  stream.end(sent.body);
  const [headers] = (await once(stream, 'response')) as [{ [name: string]: unknown }];
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(stream, 'end');
  client.close();
  return { code: Number(headers[':status']), headers, body: Buffer.concat(chunks) };
}

const JSON_HEADERS = { 'content-type': 'application/json' };

for (const [http, ask] of [
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
] as const) {
  test(`${http}: create, read, 404, 413, warnings`, async () => {
    const name = http === 'HTTP/2' ? 'two' : 'one';
    const body = JSON.stringify({ metadata: { name }, dat: {} });
    const made = await ask('POST', MAPS, { body, headers: JSON_HEADERS });
    assert.equal(made.code, 201, made.body.toString());
    assert.deepEqual(
      [made.headers['content-type'], made.headers['warning']],
      ['application/json', '299 - "unknown field \\"dat\\""'],
    );
    assert.match(String(made.headers['audit-id']), /^[0-9a-f-]{36}$/);
    const read = await ask('GET', `${MAPS}/${name}`);
    assert.equal((JSON.parse(read.body.toString()) as { metadata: { name: string } }).metadata.name, name);
    assert.equal((await ask('GET', `${MAPS}/none`)).code, 404);
    const huge = await ask('POST', MAPS, { body: Buffer.alloc(3 * 1024 * 1024 + 1, 32), headers: JSON_HEADERS }).catch(
      () => undefined,
    );
    assert.equal(huge?.code ?? 413, 413);
  });
}

test('long heads are taken as Go takes them', async () => {
  const selector = (bytes: number): string =>
    `${MAPS}?labelSelector=${'a'.repeat(60)}%3Db,${'%21x,'.repeat(bytes / 5)}%21y`;
  assert.equal((await overHttp1('GET', selector(200_000))).code, 200);
  assert.equal((await overHttp2('GET', selector(50_000))).code, 200);
  const lines = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`x-line-${n}`, 'v']));
  assert.equal((await overHttp2('GET', MAPS, { headers: lines })).code, 200);
});

test('a client certificate of our CA is believed, none is anonymous', async () => {
  const jane = certificates.clients['jane'];
  assert.ok(jane !== undefined);
  await overHttp1('GET', '/version', { identity: { cert: jane.certificate, key: jane.key } });
  const fingerprint = createHash('sha256').update(new X509Certificate(jane.certificate).raw).digest('hex');
  assert.deepEqual(seen.at(-1)?.certificate, { commonName: 'jane', organizations: ['devs', 'ops'], fingerprint });
  await overHttp1('GET', '/version', { headers: { authorization: 'Bearer abc' } });
  assert.deepEqual(seen.at(-1), { bearerToken: 'abc' });
});

test('large replies are compressed for whoever takes that, whole and as lists', async () => {
  const data = { k: 'x'.repeat(200_000) };
  await overHttp1('POST', MAPS, { body: JSON.stringify({ metadata: { name: 'big' }, data }), headers: JSON_HEADERS });
  for (const path of [`${MAPS}/big`, MAPS]) {
    const zipped = await overHttp2('GET', path, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(zipped.headers['content-encoding'], 'gzip', path);
    const refused = await overHttp2('GET', path, { headers: { 'accept-encoding': 'gzip;q=0' } });
    assert.equal(refused.headers['content-encoding'], undefined, path);
    const plain = await overHttp2('GET', path);
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.deepEqual(gunzipSync(zipped.body), plain.body);
    assert.ok(zipped.body.length < plain.body.length / 50);
  }
});

test('large YAML goes in and comes back, small as well', async () => {
  for (const size of [10, 200_000]) {
    const name = `yaml-${size}`;
    const body = `metadata:\n  name: ${name}\ndata:\n  k: 0x\n  k: ${'x'.repeat(size)}\n`;
    const made = await overHttp2('POST', MAPS, { body, headers: { 'content-type': 'application/yaml' } });
    assert.equal(made.code, 201, made.body.toString());
    assert.match(String(made.headers['warning']), /line 5: key \\"k\\" already set in map/);
    const read = await overHttp1('GET', `${MAPS}/${name}`, { headers: { accept: 'application/yaml' } });
    assert.equal(read.headers['content-type'], 'application/yaml');
    assert.match(read.body.toString(), /^apiVersion: v1\ndata:\n  k: x+\nkind: ConfigMap\nmetadata:\n/);
    const malformed = await overHttp1('POST', MAPS, {
      body: `${body}: [`,
      headers: { 'content-type': 'application/yaml' },
    });
    assert.equal(malformed.code, 400);
    assert.match(malformed.body.toString(), /error converting YAML to JSON: yaml: line 6:/);
  }
});

test('a watch streams, and thousands of cancelled ones do not end the connection', async () => {
  const client = session();
  const path = `${MAPS}?watch=true&labelSelector=live`;
  for (let n = 0; n < 3000; n++) {
    const stream = client.request({ ':path': path });
    stream.on('error', () => undefined);
    stream.close();
  }
  const stream = client.request({ ':path': path });
  await once(stream, 'response');
  const data = once(stream, 'data') as Promise<[Buffer]>;
  const body = JSON.stringify({ metadata: { name: 'live', labels: { live: '' } } });
  await overHttp2('POST', MAPS, { body, headers: JSON_HEADERS });
  const [line] = await data;
  assert.equal((JSON.parse(line.toString()) as { type: string }).type, 'ADDED');
  stream.close();
  client.close();
  await once(client, 'close');
  await none(watchers);
});

test('a connection has a hundred requests at a time, as with upstream: what is more waits for one of them to end', async () => {
  const client = session();
  await once(client, 'remoteSettings');
  assert.equal(client.remoteSettings.maxConcurrentStreams, 100);
  const path = `${MAPS}?watch=true&resourceVersion=0&labelSelector=none`;
  const open = Array.from({ length: 100 }, () => client.request({ ':path': path }));
  await Promise.all(open.map((stream) => once(stream, 'response')));
  const [first] = open;
  const further = client.request({ ':path': path });
  let isAnswered = false;
  further.once('response', () => (isAnswered = true));
  await new Promise<void>((resolve, reject) => {
    client.ping((error) => (error === null ? resolve() : reject(error)));
  });
  assert.equal(isAnswered, false);
  const answered = once(further, 'response');
  first?.close();
  await answered;
  for (const stream of [...open, further]) stream.close();
  client.close();
  await once(client, 'close');
  await none(watchers);
});

async function none(left: Watchers): Promise<void> {
  for (let turn = 0; turn < 50 && left.count > 0; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.equal(left.count, 0, 'no watch is left behind');
}

/** More than one connection may have at once: what is left behind of them ends it. */
const BROKEN_OFF = 1_200;
const AT_ONCE = 40;

for (const [what, query] of [
  ['watches', '?watch=true&labelSelector=backlog'],
  ['lists', '?labelSelector=backlog'],
  ['objects', '/backlog-0'],
] as const) {
  test(`${what} broken off in the middle leave nothing on their connection`, async () => {
    // More than a client that reads nothing takes: there is always something left to be written.
    const data = { k: 'x'.repeat(100_000) };
    for (let n = 0; n < 3; n++) {
      const body = JSON.stringify({ metadata: { name: `backlog-${n}`, labels: { backlog: '' } }, data });
      await overHttp1('POST', MAPS, { body, headers: JSON_HEADERS });
    }
    const client = session();
    const path = `${MAPS}${query}`;
    for (let n = 0; n < BROKEN_OFF; n += AT_ONCE) {
      const streams = Array.from({ length: AT_ONCE }, () => client.request({ ':path': path }));
      const answers = await Promise.all(streams.map((stream) => once(stream, 'response')));
      assert.ok(answers.every(([headers]) => (headers as { ':status': number })[':status'] === 200));
      // With NO_ERROR, which says least: Node would wait for what nobody takes any more.
      for (const stream of streams) stream.close();
    }
    const stream = client.request({ ':path': `${MAPS}/backlog-0` });
    const [headers] = (await once(stream, 'response')) as [{ [name: string]: unknown }];
    assert.equal(headers[':status'], 200);
    stream.resume();
    await once(stream, 'end');
    client.destroy();
    await none(watchers);
  });
}

test('a client that speaks something else than TLS is counted', async () => {
  const told = async (): Promise<number> => {
    const { body } = await overHttp1('GET', '/metrics');
    return Number(/^apiserver_tls_handshake_errors_total (\d+)$/m.exec(body.toString())?.[1]);
  };
  const before = await told();
  const socket = connectPlain(listener.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.end('GET / HTTP/1.0\r\n\r\n');
  socket.resume();
  await once(socket, 'close');
  assert.equal(await told(), before + 1);
});

test('a connection that never says anything does not hold up the end', { timeout: 20_000 }, async () => {
  const own = await startListeningServer();
  const { port } = own.listener;
  const silent = connectPlain(port, '127.0.0.1').on('error', () => undefined);
  await once(silent, 'connect');
  // The server hears of connections in the order in which they came.
  const later = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }).on('error', () => undefined);
  await once(later, 'secureConnect');
  const gone = [silent, later].map((socket) => once(socket.resume(), 'close'));
  await own.close();
  await Promise.all(gone);
});
