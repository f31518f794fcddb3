import { strict as assert } from 'node:assert';
import { formatTime } from '@binnacle/base';
import {
  CONFIG_MAPS,
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  NAMESPACES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  REPLICA_SETS,
  RESOURCE_QUOTAS,
  SECRETS,
  SERVICE_ACCOUNTS,
  STATEFUL_SETS,
} from '@binnacle/api';
import { startFakeNode } from './test-node.ts';
import { failPods, numbers, once, runDaemonSet, runParallelSet, runReplicaSet, template } from './test-scenario.ts';
import type { Scenario } from './test-scenario.ts';
import type { TestWorld } from './test-world.ts';

const MODES = { accessModes: ['ReadWriteOnce' as const] };

function seedVolume(world: TestWorld, number: number, claim?: string): void {
  const claimRef = claim === undefined ? {} : { claimRef: { namespace: 'default', name: claim } };
  const spec = { ...MODES, capacity: { storage: '1Gi' }, hostPath: { path: '/data' }, ...claimRef };
  world.api.seed(PERSISTENT_VOLUMES, { metadata: { name: `v${number}` }, spec });
}

async function addClaim(world: TestWorld, number: number): Promise<void> {
  const spec = { ...MODES, storageClassName: '', resources: { requests: { storage: '1Gi' } } };
  const claims = world.client.resource(PERSISTENT_VOLUME_CLAIMS, 'default');
  await claims.create({ metadata: { name: `c${number}` }, spec });
}

function assertBound(world: TestWorld): void {
  const phases = new Set(world.api.objects(PERSISTENT_VOLUME_CLAIMS).map(({ status }) => status?.phase));
  assert.deepEqual([...phases], ['Bound']);
}

