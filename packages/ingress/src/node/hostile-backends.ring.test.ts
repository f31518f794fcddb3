/** Backends and clients that mean ill: whatever they say, the doors stay open and others are served. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectH2 } from 'node:http2';
import type { ClientHttp2Session, IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { after, afterEach, before, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { silentLogger } from '@binnacle/base';
import { issueCertificate, makeAuthority } from '@binnacle/certificates/node';
import type { Doors, Place, Traffic } from '../ports.ts';
import { makeDoors } from './doors.ts';

const LIFE = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 3_600_000, client: false };
const authority = makeAuthority('test', LIFE);

const UNDER_WAY_MAX = 20;
let place: Place = { address: '127.0.0.1', port: 1, nodeName: 'n' };
let routed = 0;
const traffic: Traffic = {
  route: () => {
    routed++;
    return { kind: 'places', places: [place], protocol: 'http' };
  },
  certificateFor: () => undefined,
};
let doors: Doors;
let http = 0;
let https = 0;
const servers: Server[] = [];
const connections = new Set<Socket>();

before(async () => {
  const fallback = async () => issueCertificate(authority, { commonName: 'x' }, LIFE);
  const ports = { http: 0, https: 0 };
  const requests = { max: 2 * UNDER_WAY_MAX, perClientMax: UNDER_WAY_MAX };
  const options = { ports, requests, letsIn: () => true, connect: () => undefined, fallback, log: silentLogger };
  doors = makeDoors(options, traffic);
  const opened = await Promise.all([doors.open('http'), doors.open('https')]);
  [http = 0, https = 0] = opened.map((one) => ('port' in one ? one.port : 0));
});

afterEach(async () => {
  for (const one of connections) one.destroy();
  for (const server of servers.splice(0)) {
    server.close();
    await once(server, 'close');
  }
  routed = 0;
});

after(() => doors.close());

/** A backend that hears (`heard`: all of one connection so far) and says bytes. */
async function backend(serve: (socket: Socket, heard: string) => void): Promise<void> {
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => connections.delete(socket));
    let heard = '';
    socket.setEncoding('latin1');
    socket.on('data', (text) => serve(socket, (heard += String(text))));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  place = { ...place, port: (server.address() as AddressInfo).port };
}

/** Answers each connection's first request so, and then hangs up. */
const answering = (reply: string): Promise<void> =>
  backend((socket) => {
    socket.end(Buffer.from(reply, 'latin1'));
  });

/** All that comes back for these bytes. */
async function say(text: string): Promise<string> {
  const socket = connect(http, '127.0.0.1');
  socket.setEncoding('latin1');
  socket.write(text);
  let heard = '';
  for await (const part of socket) heard += String(part);
  return heard;
}

const UPGRADE = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const GET = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

