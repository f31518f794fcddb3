/** The doors with real sockets: what their clients get of backends. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { after, afterEach, before, test } from 'node:test';
import { createDuplexPair } from '@binnacle/base';
import { nodeStreamOf } from '@binnacle/base/node';
import { WebSocket, WebSocketServer } from 'ws';
import { DoorsBench, GONE, issue, textOf } from './testing/doors-bench.ts';

const bench = new DoorsBench();
before(() => bench.open());
afterEach(() => bench.clear());
after(() => bench.close());

test('a request and its reply, told who the client is', async () => {
  bench.leadTo(
    await bench.backend(async (request, response) => {
      const body = await textOf(request);
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.writeHead(201, 'Made So', { 'x-path': request.url ?? '' });
      response.end(`${request.method} ${String(request.headers['x-forwarded-for'])} ${request.headers.host} ${body}`);
    }),
  );
  const reply = await bench.page('/a/../b?c', {
    method: 'POST',
    body: 'hello',
    headers: { 'x-forwarded-for': '6.6.6.6' },
  });
  assert.equal(reply.status, 201);
  assert.equal(reply.statusText, 'Made So');
  assert.deepEqual(reply.headers.getSetCookie(), ['a=1', 'b=2']);
  assert.equal(reply.headers.get('x-path'), '/b?c');
  assert.equal(await reply.text(), `POST 127.0.0.1 127.0.0.1:${bench.http} hello`);
  assert.deepEqual(bench.asked, ['127.0.0.1 /b']);
});

test('bodies stream both ways, at the pace of who takes them', async () => {
  const size = 64 * 1024 * 1024;
  let most = 0;
  bench.leadTo(
    await bench.backend((request, response) => {
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
  const reply = await bench.page('/', { method: 'PUT', body, duplex: 'half' } as RequestInit);
  for await (const part of reply.body as AsyncIterable<Uint8Array>) received += part.length;
  assert.equal(received, size);
  assert.ok(most < 32 * 1024 * 1024, `${most} bytes were on their way at once`);
});

test('connections to a backend are kept', async () => {
  let connections = 0;
  const server = createServer((_request, response) => response.end('x'));
  server.on('connection', () => connections++);
  bench.leadTo(await bench.listening(server));
  for (let at = 0; at < 5; at++) await (await bench.page('/')).text();
  assert.equal(connections, 1);
});

test('who is not there is passed over, with the body unsent', async () => {
  const there = await bench.backend(async (request, response) => response.end(await textOf(request)));
  bench.leadTo(GONE, there);
  assert.equal(await (await bench.page('/', { method: 'POST', body: 'whole' })).text(), 'whole');
  bench.leadTo(GONE, GONE, there);
  assert.equal((await bench.page('/')).status, 200);
  bench.leadTo(GONE);
  assert.equal((await bench.page('/')).status, 502);
});

test('who is not there costs one request, and not each that has its turn', async () => {
  const there = await bench.backend((_request, response) => response.end('here'));
  const [gone, other] = [
    { ...GONE, port: 2 },
    { ...GONE, port: 3 },
  ];
  const dialled: number[] = [];
  bench.connectPlace = ({ port }) => {
    if (port === there.port) return undefined;
    return () => {
      dialled.push(port);
      return Promise.reject(new Error('nobody is there'));
    };
  };
  bench.leadTo(gone, other, there);
  for (let at = 0; at < 5; at++) assert.equal(await (await bench.page('/')).text(), 'here');
  assert.deepEqual(dialled, [2, 3]);
  bench.leadTo(gone);
  assert.equal((await bench.page('/')).status, 502);
  assert.deepEqual(dialled, [2, 3, 2], 'where nobody else is, it is asked');
});

test('what a kept connection answered badly is not done a second time', async () => {
  let asked = 0;
  bench.leadTo(
    await bench.backend(({ socket, method }, response) => {
      asked++;
      if (method === 'GET') response.end('kept');
      else socket.write('this is no HTTP\r\n\r\n');
    }),
  );
  assert.equal(await (await bench.page('/')).text(), 'kept');
  assert.deepEqual([(await bench.page('/', { method: 'DELETE' })).status, asked], [502, 2]);
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
  bench.leadTo({ address: '127.0.0.1', port: (server.address() as AddressInfo).port, nodeName: 'n' });
  const statuses = [];
  for (let at = 0; at < 3; at++) statuses.push((await bench.page('/')).status);
  assert.deepEqual(statuses, [200, 200, 200]);
  const before = requests;
  assert.equal((await bench.page('/', { method: 'POST' })).status, 502);
  assert.equal(requests, before + 1, 'what may have been done is not done twice');
  server.close();
});

test('a reply that is cut is cut for the client too', async () => {
  bench.leadTo(
    await bench.backend((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setImmediate(() => response.destroy());
    }),
  );
  await assert.rejects(async () => (await bench.page('/')).text());
});

test('a client that goes away ends it at the backend', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  bench.leadTo(
    await bench.backend((_request, response) => {
      response.write('begun');
      response.once('close', resolve);
    }),
  );
  const gone = new AbortController();
  const reply = await bench.page('/', { signal: gone.signal });
  assert.equal(reply.status, 200);
  gone.abort();
  await promise;
});

test('an answer before the whole request was heard', async () => {
  bench.leadTo(
    await bench.backend((_request, response) => {
      response.writeHead(413, { connection: 'close' });
      response.end('too much');
    }),
  );
  const socket = connect(bench.http, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nsome');
  const [first] = (await once(socket, 'data')) as [Uint8Array];
  assert.match(Buffer.from(first).toString(), /^HTTP\/1.1 413 /);
  socket.destroy();
});

test('trailers, of replies in pieces', async () => {
  bench.leadTo(
    await bench.backend((_request, response) => {
      response.writeHead(200, { trailer: 'x-sum' });
      response.write('body');
      response.addTrailers({ 'x-sum': '42' });
      response.end();
    }),
  );
  assert.match(await bench.say('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'), /\r\nx-sum: 42\r\n/);
});

test('nobody to go to', async () => {
  bench.answer = { kind: 'nowhere', status: 404, message: 'no rule\n' };
  const reply = await bench.page('/');
  assert.deepEqual([reply.status, await reply.text()], [404, 'no rule\n']);
  assert.match(await bench.say(upgradeTo('websocket')), /^HTTP\/1.1 404 /);
});

const upgradeTo = (protocol: string): string =>
  `GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`;

test('another protocol than WebSocket is asked for in vain', async () => {
  bench.leadTo(await bench.backend((request, response) => response.end(`plain ${request.headers.upgrade}`)));
  const reply = await bench.say(upgradeTo('h2c').replace('Connection: Upgrade', 'Connection: Upgrade, close'));
  assert.match(reply, /^HTTP\/1.1 200 [^]*plain undefined/);
});

test('WebSocket, through either door', async () => {
  const server = createServer();
  const echo = new WebSocketServer({ server });
  echo.on('connection', (socket, request) => {
    socket.send(`path ${request.url} ${String(request.headers['x-forwarded-proto'])}`);
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  bench.leadTo(await bench.listening(server));
  for (const url of [`ws://127.0.0.1:${bench.http}/chat`, `wss://127.0.0.1:${bench.https}/chat`]) {
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
  bench.leadTo(
    await bench.backend((_request, response) => {
      response.writeHead(426, { 'x-why': 'not here' });
      response.end('upgrade required');
    }),
  );
  assert.match(await bench.say(upgradeTo('websocket')), /^HTTP\/1.1 426 [^]*x-why: not here[^]*upgrade required/);
  bench.leadTo(GONE);
  assert.match(await bench.say(upgradeTo('websocket')), /^HTTP\/1.1 502 /);
});

test('a backend that wants TLS', async () => {
  const { certificate: cert, key } = issue('pod.example');
  const place = await bench.listening(
    createTlsServer({ cert, key }, (_request, response) => response.end('secret')) as unknown as Server,
  );
  bench.answer = { kind: 'places', places: [place], protocol: 'https' };
  assert.equal(await (await bench.page('/')).text(), 'secret');
});

test('a pod that no address leads to', async () => {
  bench.leadTo(GONE);
  const server = createServer((_request, response) => response.end('from afar'));
  bench.connectPlace = () => async () => {
    const [ours, theirs] = createDuplexPair();
    server.emit('connection', nodeStreamOf(theirs) as Socket);
    return ours;
  };
  assert.equal(await (await bench.page('/')).text(), 'from afar');
});

test('who may not come in hears nothing', async () => {
  bench.leadTo(await bench.backend((_request, response) => response.end('reached')));
  bench.letsIn = false;
  const ask = (): Promise<string> =>
    bench.say('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n').catch(() => '');
  assert.equal(await ask(), '');
  bench.letsIn = true;
  assert.match(await ask(), /reached/);
});

test('a port that is taken is said; doors close, with what waits on them', async () => {
  const taken = bench.doorsOn({ http: bench.http, https: 0 });
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
