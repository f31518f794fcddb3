/** Claims on containerd: a StatefulSet's data is in real files of the node, stays while it shrinks, and goes with the claims. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isPodReady, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, STATEFUL_SETS } from '@binnacle/api';
import type { Client } from '@binnacle/client';
import { findKubectl, kubectlOutput, skipWithoutContainerd, startContainerdCluster, waitFor } from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';

const NAMESPACE = 'default';
const LABELS = { app: 'db' };
// Each life adds a line to what the ones before it left.
const SCRIPT = 'echo "$HOSTNAME" >> /data/lives; touch /tmp/lives; trap "exit 0" TERM; while :; do sleep 1; done';
const SET = {
  metadata: { name: 'db' },
  spec: {
    replicas: 2,
    serviceName: 'db',
    selector: { matchLabels: LABELS },
    template: {
      metadata: { labels: LABELS },
      spec: {
        terminationGracePeriodSeconds: 2,
        securityContext: { runAsUser: 1234, runAsGroup: 1234 },
        containers: [
          {
            name: 'c',
            image: IMAGE,
            imagePullPolicy: 'Never' as const,
            command: ['sh', '-c', SCRIPT],
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
            readinessProbe: { exec: { command: ['test', '-e', '/tmp/lives'] }, periodSeconds: 1 },
          },
        ],
      },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '16Mi' } } },
      },
    ],
  },
};

const skip = await skipWithoutContainerd();

async function untilReady(client: Client, count: number): Promise<void> {
  await waitFor({
    client,
    resource: PODS,
    namespace: NAMESPACE,
    labelSelector: 'app=db',
    what: `${count} ready pods`,
    until: (pods) => pods.length === count && pods.every(isPodReady),
  });
}

test(
  'a stateful set with claims: its data survives scale down and up, and goes with the claims',
  { skip },
  async () => {
    const cluster = await startContainerdCluster();
    const { client, dataDir, kubeconfig } = cluster;
    try {
      const kubectl = await findKubectl();
      assert.ok(kubectl, 'there is a kubectl on this machine');
      await client.resource(STATEFUL_SETS, NAMESPACE).create(SET);
      await untilReady(client, 2);
      const root = join(dataDir, 'local-path');
      const claim = await client.resource(PERSISTENT_VOLUME_CLAIMS, NAMESPACE).get('data-db-1');
      const directory = join(root, `pvc-${claim.metadata.uid}`);
      assert.deepEqual([claim.status?.phase, claim.spec.storageClassName], ['Bound', 'local-path']);
      assert.deepEqual([statSync(root).mode & 0o777, statSync(directory).mode & 0o777], [0o700, 0o777]);
      const lives = (): string => readFileSync(join(directory, 'lives'), 'utf8');
      const inside = await kubectlOutput(kubectl, kubeconfig, ['exec', 'db-1', '--', 'cat', '/data/lives']);
      assert.deepEqual([lives(), inside.trim()], ['db-1\n', 'db-1']);
      assert.equal(statSync(join(directory, 'lives')).uid, 1234);
      const scale = async (replicas: number): Promise<void> => {
        await kubectlOutput(kubectl, kubeconfig, ['scale', 'statefulset/db', `--replicas=${replicas}`]);
        await untilReady(client, replicas);
      };
      await scale(0);
      assert.equal(lives(), 'db-1\n');
      await scale(2);
      assert.equal(lives(), 'db-1\ndb-1\n');
      await client.resource(STATEFUL_SETS, NAMESPACE).delete('db');
      await client.resource(PERSISTENT_VOLUME_CLAIMS, NAMESPACE).deleteCollection();
      await waitFor({
        client,
        resource: PERSISTENT_VOLUMES,
        what: 'the volumes to go',
        until: (all) => all.length === 0,
      });
      assert.deepEqual(readdirSync(root), []);
    } finally {
      await cluster.stop();
    }
  },
);
