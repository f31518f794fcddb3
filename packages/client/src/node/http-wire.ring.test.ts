import { strict as assert } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { Http2SecureServer, Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from 'node:http2';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { once } from 'node:events';
import { connect as connectTcp, createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { createSeededRandom, readAll, Scope, silentLogger, sleep } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { readReplyText, readText, status, StatusError } from '@binnacle/machinery';
import type { WatchEvent } from '@binnacle/machinery';
import { PODS } from '@binnacle/api';
import { createClient } from '../client.ts';
import { isTransportError } from '../errors.ts';
import { createInformer } from '../informer.ts';
import { createHttpWire } from './http-wire.ts';

// Real TLS on loopback, by address: the certificate names 127.0.0.1, there is no server name.

type Handle = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

let folder = '';
let cert = '';
let key = '';
let server: Http2SecureServer;
let url = '';
let handle: Handle;
const sessions = new Set<ServerHttp2Session>();

before(async () => {
  folder = makeTestFolder().path;
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=test', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const make = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  execFileSync('openssl', [...make, ...subject, '-out', certFile, '-keyout', keyFile], { stdio: 'ignore' });
  cert = readFileSync(certFile, 'utf8');
  key = readFileSync(keyFile, 'utf8');
  server = createSecureServer({ cert, key, allowHTTP1: true, settings: { maxConcurrentStreams: 10 } });
  server.on('request', (request, response) => handle(request, response));
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

after(async () => {
  for (const session of sessions) session.destroy();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  rmSync(folder, { recursive: true });
});

const connect = (more: object = {}) => createHttpWire({ server: url, ca: cert, ...more });
const json = (response: Http2ServerResponse, code: number, body: unknown): void => {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

test('a call: method, path, body, bearer token from a file, cause', async () => {
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, 'abc\n');
  const wire = connect({ tokenFile });
  const seen: unknown[] = [];
  handle = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push(request.method, request.url, request.headers.authorization, request.headers['binnacle-cause']);
      seen.push(JSON.parse(Buffer.concat(chunks).toString()));
      json(response, 201, { metadata: { name: 'ä€' } });
    });
  };
  const cause = { id: 'c1', component: 'test', request: 'x', revision: '7' };
  const made = await createClient(wire)
    .resource(PODS, 'ns')
    .create({ metadata: { name: 'ä€' }, spec: { containers: [] } }, undefined, { cause });
  assert.equal(made.metadata.name, 'ä€');
  assert.deepEqual(seen, [
    'POST',
    '/api/v1/namespaces/ns/pods',
    'Bearer abc',
    'c1;test;7',
    { metadata: { name: 'ä€' }, spec: { containers: [] }, apiVersion: 'v1', kind: 'Pod' },
  ]);
  await wire.close();
});

test('failures: a Status, a page of somebody else, no JSON, nobody there, an unknown authority', async () => {
  const wire = connect();
  handle = (_request, response) => json(response, 404, status.notFound({ group: '', resource: 'pods' }, 'x').status);
  await assert.rejects(createClient(wire).resource(PODS, 'ns').get('x'), status.isNotFound);
  handle = (_request, response) => {
    response.writeHead(503);
    response.end('<html>');
  };
  await assert.rejects(readText(wire, '/x'), (error) => error instanceof StatusError && error.httpCode === 503);
  handle = (_request, response) => response.end('no json');
  await assert.rejects(createClient(wire).resource(PODS, 'ns').get('x'), isTransportError);
  await wire.close();
  const nobody = createHttpWire({ server: 'https://127.0.0.1:1' });
  await assert.rejects(readText(nobody, '/x'), (error) => isTransportError(error) && error.fault === 'connect');
  const stranger = createHttpWire({ server: url });
  await assert.rejects(readText(stranger, '/x'), (error) => isTransportError(error) && error.fault === 'connect');
});

test('Retry-After is heeded; a cut read is repeated, a cut write is not', async () => {
  const wire = connect();
  let calls = 0;
  handle = (_request, response) => {
    if (++calls > 1) return json(response, 200, {});
    response.writeHead(429, { 'retry-after': '0' });
    response.end('{}');
  };
  await readText(wire, '/x');
  assert.equal(calls, 2);
  calls = 0;
  handle = (request, response) => {
    if (++calls > 1) json(response, 200, { metadata: {} });
    else request.stream.session?.destroy();
  };
  await readText(wire, '/x');
  assert.equal(calls, 2);
  calls = 0;
  const pods = createClient(wire).resource(PODS, 'ns');
  await assert.rejects(pods.create({ metadata: { name: 'p' }, spec: { containers: [] } }), isTransportError);
  assert.equal(calls, 1);
  await wire.close();
});

test('an answer cut in the middle is no answer', async () => {
  const wire = connect();
  handle = (request, response) => {
    response.writeHead(200);
    response.write('{"kind":');
    setTimeout(() => request.stream.close(2), 20);
  };
  await assert.rejects(
    createClient(wire)
      .resource(PODS, 'ns')
      .create({ metadata: {}, spec: { containers: [] } }),
    isTransportError,
  );
  await wire.close();
});

test('a watch: torn lines, bookmarks, an error event, exactly one end', async () => {
  const wire = connect();
  handle = (_request, response) => {
    const line = Buffer.from(
      `${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'ä€😀' } } })}\n` +
        `${JSON.stringify({ type: 'ERROR', object: status.expired('too old').status })}\n`,
    );
    response.writeHead(200);
    let at = 0;
    const step = (): void => {
      if (at >= line.length) return;
      response.write(line.subarray(at, (at += 7)));
      setImmediate(step);
    };
    step();
  };
  const events: WatchEvent[] = [];
  const error = await new Promise((resolve) => {
    createClient(wire)
      .resource(PODS)
      .watch({}, { events: (batch) => void events.push(...batch), end: resolve });
  });
  assert.deepEqual(
    events.map((event) => [event.type, event.object.metadata.name]),
    [['ADDED', 'ä€😀']],
  );
  assert.ok(status.isExpired(error));
  await wire.close();
});

test('a watch that is refused without end is over when enough is said of why', { timeout: 20_000 }, async () => {
  const wire = connect();
  handle = (_request, response) => {
    response.on('error', () => undefined);
    response.writeHead(500);
    response.write('x'.repeat(2 << 20));
  };
  const error = await new Promise((resolve) => {
    wire.watch({ resource: PODS }, { events: () => undefined, end: resolve });
  });
  assert.ok(error instanceof StatusError);
  assert.equal(error.httpCode, 500);
  await wire.close();
});

test('more watches than one connection may carry open another; stopping ends each once', async () => {
  const wire = connect();
  handle = (_request, response) => {
    response.writeHead(200);
    response.write('{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1"}}}\n');
  };
  let opened = 0;
  let ended = 0;
  const handles = Array.from({ length: 25 }, () =>
    wire.watch(
      { resource: PODS },
      { events: () => void opened++, end: (error) => void (error === undefined ? ended++ : (ended += 1000)) },
    ),
  );
  while (opened < 25) await sleep(realClock, 5);
  assert.ok(sessions.size >= 3, `${sessions.size} connections`);
  for (const one of handles) {
    one.stop();
    one.stop();
  }
  assert.equal(ended, 25);
  await wire.close();
});

test('a server that allows no request on a connection is not asked for one connection after another', async () => {
  const none = createSecureServer({ cert, key, settings: { maxConcurrentStreams: 0 } });
  let connections = 0;
  none.on('secureConnection', () => void connections++);
  const open = new Set<ServerHttp2Session>();
  none.on('session', (session) => open.add(session));
  await new Promise<void>((resolve) => none.listen(0, '127.0.0.1', resolve));
  const wire = connect({ server: `https://127.0.0.1:${(none.address() as AddressInfo).port}` });
  await assert.rejects(wire.raw({ path: '/version' }), /takes no requests/);
  assert.equal(connections, 1);
  await wire.close();
  for (const session of open) session.destroy();
  await new Promise<void>((resolve) => none.close(() => resolve()));
});

test('a server that speaks HTTP/1.1 only', async () => {
  const old = createHttpsServer({ cert, key }, (request, response) => {
    if (request.url?.includes('watch=true') === true) {
      response.write('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n');
      setTimeout(() => response.destroy(), 20);
      return;
    }
    response.end(JSON.stringify({ path: request.url }));
  });
  await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve));
  const wire = createHttpWire({ server: `https://127.0.0.1:${(old.address() as AddressInfo).port}`, ca: cert });
  assert.equal(await readText(wire, '/version'), '{"path":"/version"}');
  const seen: string[] = [];
  const error = await new Promise((resolve) => {
    wire.watch({ resource: PODS }, { events: (batch) => void seen.push(...batch.map((e) => e.type)), end: resolve });
  });
  assert.deepEqual(seen, ['ADDED']);
  assert.ok(isTransportError(error));
  await wire.close();
  old.closeAllConnections();
  await new Promise<void>((resolve) => old.close(() => resolve()));
});

