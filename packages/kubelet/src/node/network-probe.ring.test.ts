import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { HttpProbeRequest } from '../network-probe.ts';
import { nodeNetworkProbe } from './network-probe.ts';

let server: Server;
let port: number;

before(async () => {
  server = createServer((request, response) => {
    if (request.url === '/slow') return;
    if (request.url === '/endless') {
      response.on('error', () => undefined);
      response.write('x'.repeat(100 * 1024));
      return;
    }
    const [, to] = /^\/to\?(.*)$/.exec(request.url ?? '') ?? [];
    if (to !== undefined) {
      response.writeHead(302, { location: decodeURIComponent(to) }).end('gone there');
      return;
    }
    if (request.url === '/moved') {
      response.writeHead(302).end('gone there');
      return;
    }
    if (request.url === '/headers') {
      response.end(JSON.stringify(request.rawHeaders));
      return;
    }
    response.statusCode = request.url === '/bad' ? 503 : 200;
    response.end(`${request.headers['user-agent'] ?? ''} ${String(request.headers['x-a'])}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const request = (of: Partial<HttpProbeRequest>): HttpProbeRequest => ({
  scheme: 'HTTP',
  host: '127.0.0.1',
  port,
  path: '/',
  headers: [],
  timeoutMs: 2_000,
  ...of,
});

// Node's timers ring at once for it.
test('a timeout of more than 24 days is no short one', async () => {
  const timeoutMs = 2_147_483_647_000;
  assert.equal(((await nodeNetworkProbe.http(request({ timeoutMs }))) as { status: number }).status, 200);
  assert.equal(await nodeNetworkProbe.tcp('127.0.0.1', port, timeoutMs), undefined);
});

test('answers', async () => {
  assert.deepEqual(await nodeNetworkProbe.http(request({ headers: [{ name: 'X-A', value: 'b' }] })), {
    status: 200,
    body: 'kube-probe/1.36 b',
  });
  assert.equal(((await nodeNetworkProbe.http(request({ path: '/bad' }))) as { status: number }).status, 503);
});

test('failures in the words that users know', async () => {
  assert.deepEqual(await nodeNetworkProbe.http(request({ port: 1 })), {
    error: 'Get "http://127.0.0.1:1/": dial tcp 127.0.0.1:1: connect: connection refused',
  });
  const slow = (await nodeNetworkProbe.http(request({ path: '/slow', timeoutMs: 50 }))) as { error: string };
  assert.match(slow.error, /context deadline exceeded \(Client\.Timeout exceeded while awaiting headers\)/);
});

const to = (location: string): string => `/to?${encodeURIComponent(location)}`;
const REDIRECTS: readonly [name: string, path: () => string, wanted: (port: number) => object][] = [
  ['on the same host', () => to('/'), () => ({ status: 200, body: 'kube-probe/1.36 undefined' })],
  [
    'twice, once in full',
    () => to(`http://127.0.0.1:${port}${to('/bad')}`),
    () => ({ status: 503, body: 'kube-probe/1.36 undefined' }),
  ],
  ['to another host', () => to('http://192.0.2.1/x'), () => ({ status: 302, body: 'gone there' })],
  ['to another scheme', () => to('ftp://127.0.0.1/x'), () => ({ status: 302, body: 'gone there' })],
  ['without a place', () => '/moved', () => ({ status: 302, body: 'gone there' })],
];

for (const [name, path, wanted] of REDIRECTS) {
  test(`sent on ${name}`, async () =>
    assert.deepEqual(await nodeNetworkProbe.http(request({ path: path() })), wanted(port)));
}

test('sent on for ever, it stops after ten', async () => {
  let around = '/';
  for (let i = 0; i < 12; i++) around = to(around);
  const { error } = (await nodeNetworkProbe.http(request({ path: around }))) as { error: string };
  assert.match(error, /: stopped after 10 redirects$/);
});

test('a body without end is read as far as it is shown', async () => {
  const answer = (await nodeNetworkProbe.http(request({ path: '/endless' }))) as { status: number; body: string };
  assert.deepEqual([answer.status, answer.body.length], [200, 10 * 1024]);
});

test('headers go as they are given: twice where they are given twice, without those that are emptied', async () => {
  const headers = [
    { name: 'x-a', value: '1' },
    { name: 'X-A', value: '2' },
    { name: 'accept', value: '' },
    { name: 'Host', value: 'other.example' },
  ];
  const { body } = (await nodeNetworkProbe.http(request({ path: '/headers', headers }))) as { body: string };
  assert.deepEqual(
    (JSON.parse(body) as string[]).join(' '),
    'X-A 1 X-A 2 User-Agent kube-probe/1.36 Host other.example Connection close',
  );
});

test('a header that cannot be sent is a failure', async () => {
  const { error } = (await nodeNetworkProbe.http(request({ headers: [{ name: 'X', value: 'a\nb' }] }))) as {
    error: string;
  };
  assert.match(error, /^Get "http:.*": .*header/i);
});

test('TCP', async () => {
  assert.equal(await nodeNetworkProbe.tcp('127.0.0.1', port, 1_000), undefined);
  assert.equal(await nodeNetworkProbe.tcp('127.0.0.1', 1, 1_000), 'dial tcp 127.0.0.1:1: connect: connection refused');
});

test('who is asked by TLS and speaks none: said in Go’s words, and told apart', async () => {
  assert.deepEqual(await nodeNetworkProbe.http(request({ scheme: 'HTTPS', path: '/bad' })), {
    error: `Get "https://127.0.0.1:${port}/bad": http: server gave HTTP response to HTTPS client`,
    speaksPlain: true,
  });
  const nobody = (await nodeNetworkProbe.http(request({ scheme: 'HTTPS', port: 1 }))) as { speaksPlain?: true };
  assert.equal(nobody.speaksPlain, undefined);
});

test('hooks say that they are hooks', async () => {
  const { body } = (await nodeNetworkProbe.http(request({ userAgent: 'kube-lifecycle' }))) as { body: string };
  assert.match(body, /^kube-lifecycle\/1\.36 /);
});

test('an answer whose lines end without CR, as scripts write them, is one', async () => {
  const plain = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end('HTTP/1.0 200 OK\nContent-Type: text/plain\n\nhi'));
  });
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  try {
    const answer = await nodeNetworkProbe.http(request({ port: (plain.address() as AddressInfo).port }));
    assert.deepEqual(answer, { status: 200, body: 'hi' });
  } finally {
    plain.close();
  }
});
