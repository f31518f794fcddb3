/** The doors with real sockets: what clients of either protocol get of backends, and what nobody gets. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { connect as connectH2 } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { after, afterEach, before, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import type { SecureVersion } from 'node:tls';
import { createDuplexPair, silentLogger } from '@binnacle/base';
import { nodeStreamOf } from '@binnacle/base/node';
import { readRequest } from '@binnacle/certificates';
import { issueCertificate, makeAuthority, makeRequest, signRequest } from '@binnacle/certificates/node';
import type { KeyPair } from '@binnacle/certificates/node';
import { WebSocket, WebSocketServer } from 'ws';
import type { CertificatePair, ConnectPlace, Doors, Place, RouteAnswer, Traffic } from '../ports.ts';
import { makeDoors } from './doors.ts';

const LIFE = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 3_600_000, client: false };
const authority = makeAuthority('test', LIFE);
const issue = (name: string): KeyPair => issueCertificate(authority, { commonName: name, hostnames: [name] }, LIFE);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const asSecret = (id: string, pair: KeyPair): CertificatePair => ({
  id,
  certificate: base64(pair.certificate),
  key: base64(pair.key),
});
const SHOP = asSecret('shop', issue('shop.example'));
/** Secrets whose keys are of another sort than the fallback's, as most certificates of users are. */
const OTHER_SORTS: readonly (readonly [name: string, pair: CertificatePair])[] = [
  ['rsa.example', withKey('rsa.example', generateKeyPairSync('rsa', { modulusLength: 2048 }))],
  ['ed25519.example', withKey('ed25519.example', generateKeyPairSync('ed25519'))],
];
const SECRETS = new Map([['shop.example', SHOP] as const, ...OTHER_SORTS]);
const GONE: Place = { address: '127.0.0.1', port: 1, nodeName: 'n' };

let answer: RouteAnswer;
let asked: string[] = [];
let letsIn = true;
let connectPlace: ConnectPlace = () => undefined;
const traffic: Traffic = {
  route(host, path) {
    asked.push(`${host} ${path}`);
    return answer;
  },
  certificateFor: (name) => SECRETS.get(name),
};
let doors: Doors;
let http = 0;
let https = 0;
const servers: Server[] = [];

before(async () => {
  doors = makeDoors(
    {
      ports: { http: 0, https: 0 },
      letsIn: () => letsIn,
      connect: (place) => connectPlace(place),
      fallback: async () => issue('fallback.example'),
      log: silentLogger,
    },
    traffic,
  );
  const opened = await Promise.all([doors.open('http'), doors.open('https')]);
  [http = 0, https = 0] = opened.map((one) => ('port' in one ? one.port : 0));
});