test('a token that no header can carry is refused before anything is sent, whatever the server speaks', async () => {
  const old = createHttpsServer({ cert, key }, (_request, response) => response.end('{}'));
  await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve));
  let asked = 0;
  handle = (_request, response) => {
    asked++;
    json(response, 200, {});
  };
  for (const place of [`https://127.0.0.1:${(old.address() as AddressInfo).port}`, url]) {
    for (const token of ['a\nb', 'a\u{1F600}']) {
      const wire = connect({ server: place, token });
      await assert.rejects(readText(wire, '/version'), /the token is not what a header can say/);
      await wire.close();
    }
    // What an exchange cannot carry otherwise ends that exchange, also where it waited for the connection.
    const wire = connect({ server: place });
    const odd = wire.raw({ path: '/version', headers: { accept: 'a\nb' } });
    await Promise.allSettled([odd]);
    assert.equal(await readText(wire, '/version'), '{}');
    await wire.close();
  }
  // HTTP/2 leaves out a header that cannot be: of a token that would be to ask as nobody.
  assert.equal(asked, 2);
  old.closeAllConnections();
  await new Promise<void>((resolve) => old.close(() => resolve()));
});

test('a server or a proxy that takes a connection and says nothing is given up, as a proxy that comes by the byte', async (t) => {
  const silent = createTcpServer();
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const rows = [
    { says: '', options: { server: `https://127.0.0.1:${port}` }, why: /TLS handshake timeout/ },
    { says: 'HTTP/1.1 2', options: { proxyUrl: `http://127.0.0.1:${port}` }, why: /no answer/ },
    {
      says: 'HTTP/1.1 200 OK\r\n\r\n',
      options: { proxyUrl: `http://127.0.0.1:${port}` },
      why: /TLS handshake timeout/,
    },
  ];
  for (const { says, options, why } of rows) {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const wire = connect({ ca: cert, ...options });
    const connected = once(silent, 'connection') as Promise<[Socket]>;
    const failed = assert.rejects(readText(wire, '/version'), why);
    const [socket] = await connected;
    socket.on('error', () => undefined);
    if (says !== '') socket.write(says);
    // The handshake has begun.
    if (!says.endsWith('2'))
      for (let bytes = ''; !bytes.includes('\u0016');) bytes += String(await once(socket, 'data'));
    t.mock.timers.tick(30_000);
    await failed;
    t.mock.timers.reset();
    await wire.close();
    socket.destroy();
  }
  await new Promise<void>((resolve) => silent.close(() => resolve()));
});