async function withSession<T>(use: (session: ClientHttp2Session) => Promise<T>): Promise<T> {
  const session = connectH2(`https://127.0.0.1:${https}`, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  try {
    return await use(session);
  } finally {
    session.destroy();
  }
}

/** The status of a request, and its trailers; `cut` where it was broken off. */
function ask(session: ClientHttp2Session, headers: OutgoingHttpHeaders = {}): Promise<string> {
  const stream = session.request({ ':path': '/', ':authority': 'x', ...headers });
  return new Promise((resolve) => {
    let said = '';
    let end = '';
    stream.on('response', (head) => (said = String(head[':status'])));
    stream.on('trailers', (trailers: IncomingHttpHeaders) => (end = ` ${JSON.stringify({ ...trailers })}`));
    stream.on('error', () => (end = ' cut'));
    stream.on('close', () => resolve(said + end));
    stream.resume();
  });
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n';
const REPLIES: readonly (readonly [name: string, reply: string, http1: RegExp, http2: RegExp])[] = [
  [
    'a phrase of control characters',
    'HTTP/1.1 200 \x01\x02\r\nContent-Length: 2\r\n\r\nhi',
    /^HTTP\/1.1 502 Bad Gateway/,
    /^200$/,
  ],
  ['two ages', `${OK}age: 1\r\nage: 2\r\n\r\nhi`, /^HTTP\/1.1 200 /, /^502$/],
  ['two types', `${OK}content-type: a\r\ncontent-type: b\r\n\r\nhi`, /^HTTP\/1.1 200 /, /^502$/],
  ['a status beyond HTTP', 'HTTP/1.1 999 OK\r\nContent-Length: 2\r\n\r\nhi', /^HTTP\/1.1 999 /, /^502$/],
  ['the status 000', 'HTTP/1.1 000 OK\r\nContent-Length: 2\r\n\r\nhi', /^HTTP\/1.1 502 /, /^502$/],
  ['the status 099', 'HTTP/1.1 099 OK\r\nContent-Length: 2\r\n\r\nhi', /^HTTP\/1.1 502 /, /^502$/],
  [
    'another protocol, unasked',
    'HTTP/1.1 101 Yes\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nhi',
    /^HTTP\/1.1 502 /,
    /^502$/,
  ],
  ['hints without end', 'HTTP/1.1 103 Early\r\nLink: x\r\n\r\n'.repeat(5000), /^HTTP\/1.1 502 /, /^502$/],
  ['names of prototypes', `${OK}__proto__: 1\r\nconstructor: 2\r\n\r\nhi`, /\r\n__proto__: 1\r\n/, /^200$/],
  [
    'trailers of one connection',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nConnection: x\r\nKeep-Alive: y\r\nUpgrade: z\r\nA: 1\r\n\r\n',
    /\r\na: 1\r\n/,
    /^200 \{"a":"1"\}$/,
  ],
  [
    'one trailer twice',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nAge: 1\r\nAge: 2\r\n__proto__: 3\r\n\r\n',
    /\r\nage: 1, 2\r\n/,
    /"age":"1, 2"/,
  ],
];

for (const [name, reply, http1, http2] of REPLIES) {
  test(`a backend that answers with ${name}`, async () => {
    await answering(reply);
    assert.match(await say(GET), http1);
    assert.match(await withSession((session) => ask(session)), http2);
  });
}

test('a reply before the whole request was heard keeps no connection to the backend', async () => {
  await backend((socket) => socket.write(`${OK}\r\nhi`));
  const socket = connect(http, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc');
  await once(socket, 'data');
  const [kept] = connections;
  if (kept !== undefined) await once(kept, 'close');
  assert.equal(connections.size, 0);
  socket.destroy();
});

test('a body that a WebSocket was to begin with is no part of the next request', async () => {
  const heard: string[] = [];
  await backend((socket, text) => {
    if (!text.endsWith('END')) return;
    heard.push(text);
    socket.end(`${OK}\r\nhi`);
  });
  const upgrade = 'Connection: Upgrade, close\r\nUpgrade: websocket\r\n';
  await say(`GET /ws HTTP/1.1\r\nHost: x\r\n${upgrade}Content-Length: 3\r\n\r\nEND`);
  assert.match(heard.join(), /^GET \/ws HTTP\/1.1\r\n[^]*content-length: 3\r\n[^]*\r\n\r\nEND$/);
  assert.doesNotMatch(heard.join(), /upgrade/i);
});

test('requests that are sent ahead take one connection to the backend', async () => {
  let most = 0;
  await backend((socket) => {
    most = Math.max(most, connections.size);
    setImmediate(() => socket.write(`${OK}\r\nhi`));
  });
  const reply = await say('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(299) + GET);
  assert.equal(reply.match(/HTTP\/1.1 200 OK/g)?.length, 300);
  assert.equal(most, 1);
});

/** A request of HTTP/2, and the word that takes it back, as they stand on the wire. */
function takenBack(id: number): Buffer {
  // GET https / of x, by the static table of RFC 7541.
  const head = Buffer.from([0, 0, 6, 1, 0x5, 0, 0, 0, 0, 0x82, 0x87, 0x84, 0x41, 1, 0x78]);
  const reset = Buffer.from([0, 0, 4, 3, 0, 0, 0, 0, 0, 0, 0, 0, 8]);
  for (const frame of [head, reset]) frame.writeUInt32BE(id, 5);
  return Buffer.concat([head, reset]);
}

test('requests that are taken back at once reach no backend, and thousands of them end the connection', async () => {
  await backend((socket) => socket.write(`${OK}\r\nhi`));
  const socket = connectTls({ host: '127.0.0.1', port: https, ALPNProtocols: ['h2'], rejectUnauthorized: false });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
  const flood = Array.from({ length: 20_000 }, (_, at) => takenBack(2 * at + 1));
  socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), settings, ...flood]));
  socket.resume();
  await once(socket, 'close');
  assert.ok(routed < 200, `${routed} were asked for`);
  assert.equal(await withSession((session) => ask(session)), '200');
});

test('names that programs read as ours are not passed on', async () => {
  let heard = '';
  await backend((socket, text) => {
    heard = text;
    socket.end(`${OK}\r\nhi`);
  });
  await say('GET / HTTP/1.1\r\nHost: x\r\nX_Forwarded_For: 6.6.6.6\r\nX_Mine: yes\r\nConnection: close\r\n\r\n');
  assert.doesNotMatch(heard, /6\.6\.6\.6/);
  assert.match(heard, /\r\nx_mine: yes\r\n/);
});