afterEach(async () => {
  asked = [];
  letsIn = true;
  connectPlace = () => undefined;
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

after(() => doors.close());

/** A server that does this with each request; what goes wrong in it, the client sees. */
function backend(serve: (...exchange: Parameters<RequestListener>) => unknown): Promise<Place> {
  return listening(createServer(serving(serve)));
}

function serving(serve: (...exchange: Parameters<RequestListener>) => unknown): RequestListener {
  return (request, response) => {
    void Promise.resolve(serve(request, response)).catch(() => response.destroy());
  };
}

async function listening(server: Server): Promise<Place> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return { address: '127.0.0.1', port: (server.address() as AddressInfo).port, nodeName: 'n' };
}

function leadTo(...places: readonly Place[]): void {
  answer = { kind: 'places', places, protocol: 'http' };
}

const page = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${http}${path}`, init);

async function textOf(message: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of message) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** Says this on a connection, and hears all that comes back. */
async function say(text: string): Promise<string> {
  const socket = connect(http, '127.0.0.1');
  socket.write(text);
  return textOf(socket);
}

test('a request and its reply, told who the client is', async () => {
  leadTo(
    await backend(async (request, response) => {
      const body = await textOf(request);
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.writeHead(201, 'Made So', { 'x-path': request.url ?? '' });
      response.end(`${request.method} ${String(request.headers['x-forwarded-for'])} ${request.headers.host} ${body}`);
    }),
  );
  const reply = await page('/a/../b?c', { method: 'POST', body: 'hello', headers: { 'x-forwarded-for': '6.6.6.6' } });
  assert.equal(reply.status, 201);
  assert.equal(reply.statusText, 'Made So');
  assert.deepEqual(reply.headers.getSetCookie(), ['a=1', 'b=2']);
  assert.equal(reply.headers.get('x-path'), '/b?c');
  assert.equal(await reply.text(), `POST 127.0.0.1 127.0.0.1:${http} hello`);
  assert.deepEqual(asked, ['127.0.0.1 /b']);
});

test('bodies stream both ways, at the pace of who takes them', async () => {
  const size = 64 * 1024 * 1024;
  let most = 0;
  leadTo(
    await backend((request, response) => {
      response.flushHeaders();
      request.pipe(response);
    }),
  );
  const piece = Buffer.alloc(64 * 1024, 'x');
  let sent = 0;
  let received = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (sent >= size) return controller.close();
      sent += piece.length;
      most = Math.max(most, sent - received);
      controller.enqueue(piece);
    },
  });
  const reply = await page('/', { method: 'PUT', body, duplex: 'half' } as RequestInit);
  for await (const part of reply.body as AsyncIterable<Uint8Array>) received += part.length;
  assert.equal(received, size);
  assert.ok(most < 32 * 1024 * 1024, `${most} bytes were on their way at once`);
});

test('connections to a backend are kept', async () => {
  let connections = 0;
  const server = createServer((_request, response) => response.end('x'));
  server.on('connection', () => connections++);
  leadTo(await listening(server));
  for (let at = 0; at < 5; at++) await (await page('/')).text();
  assert.equal(connections, 1);
});

test('who is not there is passed over, with the body unsent', async () => {
  const there = await backend(async (request, response) => response.end(await textOf(request)));
  leadTo(GONE, there);
  assert.equal(await (await page('/', { method: 'POST', body: 'whole' })).text(), 'whole');
  leadTo(GONE, GONE, there);
  assert.equal((await page('/')).status, 200);
  leadTo(GONE);
  assert.equal((await page('/')).status, 502);
});

test('a kept connection that was closed meanwhile costs no request', async () => {
  let requests = 0;
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    let seen = 0;
    socket.on('data', () => {
      requests++;
      // The first request of a connection is answered; at the second it is cut.
      if (seen++ > 0) return socket.resetAndDestroy();
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  leadTo({ address: '127.0.0.1', port: (server.address() as AddressInfo).port, nodeName: 'n' });
  const statuses = [];
  for (let at = 0; at < 3; at++) statuses.push((await page('/')).status);
  assert.deepEqual(statuses, [200, 200, 200]);
  const before = requests;
  assert.equal((await page('/', { method: 'POST' })).status, 502);
  assert.equal(requests, before + 1, 'what may have been done is not done twice');
  server.close();
});

test('a reply that is cut is cut for the client too', async () => {
  leadTo(
    await backend((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setImmediate(() => response.destroy());
    }),
  );
  await assert.rejects(async () => (await page('/')).text());
});

test('a client that goes away ends it at the backend', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  leadTo(
    await backend((_request, response) => {
      response.write('begun');
      response.once('close', resolve);
    }),
  );
  const gone = new AbortController();
  const reply = await page('/', { signal: gone.signal });
  assert.equal(reply.status, 200);
  gone.abort();
  await promise;
});

test('an answer before the whole request was heard', async () => {
  leadTo(
    await backend((_request, response) => {
      response.writeHead(413, { connection: 'close' });
      response.end('too much');
    }),
  );
  const socket = connect(http, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nsome');
  const [first] = (await once(socket, 'data')) as [Uint8Array];
  assert.match(Buffer.from(first).toString(), /^HTTP\/1.1 413 /);
  socket.destroy();
});

test('trailers, of replies in pieces', async () => {
  leadTo(
    await backend((_request, response) => {
      response.writeHead(200, { trailer: 'x-sum' });
      response.write('body');
      response.addTrailers({ 'x-sum': '42' });
      response.end();
    }),
  );
  assert.match(await say('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'), /\r\nx-sum: 42\r\n/);
});

test('nobody to go to', async () => {
  answer = { kind: 'nowhere', status: 404, message: 'no rule\n' };
  const reply = await page('/');
  assert.deepEqual([reply.status, await reply.text()], [404, 'no rule\n']);
  assert.match(await say(upgradeTo('websocket')), /^HTTP\/1.1 404 /);
});

const upgradeTo = (protocol: string): string =>
  `GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`;

const SMUGGLED: readonly (readonly [name: string, text: string])[] = [
  ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello'],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['a coding that is none', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
  ['another coding before', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
  ['a space before the colon', 'GET / HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n\r\nhello'],
  ['a folded line', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n'],
  ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
  ['no host', 'GET / HTTP/1.1\r\n\r\n'],
  [
    'a chunk with a length that is none',
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n',
  ],
  ['lines ended by a return alone', 'GET / HTTP/1.1\rHost: x\r\r'],
];

for (const [name, text] of SMUGGLED) {
  test(`a request that two servers read differently reaches no backend: ${name}`, async () => {
    const seen: string[] = [];
    leadTo(
      await backend(async (request, response) => {
        seen.push(`${request.method} ${request.url} ${await textOf(request).catch(() => 'cut')}`);
        response.end('reached');
      }),
    );
    const socket = connect(http, '127.0.0.1');
    socket.end(`${text}GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n`);
    const reply = await textOf(socket).catch(() => '');
    assert.doesNotMatch(reply, /^HTTP\/1.1 2/);
    // A head alone may have gone on before its body turned out to be broken; never a whole request.
    assert.deepEqual(
      seen.filter((one) => !one.endsWith(' cut')),
      [],
    );
  });
}

test('a head beyond the bound', async () => {
  leadTo(await backend((_request, response) => response.end('reached')));
  assert.match(await say(`GET / HTTP/1.1\r\nHost: x\r\nA: ${'b'.repeat(70_000)}\r\n\r\n`), /^HTTP\/1.1 431 /);
});

test('another protocol than WebSocket is asked for in vain', async () => {
  leadTo(await backend((request, response) => response.end(`plain ${request.headers.upgrade}`)));
  const reply = await say(upgradeTo('h2c').replace('Connection: Upgrade', 'Connection: Upgrade, close'));
  assert.match(reply, /^HTTP\/1.1 200 [^]*plain undefined/);
});

test('WebSocket, through either door', async () => {
  const server = createServer();
  const echo = new WebSocketServer({ server });
  echo.on('connection', (socket, request) => {
    socket.send(`path ${request.url} ${String(request.headers['x-forwarded-proto'])}`);
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  leadTo(await listening(server));
  for (const url of [`ws://127.0.0.1:${http}/chat`, `wss://127.0.0.1:${https}/chat`]) {
    const socket = new WebSocket(url, { rejectUnauthorized: false });
    const [first] = (await once(socket, 'message')) as [Buffer];
    assert.equal(first.toString(), `path /chat ${url.startsWith('wss') ? 'https' : 'http'}`);
    const big = Buffer.alloc(1_000_000, 'z');
    socket.send(big);
    const [back] = (await once(socket, 'message')) as [Buffer];
    assert.ok(back.equals(big));
    socket.close();
    await once(socket, 'close');
  }
  echo.close();
});

