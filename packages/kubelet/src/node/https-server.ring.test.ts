import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { Agent, request, type RequestOptions } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { makeTestFolder } from '@binnacle/base/testing';
import { Scope, silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import type { Client } from '@binnacle/client';
import type { Kubelet } from '../kubelet.ts';
import { HealthChecks } from '../registration/health.ts';
import { type ServingPair, serveKubelet } from './https-server.ts';

const run = promisify(execFile);
const scope = new Scope('ring');
let folder: string;
let port = 0;
let told = 0;
let aheadMs = 0;

/** Only `jane`, and only on `proxy`. The token `good` is jane's. */
const client = {
  dynamic: (resource: { resource: string }) => ({
    create: async (draft: { spec: { token?: string; user?: string; resourceAttributes?: { subresource: string } } }) =>
      resource.resource === 'tokenreviews'
        ? { status: draft.spec.token === 'good' ? { authenticated: true, user: { username: 'jane' } } : {} }
        : { status: { allowed: draft.spec.user === 'jane' && draft.spec.resourceAttributes?.subresource === 'proxy' } },
  }),
} as unknown as Client;

async function* endless(signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  for (let i = 0; signal?.aborted !== true; i++) {
    yield new TextEncoder().encode(`line ${i}\n`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  ended = true;
}
let ended = false;

const level = { verbosity: 0 };
const kubelet = {
  nodeName: 'n',
  config: { hasDebugging: true, hasDebugFlags: true },
  logLevel: level,
  health: new HealthChecks({ ping: () => true }),
  pods: () => [],
  logs: ({ signal }: { signal?: AbortSignal }) => endless(signal),
  listensOn: (at: number) => (told = at),
} as unknown as Kubelet;

async function certificate(name: string, subject: string): Promise<void> {
  const at = (suffix: string): string => join(folder, `${name}.${suffix}`);
  await run('openssl', [
    'req',
    '-new',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    at('key'),
    '-out',
    at('csr'),
    '-subj',
    subject,
  ]);
  await run('openssl', [
    'x509',
    '-req',
    '-in',
    at('csr'),
    '-CA',
    join(folder, 'ca.crt'),
    '-CAkey',
    join(folder, 'ca.key'),
    '-CAcreateserial',
    '-days',
    '1',
    '-out',
    at('crt'),
  ]);
}

const pem = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');

before(async () => {
  folder = makeTestFolder().path;
  await run('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    join(folder, 'ca.key'),
    '-out',
    join(folder, 'ca.crt'),
    '-subj',
    '/CN=ca',
    '-days',
    '1',
  ]);
  await certificate('server', '/CN=localhost');
  await certificate('jane', '/CN=jane/O=g');
  await certificate('joe', '/CN=joe');
  await certificate('both', '/CN=joe/CN=jane');
  const options = { pair: await pair('server'), clientCa: await pem('ca.crt') };
  ({ port } = await serveKubelet({
    ...options,
    kubelet,
    client,
    host: '127.0.0.1',
    port: 0,
    clock: Object.create(realClock, { now: { value: () => realClock.now() + aheadMs } }) as typeof realClock,
    log: silentLogger,
    scope,
  }));
});

after(async () => {
  await scope.close();
  await rm(folder, { recursive: true, force: true });
});

async function pair(name: string): Promise<ServingPair> {
  return { certificate: await pem(`${name}.crt`), key: await pem(`${name}.key`) };
}

async function get(path: string, of: RequestOptions = {}, sent = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request(
      { host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false, ...of },
      (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => {
          body += chunk.toString();
          if (body.includes('line 3\n')) {
            call.destroy();
            resolve(`${response.statusCode ?? 0} ${body.slice(0, 14)}`);
          }
        });
        response.on('end', () => resolve(`${response.statusCode ?? 0} ${body}`));
        response.on('error', () => undefined);
      },
    );
    call.on('error', reject);
    call.end(sent);
  });
}

const as = async (name: string): Promise<RequestOptions> => ({
  cert: await pem(`${name}.crt`),
  key: await pem(`${name}.key`),
});

test('nobody, and a wrong token', async () => {
  assert.equal(await get('/healthz'), '401 Unauthorized');
  assert.equal(await get('/healthz', { headers: { authorization: 'Bearer bad' } }), '401 Unauthorized');
});

