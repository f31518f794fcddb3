/**
 * Priority and fairness on a running server: one user asks now and then while others flood it with lists and creates
 * over many connections. Alone on the machine: `npm run soak -- quiet-user`. `FLOOD_SECONDS` says how long.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { loadKubeconfig } from '@binnacle/client/node';
import { makeFolder, startOneProcess } from '@binnacle/testkit';
import type { OneProcessCluster } from '@binnacle/testkit';
import type { FloodCount, FloodWish } from './flooding-thread.ts';

const SECONDS = Number(process.env['FLOOD_SECONDS'] ?? 20);
const NOISY = ['noisy-1', 'noisy-2', 'noisy-3', 'noisy-4'];
const CONNECTIONS = 256;
const LISTED = 500;
/** What the quiet user may wait, 99 times of 100. */
const P99_MS = 50;
const QUIET_MAPS = '/api/v1/namespaces/default/configmaps';
const UNSAFE = { rejectUnauthorized: false };

const folder = makeFolder();
const agent = new Agent({ keepAlive: true, ...UNSAFE });
let cluster: OneProcessCluster;
let server: URL;

before(async () => {
  const tokens = join(folder.path, 'tokens');
  // Nobody who floods is of system:masters: those are exempt.
  const users = ['quiet', ...NOISY].map((name, n) => `${name},${name},${n},"people"\n`);
  writeFileSync(tokens, `admin,admin,admin,"system:masters"\n${users.join('')}`);
  cluster = await startOneProcess({ runtime: 'simulated' }, ['--token-auth-file', tokens]);
  server = new URL((await loadKubeconfig(cluster.kubeconfig)).wire.server);
  const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  const subjects = [{ apiGroup: role.apiGroup, kind: 'Group', name: 'people' }];
  await make('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', { name: 'people' }, { roleRef: role, subjects });
  for (const name of ['listed', 'noise']) await make('/api/v1/namespaces', { name });
  for (let n = 0; n < LISTED; n++) {
    await make('/api/v1/namespaces/listed/configmaps', { name: `m${n}` }, { data: { a: 'x'.repeat(200) } });
  }
  await make(QUIET_MAPS, { name: 'seen' });
});
after(async () => {
  agent.destroy();
  await cluster.stop();
  folder.remove();
});

async function make(path: string, metadata: object, more: object = {}): Promise<void> {
  const { code } = await send(`POST ${path}`, 'admin', JSON.stringify({ metadata, ...more }));
  assert.equal(code, 201, path);
}

async function send(
  line: string,
  token: string,
  body?: string,
): Promise<{ readonly code: number; readonly ms: number }> {
  const [method = '', path = ''] = line.split(' ');
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const began = performance.now();
  const call = request(new URL(path, server), {
    method,
    headers: { authorization: `Bearer ${token}`, ...type },
    agent,
    ...UNSAFE,
  });
  call.end(body);
  const [response] = await once(call, 'response');
  response.resume();
  await once(response, 'end');
  return { code: response.statusCode, ms: performance.now() - began };
}

function share(all: readonly number[], part: number): number {
  return all.toSorted((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * part))] ?? Number.NaN;
}

/** How long the quiet user waited, request by request: nine reads, then a create. */
async function askQuietly(seconds: number, token = 'quiet'): Promise<number[]> {
  const waited: number[] = [];
  const end = performance.now() + seconds * 1000;
  for (let n = 0; performance.now() < end; n++) {
    const creates = n % 10 === 9;
    const body = creates ? JSON.stringify({ metadata: { generateName: 'quiet-' } }) : undefined;
    const { code, ms } = await send(creates ? `POST ${QUIET_MAPS}` : `GET ${QUIET_MAPS}/seen`, token, body);
    assert.equal(code, creates ? 201 : 200);
    waited.push(ms);
    await pause(20);
  }
  return waited;
}

test(`a quiet user is served within ${P99_MS} ms while ${NOISY.length} others flood`, async (t) => {
  const alone = await askQuietly(3);
  const workerData: FloodWish = {
    server: server.href,
    tokens: NOISY,
    connections: CONNECTIONS,
    listPath: '/api/v1/namespaces/listed/configmaps',
    createPath: '/api/v1/namespaces/noise/configmaps',
    createEach: 3,
  };
  const flood = new Worker(new URL('./flooding-thread.ts', import.meta.url), { workerData });
  await once(flood, 'online');
  await askQuietly(2);
  const [waited, exempt] = await Promise.all([askQuietly(SECONDS), askQuietly(SECONDS, 'admin')]);
  const ended = once(flood, 'exit');
  const told = once(flood, 'message');
  flood.postMessage('stop');
  const [counted] = (await told) as [FloodCount];
  await ended;
  const tell = (all: readonly number[]): string =>
    [0.5, 0.9, 0.99, 1].map((part) => share(all, part).toFixed(1)).join(' / ');
  t.diagnostic(`alone: ${alone.length} requests, ms at 50, 90, 99 and 100 %: ${tell(alone)}`);
  t.diagnostic(`in the flood: ${waited.length} requests, ms at 50, 90, 99 and 100 %: ${tell(waited)}`);
  t.diagnostic(`one who is exempt meanwhile: ${exempt.length} requests, ms at 50, 90, 99 and 100 %: ${tell(exempt)}`);
  t.diagnostic(`the others' answers by code: ${JSON.stringify(counted)} in ${SECONDS + 2} s; load ${loadavg()[0]}`);
  assert.ok((counted['200'] ?? 0) > 0 && (counted['201'] ?? 0) > 0, 'the flood was one');
  assert.ok(share(waited, 0.99) < P99_MS, 'the quiet user does not wait for the noisy');
});