test('a backend that does not change the protocol answers in its own words', async () => {
  leadTo(
    await backend((_request, response) => {
      response.writeHead(426, { 'x-why': 'not here' });
      response.end('upgrade required');
    }),
  );
  assert.match(await say(upgradeTo('websocket')), /^HTTP\/1.1 426 [^]*x-why: not here[^]*upgrade required/);
  leadTo(GONE);
  assert.match(await say(upgradeTo('websocket')), /^HTTP\/1.1 502 /);
});

/** A certificate for a key of any sort. */
function withKey(name: string, { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject }) {
  const asked = readRequest(makeRequest({ commonName: name, hostnames: [name] }).request);
  const own = { ...asked, publicKey: publicKey.export({ type: 'spki', format: 'der' }) };
  const certificate = signRequest(authority, own, { ...LIFE, usages: ['digitalSignature'], extendedUsages: [] });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return asSecret(name, { certificate, key });
}

async function subjectOf(servername: string, maxVersion: SecureVersion = 'TLSv1.3'): Promise<string> {
  const to = { port: https, host: '127.0.0.1', servername, maxVersion, rejectUnauthorized: false };
  const socket = connectTls(to);
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

test('the certificate is that of the name', async () => {
  assert.equal(await subjectOf('shop.example'), 'shop.example');
  assert.equal(await subjectOf('other.example'), 'fallback.example');
});

for (const [name] of OTHER_SORTS) {
  test(`the certificate is that of the name, whatever sort its key is of: ${name}`, async () => {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) assert.equal(await subjectOf(name, version), name);
  });
}

