import { fsyncSync, openSync, closeSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { CLUSTER_ROLE_BINDINGS, PODS, SERVICE_ACCOUNTS } from '@binnacle/api';
import type { Client } from '@binnacle/client';
import { startBareServer } from '../bare-server.ts';
import { GRPC_HEADERS, PUT_PATH, startEtcd, writePutFrame } from '../etcd.ts';
import { h2load } from '../h2load.ts';
import { benchPod, createPods } from '../pods.ts';
import { startProgram } from '../program.ts';
import type { RunningProgram } from '../program.ts';
import { ThreadCpu } from '../thread-cpu.ts';
import { atLeastShare, atMost, median } from '../row.ts';
import type { Measurement, Row } from '../row.ts';

/** Per round of creates. Short rounds in turn: machines have slow seconds, which then fall on both sides. */
const REQUESTS = 10_000;
const WARM_UP = 2_000;
const CONNECTIONS = 64;
/** So that the last creates meet what sixty thousand objects weigh. */
const CREATE_ROUNDS = 6;
const GET_ROUNDS = 3;
const SINGLES = 500;
const GETS = 60_000;
const VALUE_BYTES = 1800;

/** A token that may do everything. */
export async function adminToken(client: Client): Promise<string> {
  await client.resource(SERVICE_ACCOUNTS, 'default').create({ metadata: { name: 'bench' } });
  await client.resource(CLUSTER_ROLE_BINDINGS).create({
    metadata: { name: 'bench' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'bench', namespace: 'default' }],
  });
  const reply = await client
    .resource(SERVICE_ACCOUNTS, 'default')
    .subresource<{ status: { token: string } }>('create', 'bench', 'token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: { expirationSeconds: 3600 },
    });
  return reply.status.token;
}

/** What one write and fsync of a page costs on the disk of the data directory, milliseconds. */
function fsyncMs(folder: string): number {
  const file = openSync(join(folder, 'fsync.bench'), 'w', 0o600);
  const page = Buffer.alloc(4096, 1);
  const times: number[] = [];
  for (let i = 0; i < 300; i++) {
    const began = performance.now();
    writeSync(file, page);
    fsyncSync(file);
    times.push(performance.now() - began);
  }
  closeSync(file);
  return median(times);
}

/** A body without a name: every request makes a pod of its own. */
export function writeCreateBody(path: string): void {
  const pod = benchPod('', 'nobody');
  const { name: _, ...metadata } = pod.metadata;
  writeFileSync(
    path,
    JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...pod, metadata: { ...metadata, generateName: 'bench-' } }),
  );
}

async function measureCreates(program: RunningProgram, token: string): Promise<Row[]> {
  const body = join(program.dataDir, 'pod.json');
  const frame = join(program.dataDir, 'put.bin');
  writeCreateBody(body);
  writePutFrame(frame, VALUE_BYTES);
  const url = `${program.server}/api/v1/namespaces/default/pods`;
  const headers = ['content-type: application/json', `authorization: Bearer ${token}`];
  const etcd = await startEtcd(join(program.dataDir, 'pki'));
  try {
    const ours: number[] = [];
    const theirs: number[] = [];
    const [many, one] = [new ThreadCpu(program.pid), new ThreadCpu(program.pid)];
    const put = { url: etcd.url + PUT_PATH, headers: GRPC_HEADERS, body: frame, connections: CONNECTIONS };
    const post = { url, headers, body, connections: CONNECTIONS };
    for (const load of [put, post]) await h2load({ ...load, requests: WARM_UP });
    for (let i = 0; i < CREATE_ROUNDS; i++) {
      theirs.push((await h2load({ ...put, requests: REQUESTS })).requestsPerSecond);
      ours.push((await many.during(() => h2load({ ...post, requests: REQUESTS }))).requestsPerSecond);
    }
    const single = await one.during(() => h2load({ url, requests: SINGLES, connections: 1, headers, body }));
    const fsync = fsyncMs(program.dataDir);
    const round = (n: number): number => Math.round(n * 1000) / 1000;
    return [
      atLeastShare(
        {
          name: 'durable creates, 64 connections',
          value: Math.round(median(ours)),
          unit: 'per s',
          reference: { name: 'etcd puts, same tool', value: Math.round(median(theirs)) },
          cpu: many.per('create', REQUESTS * CREATE_ROUNDS),
        },
        0.75,
      ),
      atMost(
        {
          name: 'one durable create',
          value: round(single.meanMs),
          unit: 'ms',
          reference: { name: 'write + fsync', value: round(fsync) },
          cpu: one.per('create', SINGLES),
        },
        round(fsync + 0.6),
      ),
    ];
  } finally {
    await etcd.stop();
  }
}

/** Durable creates beside etcd's puts; one create beside an fsync. */
export const creates: Measurement = {
  name: 'creates',
  async run() {
    const program = await startProgram(['--runtime', 'simulated']);
    try {
      return await measureCreates(program, await adminToken(program.client));
    } finally {
      await program.stop();
    }
  },
};

/** GET of one object beside a bare Node https server that answers with the same bytes. */
export const gets: Measurement = {
  name: 'gets',
  async run() {
    const program = await startProgram(['--runtime', 'simulated']);
    try {
      const token = await adminToken(program.client);
      await createPods(program.client, 1, () => benchPod('read-me', 'nobody'));
      const body = JSON.stringify(await program.client.resource(PODS, 'default').get('read-me'));
      const bare = await startBareServer(join(program.dataDir, 'pki'), body);
      const cpu = new ThreadCpu(program.pid);
      const load = { requests: GETS, connections: 8, streams: 16, headers: [`authorization: Bearer ${token}`] };
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let i = 0; i < GET_ROUNDS; i++) {
        theirs.push((await h2load({ ...load, url: bare.url })).requestsPerSecond);
        ours.push(
          (await cpu.during(() => h2load({ ...load, url: `${program.server}/api/v1/namespaces/default/pods/read-me` })))
            .requestsPerSecond,
        );
      }
      await bare.stop();
      return [
        atLeastShare(
          {
            name: 'GET of one object',
            value: Math.round(median(ours)),
            unit: 'per s',
            reference: { name: 'bare Node https server', value: Math.round(median(theirs)) },
            cpu: cpu.per('GET', GETS * GET_ROUNDS),
          },
          0.6,
        ),
      ];
    } finally {
      await program.stop();
    }
  },
};
