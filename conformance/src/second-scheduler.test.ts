/** A second scheduler as a process of its own: each binds its own pods and no other's. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EVENTS, isPodReady, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { Client } from '@binnacle/client';
import { startProcesses, waitFor } from '@binnacle/testkit';
import type { ProcessCluster } from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';

const NAMESPACE = 'default';
const SECOND = 'second-scheduler';

describe('two schedulers', () => {
  let cluster: ProcessCluster;
  let client: Client;
  before(async () => {
    cluster = await startProcesses({ runtime: 'simulated', nodes: 2 });
    client = cluster.client;
  });
  after(() => cluster?.stop());

  const create = (name: string, schedulerName?: string): Promise<Pod> =>
    client.resource(PODS, NAMESPACE).create({
      metadata: { name, labels: { app: 'two' } },
      spec: {
        terminationGracePeriodSeconds: 0,
        ...(schedulerName === undefined ? {} : { schedulerName }),
        containers: [{ name: 'c', image: IMAGE }],
      },
    });
  const untilReady = (names: readonly string[]): Promise<readonly Pod[]> =>
    waitFor({
      client,
      resource: PODS,
      namespace: NAMESPACE,
      labelSelector: 'app=two',
      what: `${names.join(', ')} ready`,
      until: (all) => names.every((name) => all.some((p) => p.metadata.name === name && isPodReady(p))),
    });
  /** Who said that it scheduled which pod. */
  const bindings = async (count: number): Promise<ReadonlyMap<string, string>> => {
    const events = await waitFor({
      client,
      resource: EVENTS,
      namespace: NAMESPACE,
      what: `${count} Scheduled events`,
      until: (all) => all.filter((e) => e.reason === 'Scheduled').length >= count,
    });
    return new Map(
      events
        .filter((e) => e.reason === 'Scheduled')
        .map((e) => [e.involvedObject.name ?? '', e.reportingComponent || (e.source?.component ?? '')]),
    );
  };

  test('the default scheduler leaves the pods of another name alone', async () => {
    await create('stranger', SECOND);
    await create('nobody', 'no-such-scheduler');
    // Pods created later run: the default one has seen the strangers and gone past them.
    await create('own-1');
    await create('own-2', 'default-scheduler');
    const pods = await untilReady(['own-1', 'own-2']);
    for (const name of ['stranger', 'nobody']) {
      const pod = pods.find((p) => p.metadata.name === name);
      assert.equal(pod?.status?.phase, 'Pending');
      assert.equal(pod?.spec.nodeName, undefined);
      assert.deepEqual(pod?.status?.conditions ?? [], [], 'it did not even say why');
    }
    const selected = await client
      .resource(PODS, NAMESPACE)
      .list({ fieldSelector: `spec.schedulerName=${SECOND},spec.nodeName=` });
    assert.deepEqual(
      selected.items.map((p) => p.metadata.name),
      ['stranger'],
    );
  });

  test('the second scheduler binds its own, what waited before it came as well, and no other', async () => {
    const kubeconfig = await cluster.kubeconfigFor('second', ['system:masters']);
    await cluster.start(['scheduler', '--kubeconfig', kubeconfig, '--scheduler-name', SECOND]);
    await untilReady(['stranger']);
    const count = 10;
    const names = Array.from({ length: count }, (_, i) => `mixed-${i}`);
    await Promise.all(names.map((name, i) => create(name, i % 2 === 0 ? SECOND : undefined)));
    const pods = await untilReady(names);
    const said = await bindings(count + 3);
    for (const pod of pods) {
      const name = pod.metadata.name ?? '';
      if (name === 'nobody') assert.equal(pod.spec.nodeName, undefined);
      else assert.equal(said.get(name), pod.spec.schedulerName, `who bound ${name}`);
    }
  });
});