test('a certificate and a token, with and without the right', async () => {
  assert.equal(await get('/healthz', await as('jane')), '200 ok');
  assert.equal(await get('/healthz', { headers: { authorization: 'Bearer good' } }), '200 ok');
  assert.equal(
    await get('/healthz', await as('joe')),
    '403 Forbidden (user=joe, verb=get, resource=nodes, subresource(s)=[healthz proxy])',
  );
  assert.match(await get('/metrics', await as('jane')), /^403 /);
});

test('of several common names the last counts', async () => {
  assert.equal(await get('/healthz', await as('both')), '200 ok');
});

test('a connection that outlives its certificate is nobody’s', async (t) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => {
    aheadMs = 0;
    agent.destroy();
  });
  const jane = { ...(await as('jane')), agent };
  assert.equal(await get('/healthz', jane), '200 ok');
  aheadMs = 2 * 24 * 3_600_000;
  assert.equal(await get('/healthz', jane), '401 Unauthorized');
});

test('who may, changes the log level; what is too long is none', async () => {
  const put = async (name: string, sent: string): Promise<string> =>
    get('/debug/flags/v', { ...(await as(name)), method: 'PUT' }, sent);
  assert.match(await put('joe', '6'), /^403 /);
  assert.equal(level.verbosity, 0);
  assert.equal(await put('jane', '6'), '200 successfully set klog.logging.verbosity to 6\n');
  assert.equal(level.verbosity, 6);
  assert.match(
    await put('jane', '7'.repeat(1 << 20)),
    /^400 strconv\.ParseUint: parsing "7{80}": value out of range\n$/,
  );
  assert.equal(level.verbosity, 6);
});

test('a followed log ends when the client goes away', async () => {
  assert.equal(await get('/containerLogs/a/b/c?follow=true', await as('jane')), '200 line 0\nline 1\n');
  for (let i = 0; i < 500 && !ended; i++) await new Promise((resolve) => setTimeout(resolve, 2));
  assert.equal(ended, true);
});

test('more connections than it has room for end the oldest that nobody is known on, and no other', async () => {
  const agent = new Agent({ keepAlive: true });
  const jane = { ...(await as('jane')), agent };
  assert.equal(await get('/healthz', jane), '200 ok');
  const [kept] = Object.values(agent.freeSockets).flat();
  assert.ok(kept);
  const silent = Array.from({ length: 1100 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  try {
    await Promise.race(silent.map((socket) => once(socket, 'close')));
    assert.equal(await get('/healthz', jane), '200 ok');
    assert.equal(kept.destroyed, false);
  } finally {
    for (const socket of silent) socket.destroy();
    agent.destroy();
  }
});

test('nobody can speak to a port that has no certificate yet; a newer one is shown from then on', async () => {
  let renew: ((newer: ServingPair) => void) | undefined;
  const own = await serveKubelet({
    renewals: (use) => (renew = use),
    clientCa: await pem('ca.crt'),
    kubelet: { ...kubelet, listensOn: () => undefined },
    client,
    host: '127.0.0.1',
    port: 0,
    clock: realClock,
    log: silentLogger,
    scope,
  });
  const shown = async (): Promise<string> => {
    const socket = connectTls({ port: own.port, host: '127.0.0.1', rejectUnauthorized: false });
    try {
      await once(socket, 'secureConnect');
      return String(socket.getPeerCertificate().subject.CN);
    } finally {
      socket.destroy();
    }
  };
  await assert.rejects(shown(), /handshake failure|no suitable signature/);
  renew?.(await pair('server'));
  assert.equal(await shown(), 'localhost');
  assert.equal(await get('/healthz', { ...(await as('jane')), port: own.port }), '200 ok');
  renew?.(await pair('joe'));
  assert.equal(await shown(), 'joe');
  assert.equal(await get('/healthz', { port: own.port }), '401 Unauthorized');
});

test('a connection that never says anything does not hold up its end', { timeout: 20_000 }, async () => {
  const own = new Scope('own');
  const { port: silentPort } = await serveKubelet({
    pair: await pair('server'),
    kubelet: { ...kubelet, listensOn: () => undefined } as Kubelet,
    host: '127.0.0.1',
    port: 0,
    clock: realClock,
    log: silentLogger,
    scope: own,
  });
  const silent = connect(silentPort, '127.0.0.1').on('error', () => undefined);
  await once(silent, 'connect');
  const gone = once(silent.resume(), 'close');
  // The server hears of connections in the order in which they came.
  assert.equal(await get('/healthz', { port: silentPort }), '200 ok');
  await own.close();
  await gone;
});

test('the kubelet is told its port', () => assert.equal(told, port));
