/** What passes through `proxy` of pods and services over real sockets, HTTP/1.1 and HTTP/2. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import type { RequestOptions } from 'node:https';
import { connect as connectTcp } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createHttpCaller, duplexOf } from '@binnacle/base/node';
import { LOOPBACK_USER } from '../own-calls.ts';
import type { PodPort } from '../ports/nodes.ts';
import { startListeningServer } from './testing/listening-server.ts';
import type { ListeningServer } from './testing/listening-server.ts';

const HOST = '127.0.0.1';
const POD = '/api/v1/namespaces/default/pods/web/proxy';
const http = createHttpCaller();
const dialled: PodPort[] = [];
let server: ListeningServer['server'];
let listener: ListeningServer['listener'];
let certificates: ListeningServer['certificates'];
let started: ListeningServer;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const backend = createServer((asked, response) => answer(asked, response));
let backendPort = 0;

function unasked(): Promise<never> {
  return Promise.reject(new RangeError('no kubelet is asked'));
}

/** The pod's address leads nowhere: connections go to the web server of this test. */
function connectPod(port: PodPort) {
  return async () => {
    dialled.push(port);
    const socket = connectTcp(backendPort, HOST);
    await once(socket, 'connect');
    return duplexOf(socket);
  };
}

before(async () => {
  backend.listen(0, HOST);
  await once(backend, 'listening');
  backendPort = (backend.address() as AddressInfo).port;
  const nodes = { get: unasked, open: unasked, forward: unasked, connectPod };
  started = await startListeningServer({ server: { passing: http, nodes } });
  ({ server, listener, certificates } = started);
  await fill();
});

after(async () => {
  await started.close();
  await http.close();
  backend.closeAllConnections();
  backend.close();
  await once(backend, 'close');
});

async function fill(): Promise<void> {
  const wire = server.clientAs(LOOPBACK_USER);
  const put = (resource: string, body: object, group = ''): Promise<unknown> =>
    wire.call({ verb: 'create', resource: { group, version: 'v1', resource }, namespace: 'default', body });
  const pods = [
    ['web', '10.64.0.9'],
    ['local', '127.0.0.1'],
    ['link', '169.254.169.254'],
    ['none', ''],
  ] as const;
  const status = { verb: 'update', subresource: 'status', namespace: 'default' } as const;
  for (const [name, ip] of pods) {
    const containers = [
      { name: 'a', image: 'i' },
      { name: 'b', image: 'i', ports: [{ containerPort: 8080 }, { containerPort: 9090 }] },
    ];
    const made = await put('pods', { metadata: { name }, spec: { nodeName: 'n', containers } });
    const body = { ...(made as object), status: { podIPs: ip === '' ? [] : [{ ip }] } };
    await wire.call({ ...status, resource: { group: '', version: 'v1', resource: 'pods' }, name, body });
  }
  const ports = [
    { name: 'http', port: 80, protocol: 'TCP' },
    { name: 'other', port: 81, protocol: 'TCP' },
  ];
  for (const [name, podName, ip] of [
    ['web', 'web', '10.64.0.9'],
    ['forged', 'web', '10.64.0.10'],
  ] as const) {
    const service = { metadata: { name }, spec: { ports, clusterIP: 'None', clusterIPs: ['None'] } };
    await put('services', service);
    const slice = {
      metadata: { name, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: [
        { name: 'http', port: 8000, protocol: 'TCP' },
        { name: 'other', port: 8001, protocol: 'TCP' },
      ],
      endpoints: [
        {
          addresses: [ip],
          conditions: { ready: true },
          targetRef: { kind: 'Pod', name: podName, namespace: 'default' },
        },
      ],
    };
    await put('endpointslices', slice, 'discovery.k8s.io');
  }
}

interface Got {
  readonly code: number;
  readonly headers: { readonly [name: string]: unknown };
  readonly text: string;
}

function open(path: string, options: RequestOptions = {}) {
  return request({ host: HOST, port: listener.port, path, ca: certificates.ca, agent: false, ...options });
}

async function ask(path: string, options: RequestOptions & { readonly body?: string } = {}): Promise<Got> {
  const sent = open(path, options);
  sent.end(options.body);
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  const parts: Uint8Array[] = [];
  for await (const part of reply) parts.push(part as Uint8Array);
  return { code: reply.statusCode ?? 0, headers: reply.headers, text: Buffer.concat(parts).toString() };
}

/** Tells what it was asked. */
function mirror(asked: IncomingMessage, response: ServerResponse): void {
  const parts: Uint8Array[] = [];
  asked.on('data', (part: Uint8Array) => parts.push(part));
  asked.on('end', () => {
    const { method, url, headers } = asked;
    response.setHeader('x-mirror', 'yes');
    response.setHeader('connection', 'close, x-private');
    response.setHeader('x-private', 'hop');
    response.setHeader('access-control-allow-origin', '*');
    response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(parts).toString() }));
  });
}