test('HTTP/2 in, HTTP/1.1 on: bodies, cookies, many at once, a cut', async () => {
  let connections = 0;
  const echo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === '/cut') {
      response.writeHead(200);
      response.write('half');
      setImmediate(() => response.destroy());
      return;
    }
    response.setHeader('connection', 'keep-alive');
    response.end(`${request.headers.host} ${request.headers.cookie} ${await textOf(request)}`);
  };
  const server = createServer(serving(echo));
  server.on('connection', () => connections++);
  leadTo(await listening(server));
  const session = connectH2(`https://127.0.0.1:${https}`, { rejectUnauthorized: false, servername: 'shop.example' });
  const ask = async (path: string, body?: string): Promise<string> => {
    const stream = session.request({
      ...{ ':path': path, ':authority': 'shop.example', cookie: ['a=1', 'b=2'] },
      ':method': body === undefined ? 'GET' : 'POST',
    });
    stream.end(body);
    return textOf(stream);
  };
  assert.equal(await ask('/', 'sent'), 'shop.example a=1; b=2 sent');
  assert.equal(await ask('/'), 'shop.example a=1; b=2 ');
  const many = await Promise.all(Array.from({ length: 100 }, (_, at) => ask('/', `n${at}`)));
  assert.ok(many.every((text, at) => text.endsWith(` n${at}`)));
  const before = connections;
  await ask('/', 'again');
  assert.equal(connections, before, 'a kept connection serves HTTP/2 as well');
  await assert.rejects(ask('/cut'));
  session.close();
  await once(session, 'close');
});

test('a backend that wants TLS', async () => {
  const { certificate: cert, key } = issue('pod.example');
  const place = await listening(
    createTlsServer({ cert, key }, (_request, response) => response.end('secret')) as unknown as Server,
  );
  answer = { kind: 'places', places: [place], protocol: 'https' };
  assert.equal(await (await page('/')).text(), 'secret');
});

test('a pod that no address leads to', async () => {
  leadTo(GONE);
  const server = createServer((_request, response) => response.end('from afar'));
  connectPlace = () => async () => {
    const [ours, theirs] = createDuplexPair();
    server.emit('connection', nodeStreamOf(theirs) as Socket);
    return ours;
  };
  assert.equal(await (await page('/')).text(), 'from afar');
});

test('who may not come in hears nothing', async () => {
  leadTo(await backend((_request, response) => response.end('reached')));
  letsIn = false;
  const ask = (): Promise<string> => say('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n').catch(() => '');
  assert.equal(await ask(), '');
  letsIn = true;
  assert.match(await ask(), /reached/);
});

test('a port that is taken is said; doors close, with what waits on them', async () => {
  const taken = makeDoors(
    {
      ports: { http, https: 0 },
      letsIn: () => true,
      connect: () => undefined,
      fallback: async () => issue('x.example'),
      log: silentLogger,
    },
    traffic,
  );
  const answered = await taken.open('http');
  assert.match('refused' in answered ? answered.refused : '', /EADDRINUSE/);
  const opened = await taken.open('https');
  assert.ok('port' in opened);
  const idle = connect(opened.port, '127.0.0.1');
  await once(idle, 'connect');
  const closed = once(idle, 'close');
  await taken.close();
  idle.resume();
  await closed;
});
