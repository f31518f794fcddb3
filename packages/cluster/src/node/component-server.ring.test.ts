/** The port of a component that runs alone, with real TLS, in front of an API server that says who callers are and what they may. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { request } from 'node:https';
import type { RequestOptions } from 'node:https';
import { join } from 'node:path';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { after, before, describe, test } from 'node:test';
import { CLUSTER_ROLES, CLUSTER_ROLE_BINDINGS, SERVICE_ACCOUNTS } from '@binnacle/api';
import { HealthFigures } from '@binnacle/apiserver/component';
import { Scope, silentLogger } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { makeTestFolder } from '@binnacle/base/testing';
import { issueCertificate } from '@binnacle/certificates/node';
import type { KeyPair } from '@binnacle/certificates/node';
import type { Client } from '@binnacle/client';
import { componentPages } from '../component-pages.ts';
import { DelegatedAccess } from '../delegated-access.ts';
import { followClientCa } from '../follow-client-ca.ts';
import { ADMIN, SCHEDULER } from '../identities.ts';
import { serveComponent } from './component-server.ts';
import type { ComponentServer } from './component-server.ts';
import { startControlPlane } from './control-plane.ts';
import { makeServingPair } from './serving-files.ts';

const world = { clock: realClock, random: secureRandom, log: silentLogger };
const NAMES = { hostnames: ['localhost'], ips: ['127.0.0.1'] };
const CONNECTIONS_MAX = 256;

interface Reply {
  readonly code: number;
  readonly headers: { readonly [name: string]: unknown };
  readonly body: string;
}

describe('the port of a component', () => {
  const scope = new Scope('ring', { log: silentLogger });
  const pki = makeTestFolder().path;
  const tokens = new Map<string, string>();
  const pair = makeServingPair(NAMES, realClock.now());
  let shown: KeyPair = pair;
  let server: ComponentServer;
  let stranger: KeyPair;
  let manager: KeyPair;

  before(async () => {
    const plane = await startControlPlane({
      world,
      scope,
      pki,
      store: { engine: 'memory' },
      listen: { host: '127.0.0.1', port: 0 },
    });
    await fill(plane.clientAs(ADMIN), tokens);
    manager = await read(join(pki, 'admin'));
    // Whom somebody else's authority vouches for, as one of the almighty.
    const life = { notBefore: realClock.now() - 1000, notAfter: realClock.now() + 60_000, client: true };
    stranger = issueCertificate(
      await read(join(pki, 'front-proxy-ca')),
      { commonName: 'eve', organizations: ['system:masters'] },
      life,
    );
    // The component asks as the scheduler does: these are all its rights.
    const client = plane.clientAs(SCHEDULER);
    const pages = componentPages({
      name: 'kube-scheduler',
      health: { healthz: () => [], livez: () => [] },
      figures: () => 'figures 1\n',
      healthFigures: new HealthFigures(),
      config: { componentconfig: { Parallelism: 16 } },
      flags: new Map(),
      version: 'v1.36.0',
      startedAt: 0,
      clock: realClock,
      log: silentLogger,
    });
    const access = new DelegatedAccess({ client, clock: realClock, log: silentLogger, component: 'kube-scheduler' });
    server = await serveComponent({ host: '127.0.0.1', port: 0, pair, access, pages, world, scope });
    await new Promise<void>((resolve) => {
      followClientCa({ client, world }, scope, (ca) => {
        server.trust(ca);
        resolve();
      });
    });
  });
  after(async () => {
    await scope.close();
    await rm(pki, { recursive: true });
  });

  async function ask(path: string, of: RequestOptions & { readonly token?: string } = {}): Promise<Reply> {
    const { token, ...options } = of;
    const headers = token === undefined ? {} : { authorization: `Bearer ${tokens.get(token) ?? token}` };
    const asked = request({
      host: '127.0.0.1',
      port: server.port,
      path,
      ca: shown.certificate,
      agent: false,
      headers,
      ...options,
    });
    asked.end();
    const [response] = await once(asked, 'response');
    let body = '';
    for await (const part of response) body += String(part);
    return { code: response.statusCode, headers: response.headers, body };
  }

  const ROWS: readonly (readonly [what: string, path: string, of: object, code: number, body: RegExp])[] = [
    ['health, by anybody', '/healthz', {}, 200, /^ok$/],
    ['health, with a method that changes', '/livez', { method: 'POST' }, 405, /^Method Not Allowed/],
    ['health that there is none of', '/readyz', {}, 404, /^404 page not found/],
    [
      'one check, by anybody',
      '/healthz/ping',
      {},
      403,
      /User \\"system:anonymous\\" cannot get path \\"\/healthz\/ping\\"/,
    ],
    [
      'figures, by anybody',
      '/metrics',
      {},
      403,
      /"message":"forbidden: User \\"system:anonymous\\" cannot get path \\"\/metrics\\""/,
    ],
    ['figures, with a token that may', '/metrics', { token: 'watcher' }, 200, /^figures 1\n$/],
    [
      'figures, with a token that may not',
      '/metrics',
      { token: 'nobody' },
      403,
      /system:serviceaccount:default:nobody/,
    ],
    ['figures, with a token that is none', '/metrics', { token: 'x.y.z' }, 401, /"reason":"Unauthorized","code":401/],
    ['health, with a token that is none', '/healthz', { token: 'x.y.z' }, 401, /Unauthorized/],
    ['what it may not, with a token that may something', '/configz', { token: 'watcher' }, 403, /path \\"\/configz\\"/],
    [
      'what it may, by a method that it may not',
      '/metrics',
      { token: 'watcher', method: 'POST' },
      403,
      /cannot post path/,
    ],
    ['the same path in other letters', '/metrics%2f..%2fmetrics', { token: 'watcher' }, 403, /cannot get path/],
    ['a path that is none', '/%zz', {}, 400, /^Bad Request/],
  ];
  for (const [what, path, of, code, body] of ROWS) {
    test(`${what}: ${code}`, async () => {
      const reply = await ask(path, of);
      assert.deepEqual([reply.code, reply.headers['cache-control']], [code, 'no-cache, private'], reply.body);
      assert.match(reply.body, body);
    });
  }

  test('a certificate of the cluster is believed, and that of another authority is nobody’s', async () => {
    const by = ({ certificate: cert, key }: KeyPair) => ask('/configz', { cert, key });
    const reply = await by(manager);
    assert.deepEqual([reply.code, JSON.parse(reply.body)], [200, { componentconfig: { Parallelism: 16 } }]);
    assert.match((await by(stranger)).body, /system:anonymous/);
    // Without an authority none is; with one that is no certificate, neither.
    server.trust(undefined);
    assert.equal((await by(manager)).code, 403);
    server.trust('-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n');
    assert.equal((await by(manager)).code, 403);
  });

  test('another certificate is shown from then on', async () => {
    shown = makeServingPair(NAMES, realClock.now());
    server.show(shown);
    assert.equal((await ask('/healthz')).code, 200);
  });

  test('nobody speaks to it without TLS, nor an old one', async () => {
    const plain = connect(server.port, '127.0.0.1');
    plain.end('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    let said = '';
    for await (const part of plain) said += String(part);
    assert.doesNotMatch(said, /200 OK/);
    const old = connectTls({
      port: server.port,
      host: '127.0.0.1',
      ca: shown.certificate,
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
    });
    await once(old, 'error');
  });

  test('who opens connections without end takes nobody’s place', async () => {
    const open = Array.from({ length: CONNECTIONS_MAX + 20 }, () =>
      connect(server.port, '127.0.0.1').on('error', () => undefined),
    );
    await Promise.all(open.slice(0, 20).map((socket) => once(socket, 'close')));
    assert.equal((await ask('/metrics', { token: 'watcher' })).code, 200);
    for (const socket of open) socket.destroy();
  });
});

async function read(path: string): Promise<KeyPair> {
  const [certificate, key] = await Promise.all([readFile(`${path}.crt`, 'utf8'), readFile(`${path}.key`, 'utf8')]);
  return { certificate, key };
}

/** Two accounts, of which one may read figures. */
async function fill(admin: Client, tokens: Map<string, string>): Promise<void> {
  const rules = [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }];
  await admin.resource(CLUSTER_ROLES).create({ metadata: { name: 'watch-figures' }, rules });
  await admin.resource(CLUSTER_ROLE_BINDINGS).create({
    metadata: { name: 'watch-figures' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'watch-figures' },
    subjects: [{ kind: 'ServiceAccount', name: 'watcher', namespace: 'default' }],
  });
  const accounts = admin.resource(SERVICE_ACCOUNTS, 'default');
  const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: {} };
  for (const name of ['watcher', 'nobody']) {
    await accounts.create({ metadata: { name } });
    const { status } = await accounts.subresource<{ readonly status: { readonly token: string } }>(
      'create',
      name,
      'token',
      asked,
    );
    tokens.set(name, status.token);
  }
}
