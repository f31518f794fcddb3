/** The trace joins what happens in separate processes, by revision and by header, on SQLite and on a real etcd. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isPodReady, PODS, REPLICATION_CONTROLLERS } from '@binnacle/api';
import { readText } from '@binnacle/machinery';
import { skipWithoutEtcd, startProcesses, startTestEtcd, waitFor } from '@binnacle/testkit';
import type { ProcessCluster } from '@binnacle/testkit';
import type { TraceHopList } from '@binnacle/trace';
import { replicationController } from './manifests.ts';
import { allHops, causesOfNow, endOf, streamed, TRACE_ROOT } from './trace-causes.ts';

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
  for await (const { object } of streamed(client.wire, `${about}&watch=true`)) {
    for (const one of missing) if (object.title?.startsWith(one) === true) missing.delete(one);
    if (missing.size === 0) break;
  }
  assert.deepEqual([...missing], []);
  const story = JSON.parse(await readText(client.wire, `${TRACE_ROOT}${about}&limit=5000`)) as TraceHopList;
  const told = story.items.map(({ type, title }) => `${type} ${title}`);
  for (let at = 0, step = 0; step < STEPS.length; step++) {
    const found = told.findIndex((line, index) => index >= at && STEPS[step]?.test(line) === true);
    assert.notEqual(found, -1, `no ${STEPS[step]} after line ${at} of\n${told.join('\n')}`);
    at = found + 1;
  }
  const { wrong } = await causesOfNow(client.wire);
  assert.deepEqual(wrong, []);
  const all = await allHops(client.wire);
  const byName = new Map(all.map((hop) => [hop.metadata.name, hop]));
  const running = all.findLast(({ type, object }) => type === 'commit' && object?.name === pod?.metadata.name);
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
