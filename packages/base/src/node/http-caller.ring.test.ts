import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { connect as connectTcp, createServer as createTcpServer } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readAll } from '../duplex.ts';
import { AbortedError } from '../error.ts';
import type { HttpReply, HttpUpgraded } from '../http.ts';
import { HttpConnectError, HttpTimeoutError } from '../http-errors.ts';
import { makeTestCertificate } from '../testing/certificate.ts';
import { createHttpCaller } from './http-caller.ts';
import { duplexOf } from './stream-duplex.ts';
import { makeTestFolder } from '../testing/test-folder.ts';

const HOST = '127.0.0.1';
const identity = makeTestCertificate([`IP:${HOST}`, 'DNS:web.default.svc']);
const client = makeTestCertificate([], '/CN=kubelet/O=system:nodes');
const trust = { ca: identity.cert };
const caller = createHttpCaller({ idlePerHost: 1 });
const sockets = new Set<Socket>();
let server: Server;
let url = '';
let port = 0;
let handle: (request: IncomingMessage, response: ServerResponse) => void;

before(async () => {
  server = createServer({ ...identity, requestCert: true, ca: client.cert, rejectUnauthorized: false });
  server.on('request', (request, response) => handle(request, response));
  server.on('secureConnection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  url = `https://${HOST}:${port}`;
});

after(async () => {
  await caller.close();
  server.close();
  (server as Server & { closeAllConnections(): void }).closeAllConnections();
  await once(server, 'close');
});

async function textOf(reply: HttpReply | HttpUpgraded): Promise<string> {
  assert.ok('body' in reply);
  const parts: Uint8Array[] = [];
  for await (const part of reply.body) parts.push(part);
  return Buffer.concat(parts).toString();
}

const message = (wanted: string | RegExp) => (error: Error) => {
  assert.ok(error instanceof HttpConnectError, String(error));
  if (typeof wanted === 'string') assert.equal(error.message, wanted);
  else assert.match(error.message, wanted);
  return true;
};

test('a body goes there and one comes back; the connection is used again', async () => {
  handle = (request, response) => {
    const parts: Uint8Array[] = [];
    request.on('data', (part: Uint8Array) => parts.push(part));
    request.on('end', () => response.end(`${request.method} ${request.url} ${Buffer.concat(parts).toString()}`));
  };
  const call = { method: 'POST', url: `${url}/x?timeout=1s`, trust, body: new TextEncoder().encode('hi') };
  assert.equal(await textOf(await caller.request(call)), 'POST /x?timeout=1s hi');
  const ports = new Set([...sockets].map((socket) => socket.remotePort));
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode('a');
    yield new TextEncoder().encode('b');
  }
  assert.equal(await textOf(await caller.request({ ...call, body: pieces() })), 'POST /x?timeout=1s ab');
  assert.deepEqual(new Set([...sockets].map((socket) => socket.remotePort)), ports);
});

test('the dialled address is another than the host, whose name the certificate must carry', async () => {
  handle = (request, response) => response.end(`${request.headers.host} ${(request.socket as TLSSocket).servername}`);
  const dial = { host: HOST, port };
  const call = { method: 'GET', url: 'https://web.default.svc:443/', trust, dial };
  assert.equal(await textOf(await caller.request(call)), 'web.default.svc web.default.svc');
  await assert.rejects(
    caller.request({ ...call, url: 'https://api.default.svc:443/' }),
    message(
      'Get "https://api.default.svc:443/": tls: failed to verify certificate: x509: certificate is valid for web.default.svc, not api.default.svc',
    ),
  );
});

test('an address is checked as such, also where another is dialled', async () => {
  handle = (_request, response) => response.end('ok');
  const call = { method: 'GET', url: 'https://127.0.0.9:443/', trust, dial: { host: HOST, port } };
  await assert.rejects(caller.request(call), message(/x509: certificate is valid for 127\.0\.0\.1, not 127\.0\.0\.9$/));
  assert.equal(
    await textOf(await caller.request({ ...call, trust: { ...trust, serverName: 'web.default.svc' } })),
    'ok',
  );
});

