/** The source documents' main story and what belongs to it: one body on three harnesses, on simulated nodes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  DEPLOYMENTS,
  EVENTS,
  isPodReady,
  NAMESPACES,
  NODES,
  PODS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
} from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { Client } from '@binnacle/client';
import { StatusError } from '@binnacle/machinery';
import { harnesses, waitFor } from '@binnacle/testkit';
import type { TestCluster } from '@binnacle/testkit';
import { deployment, IMAGE, replicationController } from './manifests.ts';

const NAMESPACE = 'default';

function podsOf(
  client: Client,
  app: string,
  what: string,
  until: (pods: readonly Pod[]) => boolean,
): Promise<readonly Pod[]> {
  return waitFor({ client, resource: PODS, namespace: NAMESPACE, labelSelector: `app=${app}`, what, until });
}

const allReady =
  (count: number) =>
  (pods: readonly Pod[]): boolean =>
    pods.length === count && pods.every(isPodReady);

async function createReady(client: Client, app: string, count: number): Promise<readonly Pod[]> {
  await client.resource(REPLICATION_CONTROLLERS, NAMESPACE).create(replicationController(app, count));
  return podsOf(client, app, `${count} ready pods of ${app}`, allReady(count));
}

for (const harness of harnesses) {
  describe(`story over ${harness.name}`, () => {
    let cluster: TestCluster;
    let client: Client;
    before(async () => {
      cluster = await harness.start({ runtime: 'simulated', nodes: 3 });
      client = cluster.client;
    });
    after(() => cluster?.stop());

    test('three pods run, are ready, have addresses and nodes', async () => {
      const pods = await createReady(client, 'frontend', 3);
      const nodes = new Set((await client.resource(NODES).list()).items.map((n) => n.metadata.name));
      assert.equal(nodes.size, 3);
      for (const pod of pods) {
        assert.equal(pod.status?.phase, 'Running');
        assert.match(pod.status?.podIP ?? '', /^\d+\.\d+\.\d+\.\d+$/);
        assert.ok(nodes.has(pod.spec.nodeName), `node ${pod.spec.nodeName}`);
        assert.match(pod.metadata.name ?? '', /^frontend-[a-z0-9]{5}$/);
        const conditions = (pod.status?.conditions ?? []).filter((c) => c.status === 'True').map((c) => c.type);
        assert.deepEqual([...conditions].sort(), [
          'ContainersReady',
          'Initialized',
          'PodReadyToStartContainers',
          'PodScheduled',
          'Ready',
        ]);
      }
      const [rc] = await waitFor({
        client,
        resource: REPLICATION_CONTROLLERS,
        namespace: NAMESPACE,
        name: 'frontend',
        what: 'the status of the replication controller',
        until: (all) => all[0]?.status?.readyReplicas === 3,
      });
      assert.equal(rc?.status?.replicas, 3);
    });

    test('scaling up and down through the scale subresource', async () => {
      await createReady(client, 'scaled', 2);
      const api = client.resource(REPLICATION_CONTROLLERS, NAMESPACE);
      const scale = await api.subresource<{ spec: { replicas: number } }>('get', 'scaled', 'scale');
      assert.equal(scale.spec.replicas, 2);
      // Without its version: the controller may write the status in between.
      await api.subresource('update', 'scaled', 'scale', {
        ...scale,
        metadata: { name: 'scaled' },
        spec: { replicas: 5 },
      });
      await podsOf(client, 'scaled', 'five ready pods', allReady(5));
      await api.patch('scaled', 'merge', { spec: { replicas: 1 } });
      await podsOf(client, 'scaled', 'one pod', allReady(1));
    });

    test('a deleted pod is replaced by another one', async () => {
      const [victim] = await createReady(client, 'replaced', 2);
      await client.resource(PODS, NAMESPACE).delete(victim?.metadata.name ?? '');
      const pods = await podsOf(
        client,
        'replaced',
        'a replacement',
        (all) => allReady(2)(all) && !all.some((p) => p.metadata.uid === victim?.metadata.uid),
      );
      assert.equal(pods.length, 2);
    });

    test('deleting a replication controller: its default is orphan, Background takes the pods along', async () => {
      await createReady(client, 'orphaned', 2);
      const api = client.resource(REPLICATION_CONTROLLERS, NAMESPACE);
      await api.delete('orphaned');
      await waitFor({
        client,
        resource: REPLICATION_CONTROLLERS,
        namespace: NAMESPACE,
        name: 'orphaned',
        what: 'the controller to go',
        until: (all) => all.length === 0,
      });
      const left = await podsOf(
        client,
        'orphaned',
        'orphans',
        (all) => all.length === 2 && all.every((p) => (p.metadata.ownerReferences ?? []).length === 0),
      );
      assert.equal(left.length, 2);

      await createReady(client, 'collected', 2);
      await api.delete('collected', { propagationPolicy: 'Background' });
      await podsOf(client, 'collected', 'the pods to go', (all) => all.length === 0);
    });

    test('a deployment rolls out a change, keeping its history', async () => {
      const api = client.resource(DEPLOYMENTS, NAMESPACE);
      await api.create(deployment('rolled', 3));
      await podsOf(client, 'rolled', 'three ready pods', allReady(3));
      await api.patch('rolled', 'strategic', { spec: { template: { metadata: { annotations: { version: '2' } } } } });
      const isNew = (p: Pod): boolean => p.metadata.annotations?.['version'] === '2';
      await podsOf(client, 'rolled', 'three new pods', (all) => allReady(3)(all) && all.every(isNew));
      const sets = await waitFor({
        client,
        resource: REPLICA_SETS,
        namespace: NAMESPACE,
        labelSelector: 'app=rolled',
        what: 'two replica sets, the old one empty',
        until: (all) => all.length === 2 && all.filter((s) => (s.status?.replicas ?? 0) === 0).length === 1,
      });
      const revisions = sets.map((s) => s.metadata.annotations?.['deployment.kubernetes.io/revision']);
      assert.deepEqual([...revisions].sort(), ['1', '2']);
    });

    test('a namespace goes with everything in it', async () => {
      await client.resource(NAMESPACES).create({ metadata: { name: 'doomed' }, spec: {} });
      await waitFor({
        client,
        resource: NAMESPACES,
        name: 'doomed',
        what: 'the namespace',
        until: (all) => all[0]?.status?.phase === 'Active',
      });
      await client.resource(REPLICATION_CONTROLLERS, 'doomed').create(replicationController('inside', 2));
      await waitFor({ client, resource: PODS, namespace: 'doomed', what: 'pods inside', until: allReady(2) });
      await client.resource(NAMESPACES).delete('doomed');
      await waitFor({
        client,
        resource: NAMESPACES,
        name: 'doomed',
        what: 'the namespace to go',
        until: (all) => all.length === 0,
      });
      assert.deepEqual((await client.resource(PODS, 'doomed').list()).items, []);
    });

    test('a pod that fits nowhere says why, and goes on when it can', async () => {
      const pods = client.resource(PODS, NAMESPACE);
      await pods.create({
        metadata: { name: 'huge', labels: { app: 'huge' } },
        spec: { containers: [{ name: 'c', image: IMAGE, resources: { requests: { cpu: '10000' } } }] },
      } as never);
      const [pod] = await podsOf(
        client,
        'huge',
        'the reason',
        (all) => all[0]?.status?.conditions?.some((c) => c.reason === 'Unschedulable') === true,
      );
      const condition = pod?.status?.conditions?.find((c) => c.type === 'PodScheduled');
      assert.equal(condition?.status, 'False');
      assert.equal(
        condition?.message,
        '0/3 nodes are available: 3 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
      );
      await waitFor({
        client,
        resource: EVENTS,
        namespace: NAMESPACE,
        what: 'a FailedScheduling event',
        until: (all) => all.some((e) => e.reason === 'FailedScheduling' && e.involvedObject.name === 'huge'),
      });
      await pods.delete('huge');
    });

    test('bad manifests get an error in the words of Kubernetes, and nothing is stored', async () => {
      const pods = client.resource(PODS, NAMESPACE);
      const rows: { name: string; spec: unknown; message: RegExp }[] = [
        {
          name: 'no-containers',
          spec: {},
          message: /Pod "no-containers" is invalid: spec\.containers: Required value/,
        },
        {
          name: 'no-image',
          spec: { containers: [{ name: 'c' }] },
          message: /spec\.containers\[0\]\.image: Required value/,
        },
        {
          name: 'Bad_Name',
          spec: { containers: [{ name: 'c', image: 'i' }] },
          message: /metadata\.name: Invalid value: "Bad_Name"/,
        },
        {
          name: 'bad-policy',
          spec: { restartPolicy: 'Sometimes', containers: [{ name: 'c', image: 'i' }] },
          message:
            /spec\.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"/,
        },
      ];
      for (const row of rows) {
        await assert.rejects(
          pods.create({ metadata: { name: row.name }, spec: row.spec } as never),
          (error: unknown) => error instanceof StatusError && error.httpCode === 422 && row.message.test(error.message),
          row.name,
        );
        await assert.rejects(
          pods.get(row.name),
          (error: unknown) => error instanceof StatusError && error.httpCode === 404,
        );
      }
    });
  });
}