for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
  test(`${method} goes on with its query, body and headers, and without what is for this server`, async () => {
    answer = mirror;
    dialled.length = 0;
    const body = method === 'GET' || method === 'OPTIONS' ? undefined : 'a body';
    const headers = {
      authorization: 'Bearer secret',
      'x-remote-user': 'nobody',
      accept: 'text/html',
      cookie: 'a=b',
      connection: 'x-hop',
      'x-hop': '1',
      ...(body === undefined ? {} : { 'content-type': 'text/plain', 'content-length': body.length }),
    };
    const options = { method, headers, ...(body === undefined ? {} : { body }) };
    const got = await ask(`${POD}/a%2Fb//c/?dryRun=x&y=%20&y=2`, options);
    assert.equal(got.code, 200);
    const told = JSON.parse(got.text) as { headers: { [name: string]: string } } & { [field: string]: unknown };
    assert.deepEqual(
      [told['method'], told['url'], told['body']],
      [method, '/a%2Fb//c/?dryRun=x&y=%20&y=2', body ?? ''],
    );
    const { headers: seen } = told;
    assert.deepEqual([seen['accept'], seen['cookie'], seen['x-forwarded-for']], ['text/html', 'a=b', HOST]);
    assert.equal(seen['x-forwarded-uri'], `${POD}/a%2Fb//c/`);
    assert.equal(seen['host'], `${HOST}:${listener.port}`);
    for (const name of ['authorization', 'x-remote-user', 'x-hop']) assert.equal(seen[name], undefined, name);
    assert.deepEqual([got.headers['x-mirror'], got.headers['content-security-policy']], ['yes', 'sandbox']);
    assert.deepEqual([got.headers['x-private'], got.headers['access-control-allow-origin']], [undefined, undefined]);
    assert.deepEqual(
      dialled.map(({ name, address, port }) => [name, address, port]),
      [['web', '10.64.0.9', 8080]],
    );
  });
}

test('HEAD has the head that a GET would have', async () => {
  answer = (_asked, response) => response.writeHead(200, { 'content-length': '1234', 'x-a': 'b' }).end();
  const { code, headers, text } = await ask(`${POD}/`, { method: 'HEAD' });
  assert.deepEqual([code, headers['content-length'], headers['x-a'], text], [200, '1234', 'b', '']);
});

test('over HTTP/2: body and answer in pieces', async () => {
  answer = mirror;
  const session = connectHttp2(`https://${HOST}:${listener.port}`, { ca: certificates.ca });
  const stream = session.request(
    { ':method': 'DELETE', ':path': `${POD}/x`, cookie: ['a=1', 'b=2'] },
    { endStream: false },
  );
  stream.write('first ');
  stream.end('last');
  const [headers] = (await once(stream, 'response')) as [{ ':status'?: number }];
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part as Uint8Array);
  session.close();
  const told = JSON.parse(Buffer.concat(parts).toString()) as { headers: object; body: string };
  assert.deepEqual([headers[':status'], told.body], [200, 'first last']);
  const seen = told.headers as { [name: string]: string };
  assert.deepEqual([seen['transfer-encoding'], seen['cookie']], ['chunked', 'a=1; b=2']);
});

test('without a slash behind it a page would lose its links: 301, with the query', async () => {
  answer = mirror;
  for (const method of ['GET', 'HEAD']) {
    const { code, headers } = await ask(`${POD}?a=b`, { method });
    assert.deepEqual([code, headers['location']], [301, `${POD}/?a=b`]);
  }
  assert.equal((await ask(POD, { method: 'POST' })).code, 200);
});

test('links and redirects of a page lead through the proxy again, packed pages too', async () => {
  const page = `<a href="/x?a=1&amp;b=2">ä</a><img src=/i.png><a href='rel'><a href="http://other/">`;
  const wanted = `<a href="${POD}/x?a=1&amp;b=2">ä</a><img src=${POD}/i.png><a href='rel'><a href="http://other/">`;
  answer = (asked, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (asked.url === '/moved') return response.writeHead(302, { location: '/there/' }).end('<a href="/x">');
    if (asked.url !== '/packed') return response.end(page);
    const packed = gzipSync(page);
    return response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': packed.length }).end(packed);
  };
  assert.equal((await ask(`${POD}/plain`)).text, wanted);
  const packed = await ask(`${POD}/packed`);
  assert.deepEqual([packed.text, packed.headers['content-encoding']], [wanted, undefined]);
  const moved = await ask(`${POD}/moved`);
  assert.deepEqual([moved.code, moved.headers['location'], moved.text], [302, `${POD}/there/`, '<a href="/x">']);
});

const SIZE = 512 << 20;
const PIECE = Buffer.alloc(64 * 1024, 'x');

test('large bodies pass both ways in little memory', { timeout: 60_000 }, async () => {
  answer = (asked, response) => {
    asked.pipe(response);
  };
  const sent = open(`${POD}/echo`, { method: 'POST', headers: { 'content-length': SIZE } });
  const before = process.memoryUsage().rss;
  let most = before;
  const sending = (async () => {
    for (let at = 0; at < SIZE; at += PIECE.length) if (!sent.write(PIECE)) await once(sent, 'drain');
    sent.end();
  })();
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  let size = 0;
  for await (const part of reply) {
    size += (part as Uint8Array).length;
    most = Math.max(most, process.memoryUsage().rss);
  }
  await sending;
  assert.equal(size, SIZE);
  // What waits to be collected is some 100 MiB now and then; what is kept would be all of it.
  assert.ok(most - before < 224 * 1024 * 1024, `${(most - before) >> 20} MiB more for ${SIZE >> 20} MiB`);
});