test('a connection is not lent to who trusts others', async () => {
  handle = (_request, response) => response.end('ok');
  await textOf(await caller.request({ method: 'GET', url, trust }));
  await assert.rejects(
    caller.request({ method: 'GET', url, trust: { ca: client.cert } }),
    message(/^Get ".*": tls: failed to verify certificate: x509: certificate signed by unknown authority$/),
  );
  assert.equal(await textOf(await caller.request({ method: 'GET', url, trust: { insecure: true } })), 'ok');
});

test('a client certificate is shown', async () => {
  handle = (request, response) => response.end((request.socket as TLSSocket).getPeerCertificate().subject?.CN);
  const known = { ...trust, certificate: client.cert, key: client.key };
  assert.equal(await textOf(await caller.request({ method: 'GET', url, trust: known })), 'kubelet');
});

test('no reply in time, and a call that is taken back', async () => {
  handle = () => undefined;
  await assert.rejects(caller.request({ method: 'POST', url: `${url}/?timeout=1s`, trust, timeoutMs: 50 }), (error) => {
    assert.ok(error instanceof HttpTimeoutError);
    return error.message === `Post "${url}/?timeout=1s": context deadline exceeded`;
  });
  const abort = new AbortController();
  const asked = caller.request({ method: 'GET', url, trust, signal: abort.signal });
  abort.abort();
  await assert.rejects(asked, AbortedError);
  await assert.rejects(caller.request({ method: 'GET', url, trust, signal: abort.signal }), AbortedError);
});

