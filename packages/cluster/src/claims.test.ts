import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, STATEFUL_SETS, STORAGE_CLASSES } from '@binnacle/api';
import { withCluster } from './testing/virtual-cluster.ts';

const CLAIM = {
  accessModes: ['ReadWriteOnce' as const],
  storageClassName: 'late',
  resources: { requests: { storage: '1Gi' } },
};
const VOLUME = {
  capacity: { storage: '1Gi' },
  accessModes: ['ReadWriteOnce' as const],
  storageClassName: 'late',
  local: { path: '/data' },
};

test('a claim that waits for its consumer is bound where the pod goes, under every part’s own rights', () =>
  withCluster(3, async (client, clock) => {
    const requirement = { key: 'kubernetes.io/hostname', operator: 'In' as const, values: ['node-1'] };
    const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions: [requirement] }] } };
    await client.resource(STORAGE_CLASSES).create({
      metadata: { name: 'late' },
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    await client.resource(PERSISTENT_VOLUMES).create({ metadata: { name: 'v' }, spec: { ...VOLUME, nodeAffinity } });
    const claims = client.resource(PERSISTENT_VOLUME_CLAIMS, 'default');
    await claims.create({ metadata: { name: 'data' }, spec: CLAIM });
    await clock.advance(5_000);
    assert.equal((await claims.get('data')).status?.phase, 'Pending');
    await client.resource(PODS, 'default').create({
      metadata: { name: 'p' },
      spec: {
        containers: [{ name: 'c', image: 'example.org/c:1' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
    } as never);
    await clock.advance(20_000);
    const pod = await client.resource(PODS, 'default').get('p');
    assert.deepEqual([pod.spec.nodeName, pod.status?.phase], ['node-1', 'Running']);
    const bound = await claims.get('data');
    assert.deepEqual([bound.spec.volumeName, bound.status?.phase], ['v', 'Bound']);
    await client.resource(PODS, 'default').delete('p');
    await claims.delete('data');
    await clock.advance(60_000);
    assert.equal((await client.resource(PERSISTENT_VOLUMES).get('v')).status?.phase, 'Released');
  }));

test('a stateful set with claims runs out of the box, keeps them when it shrinks, and lets its volumes go with them', () =>
  withCluster(4, async (client, clock) => {
    const labels = { app: 'db' };
    const volumeMounts = [{ name: 'data', mountPath: '/data' }];
    const sets = client.resource(STATEFUL_SETS, 'default');
    await sets.create({
      metadata: { name: 'db' },
      spec: {
        replicas: 3,
        serviceName: 'db',
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'c', image: 'example.org/db:1', volumeMounts }] },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    });
    await clock.advance(60_000);
    const claims = client.resource(PERSISTENT_VOLUME_CLAIMS, 'default');
    const state = async (): Promise<readonly unknown[]> =>
      (await claims.list()).items.map(({ metadata, spec, status }) => [
        metadata.name,
        spec.storageClassName,
        status?.phase,
        status?.capacity?.['storage'],
      ]);
    const bound = [0, 1, 2].map((ordinal) => [`data-db-${ordinal}`, 'local-path', 'Bound', '1Gi']);
    assert.deepEqual(await state(), bound);
    assert.equal((await sets.get('db')).status?.readyReplicas, 3);
    const volumes = client.resource(PERSISTENT_VOLUMES);
    const before = (await volumes.list()).items.map(({ metadata }) => metadata.name);
    await sets.patch('db', 'merge', { spec: { replicas: 1 } });
    await clock.advance(90_000);
    assert.deepEqual(await state(), bound);
    await sets.patch('db', 'merge', { spec: { replicas: 3 } });
    await clock.advance(60_000);
    assert.equal((await sets.get('db')).status?.readyReplicas, 3);
    assert.deepEqual(
      (await volumes.list()).items.map(({ metadata }) => metadata.name),
      before,
    );
    await claims.patch('data-db-0', 'merge', { spec: { resources: { requests: { storage: '2Gi' } } } });
    await clock.advance(5_000);
    assert.equal((await claims.get('data-db-0')).status?.capacity?.['storage'], '2Gi');
    await sets.delete('db');
    for (const [name] of bound) await claims.delete(String(name));
    await clock.advance(120_000);
    assert.deepEqual((await volumes.list()).items, []);
  }));
