/**
 * Priority and fairness on a running server: one user asks now and then while others flood it with lists and creates
 * over many connections. Alone on the machine: `npm run soak -- quiet-user`. `FLOOD_SECONDS` says how long.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { percentile } from '@binnacle/testkit';
import type { FloodCount, FloodWish } from './flooding-thread.ts';
import { startTokenCluster } from './token-cluster.ts';
import type { TokenCluster } from './token-cluster.ts';

const SECONDS = Number(process.env['FLOOD_SECONDS'] ?? 20);
const NOISY = ['noisy-1', 'noisy-2', 'noisy-3', 'noisy-4'];
const CONNECTIONS = 256;
const LISTED = 500;
/** What the quiet user may wait, 99 times of 100. */
const P99_MS = 50;
const QUIET_MAPS = '/api/v1/namespaces/default/configmaps';

let cluster: TokenCluster;

before(async () => {
  // Nobody who floods is of system:masters: those are exempt.
  const users = ['quiet', ...NOISY].map((name, n) => `${name},${name},${n},"people"`);
  cluster = await startTokenCluster(['admin,admin,admin,"system:masters"', ...users]);
  const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  const subjects = [{ apiGroup: role.apiGroup, kind: 'Group', name: 'people' }];
  await make('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', { name: 'people' }, { roleRef: role, subjects });
  for (const name of ['listed', 'noise']) await make('/api/v1/namespaces', { name });
  for (let n = 0; n < LISTED; n++) {
    await make('/api/v1/namespaces/listed/configmaps', { name: `m${n}` }, { data: { a: 'x'.repeat(200) } });
  }
  await make(QUIET_MAPS, { name: 'seen' });
});
after(() => cluster.stop());

async function make(path: string, metadata: object, more: object = {}): Promise<void> {
  const { code } = await cluster.send(`POST ${path}`, {
    token: 'admin',
    body: JSON.stringify({ metadata, ...more }),
  });
  assert.equal(code, 201, path);
}

/** How long the quiet user waited, request by request: nine reads, then a create. */
async function askQuietly(seconds: number, token = 'quiet'): Promise<number[]> {
  const waited: number[] = [];
  const end = performance.now() + seconds * 1000;
  for (let n = 0; performance.now() < end; n++) {
    const creates = n % 10 === 9;
    const body = creates ? JSON.stringify({ metadata: { generateName: 'quiet-' } }) : undefined;
    const { code, ms } = await cluster.send(creates ? `POST ${QUIET_MAPS}` : `GET ${QUIET_MAPS}/seen`, { token, body });
    assert.equal(code, creates ? 201 : 200);
    waited.push(ms);
    await pause(20);
  }
  return waited;
}

test(`a quiet user is served within ${P99_MS} ms while ${NOISY.length} others flood`, async (t) => {
  const alone = await askQuietly(3);
  const workerData: FloodWish = {
    server: cluster.server.href,
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
    [0.5, 0.9, 0.99, 1].map((part) => percentile(all, part).toFixed(1)).join(' / ');
  t.diagnostic(`alone: ${alone.length} requests, ms at 50, 90, 99 and 100 %: ${tell(alone)}`);
  t.diagnostic(`in the flood: ${waited.length} requests, ms at 50, 90, 99 and 100 %: ${tell(waited)}`);
  t.diagnostic(`one who is exempt meanwhile: ${exempt.length} requests, ms at 50, 90, 99 and 100 %: ${tell(exempt)}`);
  t.diagnostic(`the others' answers by code: ${JSON.stringify(counted)} in ${SECONDS + 2} s; load ${loadavg()[0]}`);
  assert.ok((counted['200'] ?? 0) > 0 && (counted['201'] ?? 0) > 0, 'the flood was one');
  assert.ok(percentile(waited, 0.99) < P99_MS, 'the quiet user does not wait for the noisy');
});