test('a server of HTTP/1.1 that takes a later connection and says nothing is given up', async (t) => {
  const old = createHttpsServer({ cert, key }, (_request, response) =>
    response.writeHead(200, { connection: 'close' }).end('{}'),
  );
  let isSilent = false;
  const silent: Socket[] = [];
  // Before TLS: what the server does not read, nobody answers.
  const door = createTcpServer((socket) => {
    if (isSilent) silent.push(socket.on('error', () => undefined));
    else old.emit('connection', socket);
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  const wire = connect({ server: `https://127.0.0.1:${(door.address() as AddressInfo).port}` });
  assert.equal(await readText(wire, '/version'), '{}');
  isSilent = true;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const taken = once(door, 'connection') as Promise<[Socket]>;
  const failed = assert.rejects(readText(wire, '/version'), /TLS handshake timeout/);
  const [socket] = await taken;
  await once(socket, 'data');
  t.mock.timers.tick(10_000);
  await failed;
  t.mock.timers.reset();
  await wire.close();
  for (const one of silent) one.destroy();
  await new Promise<void>((resolve) => door.close(() => resolve()));
});

test('a server that stands behind others is asked below its own path, over HTTP/2 and HTTP/1.1, on every sort of request', async (t) => {
  const paths: string[] = [];
  const plain = createServer((request, response) => {
    paths.push(request.url ?? '');
    response.end('{}');
  });
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  t.after(() => plain.close());
  handle = (request, response) => {
    paths.push(request.url);
    json(response, 200, {});
  };
  for (const origin of [url, `http://127.0.0.1:${(plain.address() as AddressInfo).port}`]) {
    for (const base of ['/k8s/clusters/c-1', '/k8s/clusters/c-1/']) {
      const wire = connect({ server: `${origin}${base}` });
      paths.length = 0;
      await wire.call({ verb: 'list', resource: PODS, namespace: 'ns' });
      await readText(wire, '/version?a=b');
      await new Promise<void>((resolve) => {
        wire.watch({ resource: PODS, namespace: 'ns' }, { events: () => undefined, end: () => resolve() });
      });
      await assert.rejects(wire.open({ method: 'GET', path: '/exec', protocol: 'websocket' }));
      const own = ['/api/v1/namespaces/ns/pods', '/version?a=b', '/api/v1/namespaces/ns/pods?watch=true', '/exec'];
      assert.deepEqual(
        paths,
        own.map((path) => `/k8s/clusters/c-1${path}`),
      );
      await wire.close();
    }
  }
});

test('an informer survives the loss of its connection', async () => {
  const wire = connect();
  let version = 1;
  handle = (request, response) => {
    const initial = request.url.includes('sendInitialEvents');
    const meta = { name: 'a', namespace: 'ns', resourceVersion: String(version++) };
    response.writeHead(200);
    response.write(`${JSON.stringify({ type: 'MODIFIED', object: { metadata: meta } })}\n`);
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const mark = { metadata: { resourceVersion: meta.resourceVersion, annotations } };
    if (initial) response.write(`${JSON.stringify({ type: 'BOOKMARK', object: mark })}\n`);
    const cut = (): void => request.stream.session?.destroy();
    if (version < 3) setTimeout(cut, 30);
  };
  const scope = new Scope('test');
  const world = { clock: realClock, random: createSeededRandom(1), log: silentLogger };
  const informer = createInformer(createClient(wire), PODS, world);
  informer.start(scope);
  await informer.whenSynced();
  while (informer.resourceVersion !== '2') await sleep(realClock, 20);
  assert.equal(informer.size, 1);
  await scope.close();
  await wire.close();
});

test('raw is a stream in both directions, with status and headers; open changes the protocol or is refused', async () => {
  const wire = connect();
  handle = (request, response) => {
    response.writeHead(418, { 'x-method': request.method });
    request.stream.pipe(response.stream);
  };
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode('a');
    yield new TextEncoder().encode('b');
  }
  const reply = await wire.raw({ method: 'PUT', path: '/x', body: pieces() });
  assert.deepEqual([reply.status, reply.headers['x-method']], [418, 'PUT']);
  assert.equal(await readReplyText(reply), 'ab');
  server.once('upgrade', (request: Http2ServerRequest, socket: Socket) => {
    const { upgrade, authorization } = request.headers;
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${upgrade}\r\nx-a: ${authorization}\r\n\r\n`,
    );
    socket.pipe(socket);
  });
  const known = connect({ token: 't' });
  const opened = await known.open({ path: '/exec', protocol: 'SPDY/3.1' });
  assert.deepEqual([opened.protocol, opened.headers['x-a']], ['SPDY/3.1', 'Bearer t']);
  await opened.stream.write(new TextEncoder().encode('echo'));
  await opened.stream.end();
  assert.equal(new TextDecoder().decode(await readAll(opened.stream, 100)), 'echo');
  handle = (_request, response) =>
    json(response, 403, status.forbidden({ group: '', resource: 'pods' }, 'p', 'no').status);
  await assert.rejects(known.open({ path: '/exec', protocol: 'SPDY/3.1' }), status.isForbidden);
  handle = (_request, response) => json(response, 200, {});
  await assert.rejects(
    known.open({ path: '/exec', protocol: 'SPDY/3.1' }),
    (e) => e instanceof StatusError && e.httpCode === 400,
  );
  const nobody = createHttpWire({ server: 'https://127.0.0.1:1' });
  await assert.rejects(nobody.open({ path: '/exec', protocol: 'x' }), isTransportError);
  await Promise.all([wire.close(), known.close()]);
});

/** A proxy of HTTP that opens tunnels, and remembers where to and for whom. */
async function startProxy(code = 200) {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer();
  proxy.on('connect', (request: IncomingMessage, near: Socket) => {
    asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`);
    if (code !== 200) return near.end(`HTTP/1.1 ${code} No\r\n\r\n`);
    const [host = '', port] = (request.url ?? '').split(':');
    const far = connectTcp(Number(port), host, () => {
      near.write('HTTP/1.1 200 OK\r\n\r\n');
      far.pipe(near).pipe(far);
    });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    return undefined;
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    asked,
    port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => proxy.close(() => resolve()));
    },
  };
}

