/** Webhooks behind real TLS: by URL and by Service, whom to believe, and how long to wait. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { SERVICES } from '@binnacle/api';
import type { MutatingWebhook, WebhookClientConfig } from '@binnacle/api/admissionregistration/v1';
import { createSeededRandom } from '@binnacle/base';
import { createHttpCaller, realClock } from '@binnacle/base/node';
import { issueCertificate, makeAuthority } from '@binnacle/certificates/node';
import { MemoryCache } from '../../testing/memory-cache.ts';
import { callWebhook } from './webhook-caller.ts';
import { WebhookCallError } from './webhook-errors.ts';

const HOST = '127.0.0.1';
const http = createHttpCaller();
const cache = new MemoryCache();
const random = createSeededRandom(1);
let server: Server;
let port = 0;
let ca = '';
let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;

before(async () => {
  const life = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 3_600_000 };
  const authority = makeAuthority('webhooks', life);
  ca = btoa(authority.certificate);
  const subject = { commonName: 'hook', hostnames: ['hook.a.svc'], ips: [HOST] };
  const { certificate, key } = issueCertificate(authority, subject, { ...life, client: false });
  server = createServer({ cert: certificate, key }, (request, response) => handle(request, response));
  server.listen(0, HOST);
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  const labels = { 'kubernetes.io/service-name': 'hook' };
  cache.put(SERVICES, { metadata: { namespace: 'a', name: 'hook' }, spec: { ports: [{ port: 443 }] } } as never);
  cache.put(SERVICES, { metadata: { namespace: 'b', name: 'hook' }, spec: { ports: [{ port: 443 }] } } as never);
  for (const namespace of ['a', 'b']) {
    cache.put({ group: 'discovery.k8s.io', resource: 'endpointslices' }, {
      metadata: { namespace, name: 'hook-1', labels },
      ports: [{ port }],
      endpoints: [{ addresses: [HOST] }],
    } as never);
  }
});

after(async () => {
  await http.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

function ask(clientConfig: WebhookClientConfig, signal?: AbortSignal): Promise<unknown> {
  const hook = { name: 'h', clientConfig, timeoutSeconds: 1, sideEffects: 'None', admissionReviewVersions: ['v1'] };
  const world = { http, cache, random, clock: realClock };
  return callWebhook(world, hook as MutatingWebhook, { review: { asked: true }, signal });
}

const service = (namespace: string): WebhookClientConfig => ({
  caBundle: ca,
  service: { namespace, name: 'hook', path: '/mutate' },
});

async function failure(asking: Promise<unknown>): Promise<string> {
  const error: unknown = await asking.then(
    () => assert.fail('it answered'),
    (reason: unknown) => reason,
  );
  assert(error instanceof WebhookCallError, String(error));
  return error.message.replaceAll(String(port), 'PORT');
}

test('by Service: dialled at its endpoint, known by its name, told how long it has', async () => {
  let seen: readonly unknown[] = [];
  handle = (request, response) => {
    seen = [request.method, request.url, request.headers.host, request.headers['content-type']];
    request.pipe(response);
  };
  assert.deepEqual(await ask(service('a')), { asked: true });
  assert.deepEqual(seen, ['POST', '/mutate?timeout=1s', 'hook.a.svc:443', 'application/json']);
});

test('by URL, with a query of its own', async () => {
  let seen: string | undefined;
  handle = (request, response) => {
    seen = request.url;
    request.pipe(response);
  };
  assert.deepEqual(await ask({ url: `https://${HOST}:${port}/v?a=b`, caBundle: ca }), { asked: true });
  assert.equal(seen, '/v?a=b&timeout=1s');
});

test('one that cannot be believed', async () => {
  handle = (_, response) => response.end('{}');
  const url = `https://${HOST}:${port}/v`;
  assert.match(
    await failure(ask({ url })),
    /^failed calling webhook "h": failed to call webhook: Post "https:\/\/127\.0\.0\.1:PORT\/v\?timeout=1s": tls: failed to verify certificate: x509: /,
  );
  assert.match(
    await failure(ask(service('b'))),
    /Post "https:\/\/hook\.b\.svc:443\/mutate\?timeout=1s": tls: failed to verify certificate: x509: certificate is valid for .*, not hook\.b\.svc$/,
  );
});

test('one that does not answer in its time, before the head and within the body', async () => {
  const late =
    'failed calling webhook "h": failed to call webhook: Post "https://hook.a.svc:443/mutate?timeout=1s": context deadline exceeded';
  handle = () => undefined;
  assert.equal(await failure(ask(service('a'))), late);
  handle = (_, response) => response.write('{');
  assert.equal(await failure(ask(service('a'))), late);
});

test('whoever asked has gone', async () => {
  const controller = new AbortController();
  handle = () => controller.abort();
  assert.match(await failure(ask(service('a'), controller.signal)), /: context canceled$/);
});

test('nonsense', async () => {
  handle = (_, response) => response.end('<html>');
  assert.match(
    await failure(ask(service('a'))),
    /^failed calling webhook "h": failed to call webhook: couldn't get version\/kind; json parse error: invalid character '<' /,
  );
});

/** Megabytes of a letter, unless the other side stops listening. */
function pour(response: ServerResponse, megabytes: number): void {
  const megabyte = Buffer.alloc(1 << 20, 0x20);
  let left = megabytes;
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left--;
      if (!response.write(megabyte)) return;
    }
    response.end();
  };
  response.on('drain', more);
  more();
}

