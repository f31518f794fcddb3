import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, STORAGE_CLASSES } from '@binnacle/api';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { ADMIN } from './identities.ts';
import { startSimulatedCluster } from './simulated-cluster.ts';
import { seededTokenKeys } from './testing/token-keys.ts';

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

test('a claim that waits for its consumer is bound where the pod goes, under every part’s own rights', async () => {
  const clock = new VirtualClock();
  const scope = new Scope('cluster', { log: silentLogger });
  const world = { clock, random: createSeededRandom(3), log: silentLogger };
  const starting = startSimulatedCluster({ world, scope, tokenKeys: seededTokenKeys(3), nodes: 2 });
  await clock.advance(0);
  const client = (await starting).clientAs(ADMIN);
  await clock.advance(5_000);
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
  const closing = scope.close();
  await clock.advance(60_000);
  await closing;
});
