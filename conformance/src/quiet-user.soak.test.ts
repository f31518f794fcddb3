/**
 * Priority and fairness on a running server: one user asks now and then while others flood it with lists and creates
 * over many connections. Alone on the machine: `npm run soak -- quiet-user`. `FLOOD_SECONDS` says how long.
 */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { makeFolder, percentile } from '@binnacle/testkit';
import type { FloodCount, FloodWish } from './flooding-program.ts';
import { startTokenCluster } from './token-cluster.ts';
import type { Sent, TokenCluster } from './token-cluster.ts';

const SECONDS = Number(process.env['FLOOD_SECONDS'] ?? 20);
const NOISY = ['noisy-1', 'noisy-2', 'noisy-3', 'noisy-4'];
const CONNECTIONS = 256;
const LISTED = 500;
/** What the quiet user may wait, 99 times of 100. */
const P99_MS = 50;
const QUIET_MAPS = '/api/v1/namespaces/default/configmaps';
/** Who floods gets what the server leaves of the machine: else it is the flood that the quiet user waits for. */
const FLOOD_NICENESS = 10;
/** Who asks quietly is in the audit log, from which it shows where the time went. */
const AUDIT_POLICY = {
  kind: 'Policy',
  apiVersion: 'audit.k8s.io/v1',
  rules: [{ level: 'Metadata', users: ['quiet', 'admin'], namespaces: ['default'] }, { level: 'None' }],
};

const folder = makeFolder();
const auditLog = join(folder.path, 'audit.log');
let cluster: TokenCluster;

before(async () => {
  const policy = join(folder.path, 'policy.json');
  writeFileSync(policy, JSON.stringify(AUDIT_POLICY));
  // Nobody who floods is of system:masters: those are exempt.
  const users = ['quiet', ...NOISY].map((name, n) => `${name},${name},${n},"people"`);
  const flags = ['--audit-policy-file', policy, '--audit-log-path', auditLog];
  cluster = await startTokenCluster(['admin,admin,admin,"system:masters"', ...users], flags);
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
  await cluster.stop();
  folder.remove();
});

async function make(path: string, metadata: object, more: object = {}): Promise<void> {
  const { code } = await cluster.send(`POST ${path}`, {
    token: 'admin',
    body: JSON.stringify({ metadata, ...more }),
  });
  assert.equal(code, 201, path);
}

/** What the quiet user was answered, request by request: nine reads, then a create. */
async function askQuietly(seconds: number, token = 'quiet'): Promise<Sent[]> {
  const answers: Sent[] = [];
  const end = performance.now() + seconds * 1000;
  for (let n = 0; performance.now() < end; n++) {
    const creates = n % 10 === 9;
    const body = creates ? JSON.stringify({ metadata: { generateName: 'quiet-' } }) : undefined;
    const sent = await cluster.send(creates ? `POST ${QUIET_MAPS}` : `GET ${QUIET_MAPS}/seen`, { token, body });
    assert.equal(sent.code, creates ? 201 : 200);
    answers.push(sent);
    await pause(20);
  }
  return answers;
}

interface Flood {
  /** What it was answered. */
  stop(): Promise<FloodCount>;
}

async function startFlood(): Promise<Flood> {
  const program = fileURLToPath(new URL('./flooding-program.ts', import.meta.url));
  const execArgv = ['-n', String(FLOOD_NICENESS), process.execPath];
  const flood = fork(program, { execPath: 'nice', execArgv });
  await once(flood, 'spawn');
  const wish: FloodWish = {
    server: cluster.server.href,
    tokens: NOISY,
    connections: CONNECTIONS,
    listPath: '/api/v1/namespaces/listed/configmaps',
    createPath: '/api/v1/namespaces/noise/configmaps',
    createEach: 3,
  };
  flood.send(wish);
  return {
    async stop() {
      const ended = once(flood, 'exit');
      const told = once(flood, 'message');
      flood.send('stop');
      const [counted] = (await told) as [FloodCount];
      await ended;
      return counted;
    },
  };
}