const LIARS: readonly [name: string, answer: typeof handle, told: RegExp][] = [
  [
    'sends a gigabyte',
    (_, response) => pour(response, 1024),
    /: (the answer is longer than 10485760 bytes|context deadline exceeded)$/,
  ],
  [
    'zips a gigabyte',
    (_, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync(Buffer.alloc(1 << 20)));
    },
    /json parse error: invalid character/,
  ],
  [
    'sends a byte now and then',
    (_, response) => {
      const drip = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(drip));
    },
    /: context deadline exceeded$/,
  ],
  [
    'sends one elsewhere',
    (_, response) => response.writeHead(307, { location: `https://${HOST}:${port}/elsewhere` }).end(),
    /: the server responded with the status code 307 /,
  ],
  ['hangs up before it answers', (_, response) => response.destroy(), /: (EOF|unexpected EOF)$/],
  [
    'hangs up in the middle',
    (_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{', () => response.destroy());
    },
    /: unexpected EOF$/,
  ],
  ['says nothing', (_, response) => response.end(), /json parse error: unexpected end of JSON input/],
  ['says what is no text', (_, response) => response.end(Buffer.from([0xff, 0xfe, 0])), /json parse error: /],
  ['nests without an end', (_, response) => response.end('['.repeat(1_000_000)), /json parse error: |too large/],
  [
    'says a million things',
    (_, response) => response.end(`[${'1,'.repeat(2_000_000)}1]`),
    /: the answer is too large: /,
  ],
  [
    'sends hints without an end',
    (_, response) => {
      for (let n = 0; n < 1000; n++) response.writeEarlyHints({ link: '</x>; rel=preload' });
    },
    /too many 1xx informational responses$/,
  ],
  [
    'has a head of two megabytes',
    (_, response) => {
      for (let n = 0; n < 32; n++) response.setHeader(`x-${n}`, 'x'.repeat(64 << 10));
      response.end('{}');
    },
    /Post "https:/,
  ],
];

for (const [name, answer, told] of LIARS) {
  test(`one that ${name} is refused in words, and leaves no connection behind`, async () => {
    handle = answer;
    assert.match(await failure(ask(service('a'))), told);
    handle = (request, response) => void request.pipe(response);
    assert.deepEqual(await ask(service('a')), { asked: true });
    await untilOpen(1);
  });
}

/** Resolves when no more than so many connections to it are open: the one that is kept for the next question. */
async function untilOpen(wanted: number): Promise<void> {
  const open = (): Promise<number> => new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
  while ((await open()) > wanted) await new Promise((resolve) => setImmediate(resolve));
}
