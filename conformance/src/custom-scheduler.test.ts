/** The example of a scheduler of one's own, started as its page says, beside the default one. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { after, before, describe, test } from 'node:test';
import { EVENTS, NODES, PODS } from '@binnacle/api';
import type { Client } from '@binnacle/client';
import { startProcesses, waitFor } from '@binnacle/testkit';
import type { ProcessCluster } from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/cheapest-scheduler.ts', import.meta.url));

describe('a custom scheduler in forty lines', () => {
  let cluster: ProcessCluster;
  let client: Client;
  let example: ReturnType<typeof spawn> | undefined;
  before(async () => {
    cluster = await startProcesses({ runtime: 'simulated', nodes: 3 });
    client = cluster.client;
    const labels = [
      { 'example.com/price': '9' },
      { 'example.com/price': '3' },
      { 'example.com/price': '1', 'example.com/maintenance': 'true' },
    ];
    const { items } = await client.resource(NODES).list();
    const names = items.map((n) => n.metadata.name ?? '').sort();
    await Promise.all(
      names.map((name, i) => client.resource(NODES).patch(name, 'merge', { metadata: { labels: labels[i] } })),
    );
    const kubeconfig = await cluster.kubeconfigFor('system:kube-scheduler', []);
    example = spawn(process.execPath, [EXAMPLE, kubeconfig], { stdio: ['ignore', 'pipe', 'inherit'] });
    assert.ok(example.stdout);
    await once(example.stdout, 'data');
  });
  after(async () => {
    if (example !== undefined && example.exitCode === null) {
      const ended = once(example, 'exit');
      example.kill('SIGTERM');
      assert.equal((await ended)[0], 0, 'it ends by itself when asked to');
    }
    await cluster?.stop();
  });

  const run = (name: string, nodeSelector: Record<string, string> = {}): Promise<unknown> =>
    client.resource(PODS, 'default').create({
      metadata: { name, labels: { app: 'cheap' } },
      spec: { schedulerName: 'cheapest', nodeSelector, containers: [{ name: 'c', image: IMAGE }] },
    });

  test('its pods go to the cheapest node that is not under maintenance', async () => {
    const names = ['one', 'two', 'three'];
    await Promise.all(names.map((name) => run(name)));
    const pods = await waitFor({
      client,
      resource: PODS,
      namespace: 'default',
      labelSelector: 'app=cheap',
      what: 'three pods with a node',
      until: (all) => all.filter((p) => p.spec.nodeName !== undefined).length === names.length,
    });
    assert.deepEqual(new Set(pods.map((p) => p.spec.nodeName)), new Set(['node-1']));
  });

  test('what its filter says reaches the user', async () => {
    await run('stuck', { 'example.com/price': '1' });
    const events = await waitFor({
      client,
      resource: EVENTS,
      namespace: 'default',
      what: 'an event about the pod',
      until: (all) => all.some((e) => e.involvedObject.name === 'stuck' && e.reason === 'FailedScheduling'),
    });
    const event = events.find((e) => e.involvedObject.name === 'stuck' && e.reason === 'FailedScheduling');
    assert.equal(
      event?.message,
      "0/3 nodes are available: 1 node(s) were under maintenance, 2 node(s) didn't match Pod's node affinity/selector." +
        ' no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
    );
  });
});
