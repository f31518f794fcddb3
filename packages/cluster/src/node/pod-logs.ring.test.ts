/** A pod's log from a kubelet over real TLS to clients over HTTP/1.1 and HTTP/2, and who may not ask a kubelet. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { ensureSelfSigned } from '@binnacle/certificates/node';
import type { KeyPair } from '@binnacle/certificates/node';
import { NODES, PODS, SERVICE_ACCOUNTS } from '@binnacle/api';
import { Scope, silentLogger, sleep } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import type { Kubelet } from '@binnacle/kubelet';
import { createSimulatedRuntime } from '@binnacle/runtime/simulated';
import type { LoggedRuntime } from '@binnacle/runtime/simulated';
import { startControlPlane } from './control-plane.ts';
import type { ControlPlane } from './control-plane.ts';
import { ADMIN, nodeIdentity } from '../identities.ts';
import { serveNode, servingSubject } from './kubelet-server.ts';
import { startNode } from './nodes.ts';
import { untilNodesReady } from '../simulated-nodes.ts';

const world = { clock: realClock, random: secureRandom, log: silentLogger };
const HOST = '127.0.0.1';
const LOG = 'one\ntwo\nthree';
const LOGS = '/api/v1/namespaces/default/pods/web/log';

let folder: string;
let scope: Scope;
let plane: ControlPlane;

interface Served {
  readonly name: string;
  readonly port: number;
  /** How many wait for more of a log. */
  readonly following: () => number;
}

interface Reply {
  readonly code: number;
  readonly type: string;
  readonly body: string;
}

before(async () => {
  folder = makeTestFolder().path;
  scope = new Scope('logs');
  const pki = join(folder, 'pki');
  const store = { engine: 'memory' } as const;
  const first = new Scope('first');
  const { certificates } = await startControlPlane({ world, scope: first, pki, store });
  await first.close();
  // The same authority again, now known as the one of kubelets.
  const listen = { host: HOST, port: 0 };
  plane = await startControlPlane({ world, scope, pki, store, listen, kubeletCa: certificates.ca });
  // No controller runs here that would make it.
  await plane
    .clientAs(ADMIN)
    .resource(SERVICE_ACCOUNTS, 'default')
    .create({ metadata: { name: 'default' } });
});

after(async () => {
  await scope.close();
  rmSync(folder, { recursive: true, force: true });
});

async function startServed(name: string, certificate: () => Promise<KeyPair>): Promise<Served> {
  const runtime = createSimulatedRuntime(world);
  const following = countFollowers(runtime);
  const client = plane.clientAs(nodeIdentity(name));
  const directory = join(folder, name);
  const shared = { runtime, isReal: false, client, world, scope: scope.child(name) };
  const listening = { host: HOST, port: 0, certificate, clientCa: plane.certificates.ca };
  const serve = async (kubelet: Kubelet): Promise<void> =>
    void (await serveNode({ kubelet, client, ...listening, world, scope }));
  await startNode({ nodeName: name, nodeIps: [HOST], directory, ...shared, serve });
  await untilNodesReady(client, [name], { clock: world.clock, signal: scope.signal });
  const node = await plane.clientAs(ADMIN).resource(NODES).get(name);
  return { name, port: node.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0, following };
}

function countFollowers({ logs }: LoggedRuntime): () => number {
  const watch = logs.watch.bind(logs);
  let count = 0;
  logs.watch = (path, changed) => {
    count++;
    const stop = watch(path, changed);
    return () => {
      count--;
      stop();
    };
  };
  return () => count;
}

async function startPod(name: string, nodeName: string): Promise<void> {
  const pods = plane.clientAs(ADMIN).resource(PODS, 'default');
  await pods.create({
    metadata: { name, annotations: { 'simulated.binnacle.dev/log': LOG } },
    spec: { nodeName, automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] },
  } as never);
  while ((await pods.get(name)).status?.phase !== 'Running') await sleep(realClock, 10);
}