test('a call that is taken back while its reply ends ends nothing else', async () => {
  handle = (_request, response) => void response.end('hello');
  for (const method of ['GET', 'HEAD']) {
    const gone = new AbortController();
    const reply = await caller.request({ method, url, headers: {}, trust, signal: gone.signal });
    const reading = reply.body[Symbol.asyncIterator]().next();
    gone.abort();
    await Promise.allSettled([reading]);
    // Whatever the socket still says is said by then: it has no listener, and ends the process.
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(await textOf(await caller.request({ method: 'GET', url, headers: {}, trust })), 'hello');
});

test('who hangs at one place leaves the others their connections', async () => {
  const bounded = createHttpCaller({ connectionsMax: 4, connectionsPerPlace: 2 });
  const stop = new AbortController();
  let hanging = 0;
  const both = new Promise<void>((resolve) => {
    handle = (request, response) => {
      if (request.url === '/answers') response.end('here');
      else if (++hanging === 2) resolve();
    };
  });
  const held = Array.from({ length: 10 }, () =>
    assert.rejects(bounded.request({ method: 'GET', url: `${url}/hangs`, trust, signal: stop.signal }), AbortedError),
  );
  await both;
  // The same socket of this machine, by another name.
  const dial = { host: HOST, port };
  const other = { method: 'GET', url: `https://web.default.svc:${port}/answers`, trust, dial };
  assert.equal(await textOf(await bounded.request(other)), 'here');
  assert.equal(hanging, 2);
  stop.abort();
  await Promise.all(held);
  await bounded.close();
});

test('a certificate without alternative names is believed by nobody, whatever its subject is called', async () => {
  const named = makeTestCertificate([], '/CN=web.default.svc');
  const others = createServer({ cert: named.cert, key: named.key }, (_request, response) => response.end('believed'));
  others.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 101 UPGRADED\r\nconnection: upgrade\r\n\r\n'));
  others.listen(0, HOST);
  await once(others, 'listening');
  const { port: there } = others.address() as AddressInfo;
  const dial = { host: HOST, port: there };
  for (const [name, why] of [
    ['web.default.svc', 'certificate relies on legacy Common Name field, use SANs instead'],
    ['other.default.svc', 'certificate is not valid for any names, but wanted to match other.default.svc'],
    [HOST, `cannot validate certificate for ${HOST} because it doesn't contain any IP SANs`],
  ] as const) {
    const call = { method: 'GET', url: `https://${name}:${there}/`, trust: { ca: named.cert }, dial };
    const refused = message(`Get "${call.url}": tls: failed to verify certificate: x509: ${why}`);
    await assert.rejects(caller.request(call), refused);
    await assert.rejects(caller.upgrade({ ...call, headers: { upgrade: 'x' } }), refused);
  }
  others.close();
  others.closeAllConnections();
  await once(others, 'close');
});

test('nobody there, and a port that speaks no TLS', async () => {
  const plain = createHttpServer((_request, response) => response.end('plain'));
  plain.listen(0, HOST);
  await once(plain, 'listening');
  const place = `${HOST}:${(plain.address() as AddressInfo).port}`;
  assert.equal(await textOf(await caller.request({ method: 'GET', url: `http://${place}/` })), 'plain');
  await assert.rejects(
    caller.request({ method: 'GET', url: `https://${place}/`, trust }),
    message(`Get "https://${place}/": http: server gave HTTP response to HTTPS client`),
  );
  plain.close();
  plain.closeAllConnections();
  await once(plain, 'close');
  await assert.rejects(
    caller.request({ method: 'GET', url: `http://${place}/` }),
    message(`Get "http://${place}/": dial tcp ${place}: connect: connection refused`),
  );
});

test('a connection that is closed before the reply, or in the middle of it', async () => {
  const rude = createTcpServer((socket) => {
    socket.once('data', (data) => {
      if (data.toString().includes('/half')) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf');
      else socket.end();
    });
    socket.on('error', () => undefined);
  });
  rude.listen(0, HOST);
  await once(rude, 'listening');
  const place = `http://${HOST}:${(rude.address() as AddressInfo).port}`;
  await assert.rejects(caller.request({ method: 'GET', url: `${place}/` }), message(`Get "${place}/": EOF`));
  const half = await caller.request({ method: 'GET', url: `${place}/half` });
  await assert.rejects(textOf(half), message(`Get "${place}/half": unexpected EOF`));
  rude.close();
  await once(rude, 'close');
});

test('a kept connection that the server closed meanwhile is no failure of a GET', async () => {
  let asked = 0;
  const hasty = createTcpServer((socket) => {
    let first = true;
    socket.on('data', () => {
      asked++;
      // The second request on a connection finds it closed.
      if (first) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      else socket.destroy();
      first = false;
    });
    socket.on('error', () => undefined);
  });
  hasty.listen(0, HOST);
  await once(hasty, 'listening');
  const place = `http://${HOST}:${(hasty.address() as AddressInfo).port}/`;
  assert.equal(await textOf(await caller.request({ method: 'GET', url: place })), 'ok');
  assert.equal(await textOf(await caller.request({ method: 'GET', url: place })), 'ok');
  assert.equal(asked, 3);
  await assert.rejects(caller.request({ method: 'POST', url: place }), HttpConnectError);
  await caller.close();
  hasty.close();
  await once(hasty, 'close');
});

test('a reader who leaves drops the connection, also before the first piece', async () => {
  for (const early of [true, false]) {
    let gone: Promise<unknown> = Promise.resolve();
    handle = (_request, response) => {
      gone = once(response, 'close');
      response.write('x'.repeat(1000));
    };
    const reply = await caller.request({ method: 'GET', url, trust });
    const pieces = reply.body[Symbol.asyncIterator]();
    if (!early) await pieces.next();
    await pieces.return?.();
    await gone;
  }
});

test('a slow reader holds the sender back', async () => {
  let written = 0;
  let held: () => void = () => undefined;
  const stalled = new Promise<void>((resolve) => {
    held = resolve;
  });
  handle = (_request, response) => {
    const piece = Buffer.alloc(64 * 1024);
    const more = (): void => {
      for (; written < 64 * 1024 * 1024; written += piece.length) {
        if (!response.write(piece)) {
          setTimeout(held, 100);
          response.once('drain', more);
          written += piece.length;
          return;
        }
      }
      response.end();
    };
    more();
  };
  const reply = await caller.request({ method: 'GET', url, trust });
  await stalled;
  assert.ok(written < 32 * 1024 * 1024, `${written} bytes were sent to nobody`);
  await reply.body[Symbol.asyncIterator]().return?.();
});

test('a certificate that is in the bundle itself is believed, though its issuer is unknown', async () => {
  const leaf = makeTestCertificate([`IP:${HOST}`], '/CN=leaf', identity);
  const other = createServer({ ...leaf }, (_request, response) => response.end('ok'));
  other.listen(0, HOST);
  await once(other, 'listening');
  const call = { method: 'GET', url: `https://${HOST}:${(other.address() as AddressInfo).port}/` };
  assert.equal(await textOf(await caller.request({ ...call, trust: { ca: leaf.cert } })), 'ok');
  assert.equal(await textOf(await caller.request({ ...call, trust: { ca: identity.cert } })), 'ok');
  await assert.rejects(
    caller.request({ ...call, trust: { ca: client.cert } }),
    message(/certificate signed by unknown/),
  );
  other.close();
  other.closeAllConnections();
  await once(other, 'close');
});

test('an upgrade hands over the stream with what came behind the head; a refusal is a reply', async () => {
  server.once('upgrade', (request: IncomingMessage, socket: Socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${request.headers.upgrade}\r\n\r\nfirst `,
    );
    socket.once('data', (data) => socket.end(data));
  });
  const call = { method: 'POST', url: `${url}/exec`, trust, headers: { upgrade: 'SPDY/3.1' } };
  const upgraded = await caller.upgrade(call);
  assert.ok('stream' in upgraded);
  assert.equal(upgraded.headers['upgrade'], 'SPDY/3.1');
  await upgraded.stream.write(new TextEncoder().encode('echo'));
  await upgraded.stream.end();
  assert.equal(new TextDecoder().decode(await readAll(upgraded.stream, 100)), 'first echo');
  assert.equal(await upgraded.stream.closed, undefined);
  handle = (_request, response) => response.writeHead(403).end('no');
  const refused = await caller.upgrade(call);
  assert.equal(refused.status, 403);
  assert.equal(await textOf(refused), 'no');
});

test('an address that is not permitted is not connected to, whether it is given or looked up', async () => {
  handle = (_request, response) => response.end('ok');
  const asked: string[] = [];
  const permits = (address: string): boolean => {
    asked.push(address);
    return !/^127\.|^::1$/.test(address);
  };
  for (const host of [HOST, 'localhost']) {
    const there = `https://${host}:${port}/`;
    const refused = message(`Get "${there}": address not allowed`);
    await assert.rejects(caller.request({ method: 'GET', url: there, trust, permits }), refused);
    await assert.rejects(caller.upgrade({ method: 'GET', url: there, trust, permits }), refused);
  }
  assert.ok(asked.length >= 4);
  assert.equal(await textOf(await caller.request({ method: 'GET', url, trust, permits: () => true })), 'ok');
});

test('on a connection that is handed in; one that cannot be made is a failure to dial', async () => {
  const plain = createHttpServer((request, response) => response.end(`${request.method} ${request.url}`));
  plain.listen(0, HOST);
  await once(plain, 'listening');
  const at = (plain.address() as AddressInfo).port;
  const connect = async () => {
    const socket = connectTcp(at, HOST);
    await once(socket, 'connect');
    return duplexOf(socket);
  };
  const call = { method: 'GET', url: 'http://10.64.0.9:80/x' };
  assert.equal(await textOf(await caller.request({ ...call, connect })), 'GET /x');
  const failing = () => Promise.reject(new RangeError('nothing listens'));
  await assert.rejects(
    caller.request({ ...call, connect: failing }),
    message('Get "http://10.64.0.9:80/x": nothing listens'),
  );
  plain.close();
  plain.closeAllConnections();
  await once(plain, 'close');
});

test('over a socket of the file system, kept for the next call, and upgraded', async () => {
  const folder = makeTestFolder().path;
  const socketPath = join(folder, 'engine.sock');
  const connections = new Set<Socket>();
  const plain = createHttpServer((request, response) => response.end(`${request.headers.host} ${request.url}`));
  plain.on('connection', (socket: Socket) => connections.add(socket));
  plain.on('upgrade', (_request, socket) =>
    socket.end('HTTP/1.1 101 UPGRADED\r\nconnection: upgrade\r\nupgrade: tcp\r\n\r\nraw'),
  );
  plain.listen(socketPath);
  await once(plain, 'listening');
  const call = { method: 'GET', url: 'http://engine/x', socketPath };
  try {
    for (let i = 0; i < 2; i++) assert.equal(await textOf(await caller.request(call)), 'engine /x');
    assert.equal(connections.size, 1);
    const upgraded = await caller.upgrade({ ...call, headers: { upgrade: 'tcp' } });
    assert.ok('stream' in upgraded);
    assert.equal(Buffer.from(await readAll(upgraded.stream, 100)).toString(), 'raw');
    upgraded.stream.abort();
    await assert.rejects(caller.request({ ...call, socketPath: `${socketPath}.none` }), HttpConnectError);
  } finally {
    plain.close();
    plain.closeAllConnections();
    await rm(folder, { recursive: true });
  }
});

test('an answer that begins in time and never ends is no answer in time', async () => {
  handle = (_request, response) => {
    response.write('begun');
  };
  const reply = await caller.request({ method: 'GET', url, trust, timeoutMs: 100 });
  await assert.rejects(textOf(reply), HttpTimeoutError);
});

test('a change of protocol that nobody asked for, and hints without end, are failures of the call', async () => {
  const rows: readonly (readonly [reply: string, why: RegExp])[] = [
    ['HTTP/1.1 101 Yes\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n', /unexpected 101 Switching Protocols$/],
    ['HTTP/1.1 103 Early\r\n\r\n'.repeat(1000), /too many 1xx informational responses$/],
  ];
  for (const [said, why] of rows) {
    const plain = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.write(said));
    });
    plain.listen(0, HOST);
    await once(plain, 'listening');
    const there = `http://${HOST}:${(plain.address() as AddressInfo).port}/`;
    await assert.rejects(caller.request({ method: 'GET', url: there }), message(why));
    plain.close();
    await once(plain, 'close');
  }
});