test('through a proxy, over HTTP/2 and HTTP/1.1, and for upgrades', async () => {
  const proxy = await startProxy();
  const proxyUrl = `http://u:p%40@127.0.0.1:${proxy.port}`;
  const wire = connect({ proxyUrl });
  handle = (request, response) => json(response, 200, { version: request.httpVersion });
  assert.deepEqual(JSON.parse(await readText(wire, '/x')), { version: '2.0' });
  await assert.rejects(wire.open({ path: '/x', protocol: 'websocket' }), StatusError);
  await wire.close();
  const plain = createHttpsServer({ cert, key }, (_request, response) => response.end('"one"'));
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  const { port } = plain.address() as AddressInfo;
  const old = createHttpWire({ server: `https://127.0.0.1:${port}`, ca: cert, proxyUrl });
  assert.equal(await readText(old, '/x'), '"one"');
  await old.close();
  plain.closeAllConnections();
  await new Promise<void>((resolve) => plain.close(() => resolve()));
  await proxy.close();
  assert.ok(proxy.asked.length >= 3, String(proxy.asked));
  assert.ok(
    proxy.asked.every((line) => /^127\.0\.0\.1:\d+ Basic dTpwQA==$/.test(line)),
    String(proxy.asked),
  );
});

test('what a proxy refuses is told, without its password', async () => {
  const proxy = await startProxy(407);
  const wire = connect({ proxyUrl: `http://u:hunter2@127.0.0.1:${proxy.port}` });
  await assert.rejects(readText(wire, '/x'), (error: Error) => {
    assert.match(error.message, /answers 407 to CONNECT/);
    assert.doesNotMatch(error.message, /hunter2/);
    return isTransportError(error);
  });
  await wire.close();
  await proxy.close();
});