test('a client that goes away leaves nothing: before the answer, and in the middle of it', async () => {
  for (const early of [true, false]) {
    const gone = new Promise<void>((resolve) => {
      answer = (_asked, response) => {
        response.once('close', resolve);
        if (!early) response.write('the beginning');
        else sent.destroy();
      };
    });
    const sent = open(`${POD}/slow`);
    sent.on('error', () => undefined);
    sent.end();
    if (!early) {
      const [reply] = (await once(sent, 'response')) as [IncomingMessage];
      reply.on('error', () => undefined);
      sent.destroy();
    }
    await gone;
  }
});

test('a sender that breaks off breaks the request off behind the proxy too', async () => {
  const broken = new Promise<void>((resolve) => {
    answer = (asked) => {
      asked.on('error', () => resolve());
      asked.resume();
      sent.destroy();
    };
  });
  const sent = open(`${POD}/`, { method: 'POST', headers: { 'content-length': 100 } });
  sent.on('error', () => undefined);
  sent.write('half');
  await broken;
});

test('another protocol is changed to where the other side does; its refusal is an answer', async () => {
  backend.once('upgrade', (asked: IncomingMessage, socket: Socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${asked.headers.upgrade}\r\n\r\n`,
    );
    socket.on('data', (data) => socket.end(data));
  });
  const headers = { connection: 'upgrade', upgrade: 'echo/1', cookie: 'k=v' };
  const sent = open(`${POD}/ws?x=1`, { headers });
  sent.end();
  const [reply, socket] = (await once(sent, 'upgrade')) as [IncomingMessage, Socket];
  assert.equal(reply.headers.upgrade, 'echo/1');
  socket.write('hello');
  assert.equal(String((await once(socket, 'data'))[0]), 'hello');
  socket.destroy();
  // This test's server changes to nothing when nobody listens for it.
  answer = (_asked, response) => response.writeHead(426).end('no');
  assert.equal((await ask(`${POD}/ws`, { headers })).code, 426);
});

const SERVICE = '/api/v1/namespaces/default/services';
const PODS = '/api/v1/namespaces/default/pods';

for (const [path, port] of [
  [`${SERVICE}/web:80/proxy/`, 8000],
  [`${SERVICE}/web:http/proxy/`, 8000],
  [`${SERVICE}/http:web:other/proxy/`, 8001],
  [`${PODS}/web:9000/proxy/`, 9000],
  [`${PODS}/http:web:9000/proxy/`, 9000],
  [`${PODS}/web:/proxy/`, 8080],
] as const) {
  test(`${path} is dialled at ${port}`, async () => {
    answer = mirror;
    dialled.length = 0;
    assert.equal((await ask(path)).code, 200);
    assert.deepEqual(
      dialled.map((one) => one.port),
      [port],
    );
  });
}

for (const [path, code, message] of [
  [`${SERVICE}/web:82/proxy/`, 503, 'no service port 82 found for service "web"'],
  [`${SERVICE}/web/proxy/`, 503, 'no endpoints available for service "web"'],
  [`${SERVICE}/web:none/proxy/`, 503, 'no endpoints available for service "web:none"'],
  [`${SERVICE}/forged:http/proxy/`, 503, 'no endpoints available for service "forged:http"'],
  [`${SERVICE}/no:80/proxy/`, 404, 'services "no" not found'],
  [`${PODS}/no/proxy/`, 404, 'pods "no" not found'],
  [`${PODS}/local/proxy/`, 400, 'address not allowed'],
  [`${PODS}/link:80/proxy/`, 400, 'address not allowed'],
  [`${PODS}/none/proxy/`, 400, 'address not allowed'],
  [`${PODS}/ftp:web:21/proxy/`, 400, 'invalid pod request "ftp:web:21"'],
  [`${PODS}/a:b:c:d/proxy/`, 400, 'invalid pod request "a:b:c:d"'],
  [
    `${PODS}/web:80%40evil/proxy/`,
    503,
    'error trying to reach service: dial tcp 10.64.0.9: lookup tcp/80@evil: unknown port',
  ],
  ['/api/v1/nodes/no/proxy/', 404, 'nodes "no" not found'],
] as const) {
  test(`refused: ${path}`, async () => {
    const got = await ask(path);
    const body = JSON.parse(got.text) as { message?: string };
    assert.deepEqual([got.code, body.message], [code, message]);
  });
}

test('nobody behind it, and one who breaks off', async () => {
  answer = (asked) => asked.socket.destroy();
  const { code, text } = await ask(`${POD}/`);
  assert.equal(code, 503);
  assert.match(text, /error trying to reach service: EOF/);
  assert.equal((await ask(`${POD}/`, { method: 'TRACE' })).code, 405);
});