/** A server without TLS that says these bytes to whoever asks, and hangs up. */
async function saying(text: string, use: (url: string) => Promise<void>): Promise<void> {
  const plain = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.from(text, 'latin1')));
  });
  plain.listen(0, HOST);
  await once(plain, 'listening');
  try {
    await use(`http://${HOST}:${(plain.address() as AddressInfo).port}`);
  } finally {
    plain.close();
  }
}

test('a reply whose lines end without CR, as scripts write them, is read', () =>
  saying('HTTP/1.0 200 OK\nContent-Type: text/plain\n\nhi', async (place) => {
    const reply = await caller.request({ method: 'GET', url: place });
    assert.deepEqual({ ...reply.headers }, { 'content-type': 'text/plain' });
    assert.equal(await textOf(reply), 'hi');
  }));

test('a length beside chunks does not count', () =>
  saying(
    'HTTP/1.1 200 OK\r\nContent-Length: 40\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n',
    async (place) => {
      const reply = await caller.request({ method: 'GET', url: place });
      assert.equal(reply.headers['content-length'], undefined);
      assert.equal(await textOf(reply), 'hi');
    },
  ));

for (const status of ['200 OK', '101 Switching Protocols']) {
  test(`control characters in headers of ${status} are refused`, () =>
    saying(`HTTP/1.1 ${status}\r\nConnection: upgrade\r\nUpgrade: x\r\nX-A: a\0b\r\n\r\n`, async (place) => {
      const call = { method: 'GET', url: place, headers: { upgrade: 'x' } };
      await assert.rejects(caller.upgrade(call), message(/malformed MIME header line/));
    }));
}
