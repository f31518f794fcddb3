/** What constraints promise, seen from outside: spreading, keeping apart, making room. One body on three harnesses. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EVENTS, NODES, PODS, PRIORITY_CLASSES } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { Client } from '@binnacle/client';
import { harnesses, waitFor } from '@binnacle/testkit';
import type { TestCluster } from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';

const NAMESPACE = 'default';
const ZONE = 'topology.kubernetes.io/zone';

for (const harness of harnesses) {
  describe(`scheduling over ${harness.name}`, () => {
    let cluster: TestCluster;
    let client: Client;
    before(async () => {
      cluster = await harness.start({ runtime: 'simulated', nodes: 4 });
      client = cluster.client;
      const { items } = await client.resource(NODES).list();
      const names = items.map((n) => n.metadata.name ?? '').sort();
      await Promise.all(
        names.map((name, i) =>
          client.resource(NODES).patch(name, 'merge', { metadata: { labels: { [ZONE]: i < 3 ? 'east' : 'west' } } }),
        ),
      );
    });
    after(() => cluster?.stop());

    const create = (app: string, count: number, spec: Partial<Pod['spec']>): Promise<unknown> =>
      Promise.all(
        Array.from({ length: count }, (_, i) =>
          client.resource(PODS, NAMESPACE).create({
            metadata: { name: `${app}-${i}`, labels: { app } },
            spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: IMAGE }], ...spec },
          }),
        ),
      );
    const placed = async (app: string, count: number): Promise<readonly Pod[]> => {
      const pods = await waitFor({
        client,
        resource: PODS,
        namespace: NAMESPACE,
        labelSelector: `app=${app}`,
        what: `${count} pods of ${app} with a node`,
        until: (all) => all.filter((p) => p.spec.nodeName !== undefined).length >= count,
      });
      return pods.filter((p) => p.spec.nodeName !== undefined);
    };

    test('pods that keep apart get a node each; one too many waits, and says why', async () => {
      const labelSelector = { matchLabels: { app: 'hermit' } };
      const term = { labelSelector, topologyKey: 'kubernetes.io/hostname' };
      const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
      await create('hermit', 5, { affinity });
      const pods = await placed('hermit', 4);
      assert.equal(new Set(pods.map((p) => p.spec.nodeName)).size, 4);
      const why =
        "0/4 nodes are available: 4 node(s) didn't match pod anti-affinity rules. no new claims to deallocate," +
        ' preemption: 0/4 nodes are available: 4 No preemption victims found for incoming pod.';
      // Before a node is ready another reason is told.
      await waitFor({
        client,
        resource: PODS,
        namespace: NAMESPACE,
        labelSelector: 'app=hermit',
        what: 'the fifth pod told why it waits',
        until: (all) =>
          all.some(
            ({ spec, status }) =>
              spec.nodeName === undefined &&
              status?.conditions?.find((c) => c.reason === 'Unschedulable')?.message === why,
          ),
      });
      // Room is made: the one that waits is not forgotten.
      await client.resource(PODS, NAMESPACE).delete(pods[0]?.metadata.name ?? '');
      await placed('hermit', 4);
    });

    test('pods are spread over zones within the skew that is allowed', async () => {
      await create('even', 8, {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: ZONE,
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchLabels: { app: 'even' } },
          },
        ],
      });
      const pods = await placed('even', 8);
      const { items } = await client.resource(NODES).list();
      const zoneOf = new Map(items.map((n) => [n.metadata.name, n.metadata.labels?.[ZONE]]));
      const west = pods.filter((p) => zoneOf.get(p.spec.nodeName) === 'west').length;
      assert.equal(west, 4);
    });

    test('a more important pod gets the room of a less important one, which is told', async () => {
      await client.resource(PRIORITY_CLASSES).create({ metadata: { name: 'urgent' }, value: 1_000 });
      const { items } = await client.resource(NODES).list();
      const target = items[0];
      // More than half of the node: two of them never fit, whatever its size.
      const cpu = `${Number(target?.status?.allocatable?.['cpu'] ?? 0) * 600}m`;
      const nodeSelector = { 'kubernetes.io/hostname': target?.metadata.name ?? '' };
      const containers = [{ name: 'c', image: IMAGE, resources: { requests: { cpu } } }];
      await create('low', 1, { nodeSelector, containers });
      await placed('low', 1);
      await create('high', 1, { nodeSelector, containers, priorityClassName: 'urgent' });
      const [high] = await placed('high', 1);
      assert.equal(high?.spec.nodeName, target?.metadata.name);
      const events = await waitFor({
        client,
        resource: EVENTS,
        namespace: NAMESPACE,
        what: 'an event about the victim',
        until: (all) => all.some((e) => e.reason === 'Preempted'),
      });
      const event = events.find((e) => e.reason === 'Preempted');
      assert.deepEqual(
        [event?.involvedObject.name, event?.message],
        ['low-0', `Preempted by pod ${high?.metadata.uid ?? ''} on node ${target?.metadata.name ?? ''}`],
      );
    });
  });
}
