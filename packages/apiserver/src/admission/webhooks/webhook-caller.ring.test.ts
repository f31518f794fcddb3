/** Webhooks behind real TLS: by URL and by Service, whom to believe, and how long to wait. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
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