/** How long the server's main thread has run, and how long it was ready to and had no CPU: milliseconds. */
function readSchedule(): { readonly ran: number; readonly waited: number } {
  const [ran = 0, waited = 0] = readFileSync(`/proc/${cluster.pid}/schedstat`, 'utf8').split(' ').map(Number);
  return { ran: ran / 1e6, waited: waited / 1e6 };
}

interface AuditEvent {
  readonly auditID: string;
  readonly stage: string;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

/** When the server began with a request, and when its answer was ready, by its id: milliseconds since the epoch. */
function readServed(): ReadonlyMap<string, readonly [began: number, ended: number]> {
  const events = readFileSync(auditLog, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditEvent);
  const ends = events.filter(({ stage }) => stage === 'ResponseComplete');
  return new Map(
    ends.map((one) => [one.auditID, [msOf(one.requestReceivedTimestamp), msOf(one.stageTimestamp)] as const]),
  );
}

/** With the fraction that Date leaves out. */
function msOf(time: string): number {
  return Date.parse(`${time.slice(0, 19)}Z`) + Number(`0.${time.slice(20, -1)}`) * 1000;
}

const tell = (all: readonly number[]): string =>
  [0.5, 0.9, 0.99, 1].map((part) => percentile(all, part).toFixed(1)).join(' / ');

/** Where the time of requests went, ms at 50, 90, 99 and 100 %. */
function breakDown(answers: readonly Sent[]): string {
  const served = readServed();
  const found = answers.flatMap(({ at, ms, id }) => {
    const [began, ended] = served.get(id) ?? [];
    return began === undefined || ended === undefined ? [] : [[began - at, ended - began, at + ms - ended] as const];
  });
  const part = (which: 0 | 1 | 2): string => tell(found.map((times) => times[which]));
  const reads = answers.filter(({ code }) => code === 200).map(({ ms }) => ms);
  const creates = answers.filter(({ code }) => code === 201).map(({ ms }) => ms);
  return `${tell(answers.map(({ ms }) => ms))} (reads ${tell(reads)}, creates ${tell(creates)}; on the way in ${part(0)}, in the server with its queues ${part(1)}, on the way out ${part(2)})`;
}

test(`a quiet user is served within ${P99_MS} ms while ${NOISY.length} others flood`, async (t) => {
  const alone = await askQuietly(3);
  const flood = await startFlood();
  await askQuietly(2);
  const delays = monitorEventLoopDelay({ resolution: 1 });
  const [before, since] = [readSchedule(), performance.now()];
  delays.enable();
  const [waited, exempt] = await Promise.all([askQuietly(SECONDS), askQuietly(SECONDS, 'admin')]);
  delays.disable();
  const [now, took] = [readSchedule(), performance.now() - since];
  const counted = await flood.stop();
  const share = (ms: number): string => `${((100 * ms) / took).toFixed(0)} %`;
  const told = [
    `alone: ${alone.length} requests, ms at 50, 90, 99 and 100 %: ${breakDown(alone)}`,
    `in the flood: ${waited.length} requests: ${breakDown(waited)}`,
    `one who is exempt meanwhile: ${exempt.length} requests: ${breakDown(exempt)}`,
    `the server's thread ran ${share(now.ran - before.ran)} of the time and waited for a CPU ${share(now.waited - before.waited)}`,
    `who asked was late by ${(delays.percentile(50) / 1e6).toFixed(1)} ms, by ${(delays.percentile(99) / 1e6).toFixed(1)} 1 time of 100`,
    `the others' answers by code: ${JSON.stringify(counted)} in ${SECONDS + 2} s; load ${loadavg()[0]}`,
  ];
  for (const line of told) t.diagnostic(line);
  assert.ok((counted['200'] ?? 0) > 0 && (counted['201'] ?? 0) > 0, 'the flood was one');
  const p99 = percentile(
    waited.map(({ ms }) => ms),
    0.99,
  );
  assert.ok(p99 < P99_MS, `the quiet user waited ${p99.toFixed(1)} ms 1 time of 100:\n${told.join('\n')}`);
});