test('as somebody else, with all that is said of him, on every sort of request', async () => {
  const impersonate = { 'impersonate-user': 'jane', 'impersonate-group': ['a', 'b'] };
  const seen: unknown[] = [];
  const wire = connect({ impersonate });
  handle = (request, response) => {
    seen.push([request.headers['impersonate-user'], request.headers['impersonate-group']]);
    json(response, 200, {});
  };
  await readText(wire, '/x');
  await assert.rejects(wire.open({ path: '/x', protocol: 'websocket' }), StatusError);
  await wire.close();
  assert.deepEqual(
    seen,
    Array.from({ length: 2 }, () => ['jane', 'a, b']),
  );
});

test('a credential is asked for before each request, and anew where the server does not know it', async () => {
  const given = ['one', 'two'].map((token) => ({ token }));
  const seen: unknown[] = [];
  const wire = connect({
    token: 'never',
    credentials: {
      current: () => Promise.resolve(given[0] ?? {}),
      refused: (credential: object) => void (credential === given[0] && given.shift()),
    },
  });
  handle = (request, response) => {
    seen.push(request.headers.authorization);
    json(response, request.headers.authorization === 'Bearer one' ? 401 : 200, {});
  };
  await assert.rejects(readText(wire, '/x'), StatusError);
  await readText(wire, '/x');
  await wire.close();
  assert.deepEqual(seen, ['Bearer one', 'Bearer two']);
});

test('a watch or an upgrade that is refused with 401 has its credential renewed, and not one that came meanwhile', async () => {
  const first = { token: 'first' };
  let now: { readonly token: string } = first;
  const refused: unknown[] = [];
  const credentials = {
    current: () => Promise.resolve(now),
    refused: (credential: object) => void refused.push(credential),
  };
  const wire = connect({ credentials });
  handle = (_request, response) => json(response, 401, status.unauthorized().status);
  const watched = (): Promise<unknown> =>
    new Promise((resolve) => {
      wire.watch({ resource: PODS }, { events: () => undefined, end: resolve });
    });
  assert.ok((await watched()) instanceof StatusError);
  await assert.rejects(wire.open({ path: '/exec', protocol: 'SPDY/3.1' }), StatusError);
  assert.deepEqual(refused, [first, first]);
  // Another request has a new one before the answer to this one is there.
  handle = (request, response) => {
    if (request.headers.authorization !== 'Bearer first') return json(response, 200, {});
    now = { token: 'second' };
    readText(wire, '/y').then(
      () => json(response, 401, status.unauthorized().status),
      (error: unknown) => response.stream.destroy(error as Error),
    );
    return undefined;
  };
  await watched();
  assert.deepEqual(refused, [first, first, first]);
  await wire.close();
});