/** Workloads that come by the dozen, and what keeps the cluster itself in order. */
export const CLUSTER_SCENARIOS: { readonly [name: string]: Scenario } = {
  'many jobs of one pod': {
    which: ['job-controller'],
    size: 10,
    run: async (world, count) => {
      startFakeNode(world).ends = () => 'Succeeded';
      const jobs = world.client.resource(JOBS, 'default');
      for (const i of numbers(count)) await jobs.create({ metadata: { name: `j${i}` }, spec: { template: once } });
      await world.run(30_000);
      assert.ok(world.api.objects(JOBS).every(({ status }) => status?.succeeded === 1));
    },
  },
  'many ordered stateful sets': {
    which: ['statefulset-controller'],
    size: 10,
    run: async (world, count) => {
      startFakeNode(world);
      for (const i of numbers(count)) {
        const labels = { set: `s${i}` };
        const of = { template: { ...template, metadata: { labels } }, selector: { matchLabels: labels } };
        await world.client
          .resource(STATEFUL_SETS, 'default')
          .create({ metadata: { name: `s${i}` }, spec: { replicas: 2, serviceName: 's', ...of } });
      }
      await world.run(20_000);
      assert.ok(world.api.objects(STATEFUL_SETS).every(({ status }) => status?.readyReplicas === 2));
    },
  },
  // From as many on that changes are gathered.
  'one deployment is rolled out anew': {
    which: ['deployment-controller', 'replicaset-controller'],
    size: 60,
    run: async (world, count) => {
      startFakeNode(world);
      const deployments = world.client.resource(DEPLOYMENTS, 'default');
      const spec = { replicas: count, selector: { matchLabels: { a: 'b' } }, template };
      await deployments.create({ metadata: { name: 'web' }, spec });
      await world.run(20_000);
      const next = { spec: { template: { spec: { containers: [{ name: 'c', image: 'y' }] } } } };
      await deployments.patch('web', 'strategic', next);
      await world.run(60_000);
      const status = world.api.objects(DEPLOYMENTS)[0]?.status;
      assert.deepEqual([status?.updatedReplicas, status?.readyReplicas, status?.replicas], [count, count, count]);
    },
  },
  'one parallel stateful set is scaled to nothing': {
    which: ['statefulset-controller'],
    size: 60,
    run: async (world, count) => {
      await runParallelSet(world, count);
      await world.client.resource(STATEFUL_SETS, 'default').patch('web', 'merge', { spec: { replicas: 0 } });
      await world.run(20_000);
      assert.deepEqual([world.api.objects(PODS).length, world.api.objects(STATEFUL_SETS)[0]?.status?.replicas], [0, 0]);
    },
  },
  'all pods of a replica set fail': {
    which: ['replicaset-controller'],
    size: 60,
    run: async (world, count) => {
      await runReplicaSet(world, count);
      failPods(world);
      await world.run(20_000);
      assert.equal(world.api.objects(REPLICA_SETS)[0]?.status?.readyReplicas, count);
    },
  },
  // At the most as many as one sync deletes.
  'all pods of a daemon set fail': {
    which: ['daemonset-controller'],
    size: 15,
    run: async (world, count) => {
      await runDaemonSet(world, count);
      failPods(world);
      await world.run(40_000);
      assert.equal(world.api.objects(DAEMON_SETS)[0]?.status?.numberReady, count);
    },
  },
  'blocking dependents of one owner that is deleted in the foreground': {
    which: ['garbage-collector-controller'],
    size: 40,
    prepare: async (world, count) => {
      const maps = world.client.resource(CONFIG_MAPS, 'default');
      const { metadata } = await maps.create({ metadata: { name: 'owner' } });
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid ?? '' };
      for (const i of numbers(count)) {
        await maps.create({ metadata: { name: `d${i}`, ownerReferences: [{ ...owner, blockOwnerDeletion: true }] } });
      }
    },
    run: async (world) => {
      await world.run(1000);
      await world.client.resource(CONFIG_MAPS, 'default').delete('owner', { propagationPolicy: 'Foreground' });
      await world.run(120_000);
      assert.equal(world.api.objects(CONFIG_MAPS).length, 0);
    },
  },
  'many owners with a dependent each are deleted': {
    which: ['garbage-collector-controller'],
    size: 40,
    prepare: async (world, count) => {
      const maps = world.client.resource(CONFIG_MAPS, 'default');
      for (const i of numbers(count)) {
        const { metadata } = await maps.create({ metadata: { name: `owner${i}` } });
        const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: `owner${i}`, uid: metadata.uid ?? '' };
        await maps.create({ metadata: { name: `d${i}`, ownerReferences: [owner] } });
      }
    },
    run: async (world, count) => {
      await world.run(1000);
      for (const i of numbers(count)) await world.client.resource(CONFIG_MAPS, 'default').delete(`owner${i}`);
      await world.run(120_000);
      assert.equal(world.api.objects(CONFIG_MAPS).length, 0);
    },
  },
  // Five thousand a second: what comes slower is counted more often, and then there is time.
  'pods come into a namespace with a quota': {
    which: ['resourcequota-controller'],
    size: 200,
    run: async (world, count) => {
      const hard = { pods: '100k', 'requests.cpu': '100k' };
      await world.client.resource(RESOURCE_QUOTAS, 'default').create({ metadata: { name: 'q' }, spec: { hard } });
      await world.run(1000);
      const spec = { containers: [{ name: 'c', image: 'x', resources: { requests: { cpu: '1' } } }] };
      for (const i of numbers(count)) {
        world.api.seed(PODS, { metadata: { name: `p${i}`, namespace: 'default' }, spec });
        if (i % 5 === 0) await world.run(1);
      }
      await world.run(10_000);
      assert.equal(world.api.objects(RESOURCE_QUOTAS)[0]?.status?.used?.['requests.cpu'], String(count));
    },
  },
  'a namespace of many objects is deleted': {
    which: ['namespace-controller'],
    size: 30,
    prepare: async (world, count) => {
      await world.client.resource(NAMESPACES).create({ metadata: { name: 'team' }, spec: {} });
      for (const i of numbers(count)) {
        await world.client.resource(CONFIG_MAPS, 'team').create({ metadata: { name: `m${i}` } });
        await world.client.resource(SECRETS, 'team').create({ metadata: { name: `s${i}` } });
        const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'x' }] };
        const pod = await world.client.resource(PODS, 'team').create({ metadata: { name: `p${i}` }, spec });
        world.api.setStatus(PODS, pod, { phase: 'Running' });
      }
    },
    run: async (world, count) => {
      await world.run(1000);
      await world.client.resource(NAMESPACES).delete('team');
      await world.run(2000);
      // Their node ends one after the other.
      for (const i of numbers(count)) {
        await world.client.resource(PODS, 'team').delete(`p${i}`, { gracePeriodSeconds: 0 });
        if (i % 10 === 0) await world.run(10);
      }
      await world.run(60_000);
      assert.equal(world.api.objects(NAMESPACES).length, 0);
    },
  },
  'many namespaces come, and go again': {
    which: ['namespace-controller', 'serviceaccount-controller', 'root-ca-certificate-publisher-controller'],
    size: 5,
    run: async (world, count) => {
      const namespaces = world.client.resource(NAMESPACES);
      for (const i of numbers(count)) await namespaces.create({ metadata: { name: `n${i}` }, spec: {} });
      await world.run(5000);
      assert.equal(world.api.objects(SERVICE_ACCOUNTS).length, count);
      for (const i of numbers(count)) await namespaces.delete(`n${i}`);
      await world.run(60_000);
      assert.equal(world.api.objects(NAMESPACES).length, 0);
    },
  },
  'many claims, each with a volume that names it': {
    which: ['persistentvolume-binder-controller'],
    size: 10,
    run: async (world, count) => {
      for (const i of numbers(count)) {
        seedVolume(world, i, `c${i}`);
        await addClaim(world, i);
      }
      await world.run(20_000);
      assertBound(world);
    },
  },
  'pods of a node that is tainted': {
    which: ['taint-eviction-controller'],
    size: 20,
    run: async (world, count) => {
      await world.client.resource(NODES).create({ metadata: { name: 'n1' }, spec: {} });
      const tolerations = [{ key: 'out', operator: 'Exists' as const, tolerationSeconds: 10 }];
      for (const i of numbers(count)) {
        const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'x' }], tolerations };
        world.api.seed(PODS, { metadata: { name: `p${i}`, namespace: 'default' }, spec });
      }
      await world.run(1000);
      const taints = [{ key: 'out', effect: 'NoExecute' as const }];
      await world.client.resource(NODES).patch('n1', 'merge', { spec: { taints } });
      await world.run(20_000);
      assert.ok(world.api.objects(PODS).every(({ metadata }) => metadata.deletionTimestamp !== undefined));
    },
  },
  'many jobs that ended a while ago': {
    which: ['ttl-after-finished-controller'],
    size: 10,
    run: async (world, count) => {
      const jobs = world.client.resource(JOBS, 'default');
      for (const i of numbers(count)) {
        const spec = { template: once, ttlSecondsAfterFinished: 10 };
        const job = await jobs.create({ metadata: { name: `j${i}` }, spec });
        const lastTransitionTime = formatTime(world.clock.now());
        world.api.setStatus(JOBS, job, { conditions: [{ type: 'Complete', status: 'True', lastTransitionTime }] });
      }
      await world.run(20_000);
      assert.ok(world.api.objects(JOBS).every(({ metadata }) => metadata.deletionTimestamp !== undefined));
    },
  },
};