async function ask(port: number, path: string, options: object): Promise<Reply> {
  const asked = request({ host: HOST, port, path, agent: false, rejectUnauthorized: false, ...options });
  asked.end();
  const [message] = (await once(asked, 'response')) as [IncomingMessage];
  let body = '';
  for await (const piece of message.setEncoding('utf8')) body += String(piece);
  return { code: message.statusCode ?? 0, type: message.headers['content-type'] ?? '', body };
}

function admin(): { cert: string; key: string } {
  const pair = plane.certificates.clients['admin'];
  assert.ok(pair);
  return { cert: pair.certificate, key: pair.key };
}

const apiPort = (): number => Number(new URL(plane.url).port);

test('a log over TLS on both legs; a followed one ends everywhere when the client goes', async () => {
  const subject = { organizations: ['system:nodes'], ...servingSubject('a', HOST) };
  const keep = (): Promise<KeyPair> => plane.certificates.keepCertificate('kubelet-server', subject);
  const { name, port, following } = await startServed('a', keep);
  assert.equal((await keep()).certificate, (await keep()).certificate, 'made once');
  await startPod('web', name);
  const whole = await ask(apiPort(), LOGS, admin());
  assert.deepEqual(whole, { code: 200, type: 'text/plain', body: `${LOG}\n` });
  assert.equal((await ask(apiPort(), `${LOGS}?tailLines=1`, admin())).body, 'three\n');
  assert.match((await ask(apiPort(), `${LOGS}?timestamps=true&limitBytes=30`, admin())).body, /^\d{4}-\S+Z one\n/);
  const refused = await ask(apiPort(), `${LOGS}?previous=true`, admin());
  assert.equal(refused.code, 400);
  assert.match(refused.body, /previous terminated container \\"c\\" in pod \\"web\\" not found/);

  const session = connect(plane.url, { rejectUnauthorized: false, ...admin() });
  const stream = session.request({ ':path': `${LOGS}?follow=true` });
  let seen = '';
  for await (const piece of stream.setEncoding('utf8')) {
    seen += String(piece);
    if (seen !== `${LOG}\n`) continue;
    while (following() === 0) await sleep(realClock, 5);
    break;
  }
  session.destroy();
  while (following() > 0) await sleep(realClock, 5);
  const direct = await ask(port, '/containerLogs/default/web/c', admin());
  assert.equal(direct.body, `${LOG}\n`);
});

test('the port of a kubelet is not for everybody', async () => {
  const { port } = await startServed('guarded', () =>
    ensureSelfSigned(folder, { name: 'guarded', ...servingSubject('guarded', HOST) }, world),
  );
  const stranger = plane.certificates.issueClientCertificate({ commonName: 'stranger' });
  const foreign = await ensureSelfSigned(
    folder,
    { name: 'foreign', commonName: 'kubernetes-admin', organizations: ['system:masters'], hostnames: ['x'] },
    world,
  );
  const rows: readonly (readonly [who: string, options: object, code: number])[] = [
    ['nobody', {}, 401],
    ['a token that is none', { headers: { authorization: 'Bearer none' } }, 401],
    ['a certificate of another authority', { cert: foreign.certificate, key: foreign.key }, 401],
    ['a user without rights', { cert: stranger.certificate, key: stranger.key }, 403],
    ['an administrator', admin(), 200],
  ];
  for (const [who, options, code] of rows) {
    assert.equal((await ask(port, '/pods', options)).code, code, who);
    assert.equal((await ask(port, '/containerLogs/default/x/c', options)).code, code === 200 ? 404 : code, who);
  }
});

test('a kubelet that another authority vouches for is not believed, unless the caller wants it', async () => {
  const { name } = await startServed('alien', () =>
    ensureSelfSigned(folder, { name: 'alien', ...servingSubject('alien', HOST) }, world),
  );
  await startPod('far', name);
  const path = '/api/v1/namespaces/default/pods/far/log';
  const refused = await ask(apiPort(), path, admin());
  assert.equal(refused.code, 500);
  assert.match(refused.body, /Get \\"https:\/\/127\.0\.0\.1:\d+\/containerLogs\/default\/far\/c\\": .*certificate/);
  assert.equal((await ask(apiPort(), `${path}?insecureSkipTLSVerifyBackend=true`, admin())).body, `${LOG}\n`);
});
