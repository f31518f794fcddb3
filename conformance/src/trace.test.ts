/** The trace joins what happens in separate processes, by revision and by header, on SQLite and on a real etcd. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isPodReady, PODS, REPLICATION_CONTROLLERS } from '@binnacle/api';
import { readText } from '@binnacle/machinery';
import { skipWithoutEtcd, startProcesses, startTestEtcd, waitFor } from '@binnacle/testkit';
import type { ProcessCluster } from '@binnacle/testkit';
import type { TraceHop, TraceHopList } from '@binnacle/trace';
import { replicationController } from './manifests.ts';

const ROOT = '/apis/trace.binnacle.dev/v1';
const DEADLINE_MS = 20_000;
const CLIENT = /^(kubernetes-admin|system:apiserver)$/;

/** The hops of a stream, as they come, until the last one is there. */
async function streamed(cluster: ProcessCluster, path: string, isLast: (hop: TraceHop) => boolean): Promise<void> {
  const reply = await cluster.client.wire.raw({ path, signal: AbortSignal.timeout(DEADLINE_MS) });
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of reply.body) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { type, object } = JSON.parse(line) as { type: string; object: TraceHop };
      if (type === 'ADDED' && isLast(object)) return;
    }
  }
  assert.fail('the stream ended before the last hop came');
}

function endOf(byName: ReadonlyMap<string, TraceHop>, first: TraceHop): { type: string; last: TraceHop } {
  let hop = first;
  for (let steps = 0; steps < 10_000; steps++) {
    const { cause } = hop;
    if (cause.type !== 'hop') return { type: cause.type, last: hop };
    hop = byName.get(cause.hop) ?? assert.fail(`${hop.title}: its cause ${cause.hop} is nowhere`);
  }
  assert.fail(`the causes of ${first.title} go round`);
}

const STEPS: readonly RegExp[] = [
  /^request POST \/api\/v1\/namespaces\/default\/replicationcontrollers/,
  /^commit create/,
  /^delivery ADDED replicationcontrollers/,
  /^reconcile sync default\/frontend/,
  /^request POST \/api\/v1\/namespaces\/default\/pods$/,
  /^commit create/,
  /^delivery ADDED pods/,
  /^decision schedule/,
  /^request POST .*\/binding$/,
  /^commit update/,
  /^delivery (ADDED|MODIFIED) pods/,
  /^kubelet pod worker waiting → syncing/,
  /^runtime run sandbox/,
  /^runtime start container/,
  /^request PATCH .*\/status$/,
  /^commit update/,
];

async function checkStory(cluster: ProcessCluster): Promise<void> {
  const { client } = cluster;
  await client.resource(REPLICATION_CONTROLLERS, 'default').create(replicationController('frontend', 1));
  const [pod] = await waitFor({
    client,
    resource: PODS,
    namespace: 'default',
    what: 'a pod that is ready',
    until: (pods) => pods.length === 1 && pods.every(isPodReady),
  });
  const about = `/namespaces/default/hops?about=${encodeURIComponent(`pods/${pod?.metadata.name}`)}`;
  const missing = new Set([
    'start container',
    'sync default/frontend',
    'pod worker waiting → syncing',
    'schedule default',
  ]);
  await streamed(cluster, `${ROOT}${about}&watch=true`, ({ title }) => {
    for (const one of missing) if (title.startsWith(one)) missing.delete(one);
    return missing.size === 0;
  });
  const story = JSON.parse(await readText(client.wire, `${ROOT}${about}&limit=5000`)) as TraceHopList;
  const told = story.items.map(({ type, title }) => `${type} ${title}`);
  for (let at = 0, step = 0; step < STEPS.length; step++) {
    const found = told.findIndex((line, index) => index >= at && STEPS[step]?.test(line) === true);
    assert.notEqual(found, -1, `no ${STEPS[step]} after line ${at} of\n${told.join('\n')}`);
    at = found + 1;
  }
  const all = JSON.parse(await readText(client.wire, `${ROOT}/hops?limit=5000`)) as TraceHopList;
  assert.equal(all.metadata.continue, undefined, 'all hops are on one page');
  const byName = new Map(all.items.map((hop) => [hop.metadata.name, hop]));
  const wrong = all.items.flatMap((commit) => {
    if (commit.type !== 'commit') return [];
    const { type, last } = endOf(byName, commit);
    const isRight = type === 'timer' || (type === 'client' && CLIENT.test(last.user ?? ''));
    return isRight
      ? []
      : [`${commit.title} ${commit.object?.resource}/${commit.object?.name}: ${type} at ${last.title} by ${last.user}`];
  });
  assert.deepEqual(wrong, []);
  const running = all.items.findLast(({ type, object }) => type === 'commit' && object?.name === pod?.metadata.name);
  assert.equal(running === undefined ? '' : endOf(byName, running).type, 'client');
}

describe('the trace over separate processes', () => {
  test('on SQLite', async () => {
    const cluster = await startProcesses({ runtime: 'simulated' });
    try {
      await checkStory(cluster);
    } finally {
      await cluster.stop();
    }
  });

  test('on etcd', { skip: skipWithoutEtcd() }, async () => {
    const etcd = await startTestEtcd();
    try {
      const storeFlags = ['--store', 'etcd', '--etcd-servers', etcd.endpoint];
      const cluster = await startProcesses({ runtime: 'simulated', storeFlags });
      try {
        await checkStory(cluster);
      } finally {
        await cluster.stop();
      }
    } finally {
      await etcd.stop();
    }
  });
});