test('a client has so many requests under way, over however many streams; then there is room again', async () => {
  const waiting: Socket[] = [];
  const all = Promise.withResolvers<void>();
  await backend((socket) => {
    waiting.push(socket);
    if (waiting.length === UNDER_WAY_MAX) all.resolve();
  });
  await withSession(async (first) => {
    const asked = Array.from({ length: UNDER_WAY_MAX }, () => ask(first));
    await all.promise;
    await withSession(async (second) => {
      assert.deepEqual(await Promise.all(Array.from({ length: 30 }, () => ask(second))), Array(30).fill('503'));
    });
    assert.match(await say(GET), /^HTTP\/1.1 503 [^]*too many requests/);
    assert.match(await say(UPGRADE), /^HTTP\/1.1 503 /);
    assert.equal(connections.size, UNDER_WAY_MAX, 'nobody came by');
    for (const socket of waiting) socket.write(`${OK}\r\nhi`);
    assert.deepEqual(await Promise.all(asked), Array(UNDER_WAY_MAX).fill('200'));
  });
  await answering(`${OK}\r\nhi`);
  for (let at = 0; at < 2 * UNDER_WAY_MAX; at++) assert.match(await say(GET), /^HTTP\/1.1 200 /);
});

test('framing behind more lines than anybody reads is not overlooked', async () => {
  await backend((socket) => socket.write(`${OK}\r\nhi`));
  const lines = Array.from({ length: 2500 }, (_, at) => `a${at}: b\r\n`).join('');
  const reply = await say(
    `POST / HTTP/1.1\r\nHost: x\r\n${lines}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  );
  assert.match(reply, /^HTTP\/1.1 431 /);
  assert.equal(routed, 0);
});

/** A connection of HTTP/2 that says these frames; how it ended. */
async function sayFrames(...frames: readonly Buffer[]): Promise<void> {
  const socket = connectTls({ host: '127.0.0.1', port: https, ALPNProtocols: ['h2'], rejectUnauthorized: false });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
  socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), settings, ...frames]));
  socket.resume();
  await once(socket, 'close');
}

/** A frame: its type, flags, stream and bytes. */
function frame(type: number, flags: number, stream: number, payload = Buffer.alloc(0)): Buffer {
  const head = Buffer.from([0, 0, 0, type, flags, 0, 0, 0, 0]);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const HEAD = Buffer.from([0x82, 0x87, 0x84, 0x41, 1, 0x78]);
const FLOODS: readonly (readonly [name: string, frames: readonly Buffer[]])[] = [
  ['heads that go on and on', [frame(1, 1, 1, HEAD), ...Array(20_000).fill(frame(9, 0, 1))]],
  [
    'windows opened by nothing',
    oddStreams(10_000).flatMap((id) => [frame(1, 4, id, HEAD), frame(8, 0, id, Buffer.alloc(4))]),
  ],
  ['settings', Array(20_000).fill(frame(4, 0, 0))],
  [
    'a connection header',
    [frame(1, 5, 1, Buffer.concat([HEAD, literal('connection', 'x')])), frame(7, 0, 0, Buffer.alloc(8))],
  ],
];

function oddStreams(count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => 2 * at + 1);
}

function literal(name: string, value: string): Buffer {
  return Buffer.from(`\0${String.fromCharCode(name.length)}${name}${String.fromCharCode(value.length)}${value}`);
}

for (const [name, frames] of FLOODS) {
  test(`a flood of ${name} ends with its connection`, async () => {
    await backend((socket) => socket.write(`${OK}\r\nhi`));
    await sayFrames(...frames);
    assert.ok(routed < 200, `${routed} were asked for`);
    assert.equal(await withSession((session) => ask(session)), '200');
  });
}

test('a reply whose lines end without CR, as scripts write them, is read', async () => {
  for (const reply of [
    'HTTP/1.0 200 OK\nContent-Type: text/plain\n\nhi',
    'HTTP/1.0 200 OK\r\nContent-Type: text/plain\n\nhi',
    'HTTP/1.1 200 OK\nContent-Length: 2\n\nhi',
  ]) {
    await answering(reply);
    const heard = await say(GET);
    assert.match(heard, /^HTTP\/1\.1 200 OK\r\n/);
    assert.doesNotMatch(heard, /[^\r]\n/);
    assert.match(heard, /hi/);
  }
});

test('a length beside chunks goes no further', async () => {
  await answering('HTTP/1.1 200 OK\r\nContent-Length: 40\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n');
  const heard = await say(GET);
  assert.doesNotMatch(heard, /content-length/i);
  assert.match(heard, /\r\n\r\n2\r\nhi\r\n0\r\n\r\n$/);
});

test('control characters in headers are refused, and those in trailers left out', async () => {
  await answering('HTTP/1.1 200 OK\r\nX-A: a\0b\r\nContent-Length: 2\r\n\r\nhi');
  assert.match(await say(GET), /^HTTP\/1\.1 502 /);
  await answering(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-A: a\x01b\r\n\r\n',
  );
  assert.match(await say(UPGRADE), /^HTTP\/1\.1 502 /);
  await answering(
    'HTTP/1.1 200 OK\r\nTrailer: X-A\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-A: a\x01b\r\n\r\n',
  );
  assert.match(await say(GET), /\r\n\r\n2\r\nhi\r\n0\r\n\r\n$/);
});
