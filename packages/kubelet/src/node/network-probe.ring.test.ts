import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { HttpProbeRequest } from '../ports.ts';
import { nodeNetworkProbe } from './network-probe.ts';

let server: Server;
let port: number;

before(async () => {
  server = createServer((request, response) => {
    if (request.url === '/slow') return;
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

test('TCP', async () => {
  assert.equal(await nodeNetworkProbe.tcp('127.0.0.1', port, 1_000), undefined);
  assert.equal(await nodeNetworkProbe.tcp('127.0.0.1', 1, 1_000), 'dial tcp 127.0.0.1:1: connect: connection refused');
});
