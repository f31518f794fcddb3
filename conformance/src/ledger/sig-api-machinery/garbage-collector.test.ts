import assert from 'node:assert/strict';
import { DEPLOYMENTS, PODS, REPLICA_SETS, REPLICATION_CONTROLLERS } from '@binnacle/api';
import { waitFor } from '@binnacle/testkit';
import { makeController, podOf, ready, untilOne, untilPods } from '../objects.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const noOwner = (object: { metadata: { ownerReferences?: readonly unknown[] } }): boolean =>
  (object.metadata.ownerReferences ?? []).length === 0;

async function replicaSetOf(world: World, app: string) {
  const [set] = await waitFor({
    client: world.client,
    resource: REPLICA_SETS,
    namespace: world.namespace,
    labelSelector: `app=${app}`,
    what: `the replica set of ${app}`,
    until: (all) => all.length === 1,
  });
  return set?.metadata.name ?? '';
}

behaviours('simulated', 'garbage collector', (check) => {
  check(
    '[sig-api-machinery] Garbage collector should delete pods created by rc when not orphaning [Conformance]',
    async (world) => {
      await makeController(world, 'simpletest', 2).rc();
      await untilPods(world, { app: 'simpletest', what: 'the first' }, (pods) => pods.length > 0);
      await world.client
        .resource(REPLICATION_CONTROLLERS, world.namespace)
        .delete('simpletest', { propagationPolicy: 'Background' });
      await untilOne(world, REPLICATION_CONTROLLERS, { name: 'simpletest', what: 'gone' });
      await untilPods(world, { app: 'simpletest', what: 'gone' }, (pods) => pods.length === 0);
    },
  );

  check(
    '[sig-api-machinery] Garbage collector should orphan pods created by rc if delete options say so [Serial] [Conformance]',
    async (world) => {
      await makeController(world, 'simpletest', 20).rc();
      const before = await untilPods(world, { app: 'simpletest', what: 'twenty' }, (pods) => pods.length === 20);
      await world.client
        .resource(REPLICATION_CONTROLLERS, world.namespace)
        .delete('simpletest', { propagationPolicy: 'Orphan' });
      await untilOne(world, REPLICATION_CONTROLLERS, { name: 'simpletest', what: 'gone' });
      const after = await untilPods(
        world,
        { app: 'simpletest', what: 'orphans' },
        (pods) => pods.length === 20 && pods.every(noOwner),
      );
      assert.deepEqual(new Set(after.map((p) => p.metadata.uid)), new Set(before.map((p) => p.metadata.uid)));
    },
  );

  check(
    '[sig-api-machinery] Garbage collector should delete RS created by deployment when not orphaning [Conformance]',
    async (world) => {
      await makeController(world, 'simpletest', 2).deployment();
      const set = await replicaSetOf(world, 'simpletest');
      await untilPods(world, { app: 'simpletest', what: 'two' }, (pods) => pods.length === 2);
      await world.client
        .resource(DEPLOYMENTS, world.namespace)
        .delete('simpletest', { propagationPolicy: 'Background' });
      await untilOne(world, REPLICA_SETS, { name: set, what: 'gone' });
      await untilPods(world, { app: 'simpletest', what: 'gone' }, (pods) => pods.length === 0);
    },
  );

  check(
    '[sig-api-machinery] Garbage collector should orphan RS created by deployment when deleteOptions.PropagationPolicy is Orphan [Conformance]',
    async (world) => {
      await makeController(world, 'simpletest', 2).deployment();
      const set = await replicaSetOf(world, 'simpletest');
      const before = await untilPods(world, { app: 'simpletest', what: 'two' }, ready(2));
      await world.client.resource(DEPLOYMENTS, world.namespace).delete('simpletest', { propagationPolicy: 'Orphan' });
      await untilOne(world, DEPLOYMENTS, { name: 'simpletest', what: 'gone' });
      await untilOne(world, REPLICA_SETS, { name: set, what: 'orphaned', until: noOwner });
      const after = await untilPods(world, { app: 'simpletest', what: 'still two' }, ready(2));
      assert.deepEqual(new Set(after.map((p) => p.metadata.uid)), new Set(before.map((p) => p.metadata.uid)));
    },
  );

  check(
    '[sig-api-machinery] Garbage collector should keep the rc around until all its pods are deleted if the deleteOptions says so [Serial] [Conformance]',
    async (world) => {
      await makeController(world, 'simpletest', 10).rc();
      await untilPods(world, { app: 'simpletest', what: 'ten' }, ready(10));
      const rcs = world.client.resource(REPLICATION_CONTROLLERS, world.namespace);
      await rcs.delete('simpletest', { propagationPolicy: 'Foreground' });
      // At the moment when the controller is seen to be gone, no pod may be left.
      await untilOne(world, REPLICATION_CONTROLLERS, { name: 'simpletest', what: 'gone' });
      const pods = await world.client.resource(PODS, world.namespace).list({ labelSelector: 'app=simpletest' });
      assert.deepEqual(
        pods.items.map((p) => p.metadata.name),
        [],
      );
    },
  );

  check(
    "[sig-api-machinery] Garbage collector should not delete dependents that have both valid owner and owner that's waiting for dependents to be deleted [Serial] [Conformance]",
    async (world) => {
      await makeController(world, 'to-be-deleted', 10).rc();
      const stays = await world.client.resource(REPLICATION_CONTROLLERS, world.namespace).create({
        metadata: { name: 'to-stay' },
        spec: {
          replicas: 0,
          selector: { app: 'to-stay' },
          template: { metadata: { labels: { app: 'to-stay' } }, spec: podOf('x').spec },
        },
      });
      const pods = await untilPods(world, { app: 'to-be-deleted', what: 'ten' }, ready(10));
      const shared = pods.slice(0, 5).map((p) => p.metadata.name ?? '');
      const owner = { apiVersion: 'v1', kind: 'ReplicationController', name: 'to-stay', uid: stays.metadata.uid };
      for (const name of shared) {
        await world.client
          .resource(PODS, world.namespace)
          .patch(name, 'strategic', { metadata: { ownerReferences: [owner] } });
      }
      await world.client
        .resource(REPLICATION_CONTROLLERS, world.namespace)
        .delete('to-be-deleted', { propagationPolicy: 'Foreground' });
      await untilOne(world, REPLICATION_CONTROLLERS, { name: 'to-be-deleted', what: 'gone' });
      const left = (await world.client.resource(PODS, world.namespace).list({ labelSelector: 'app=to-be-deleted' }))
        .items;
      assert.deepEqual(new Set(left.map((p) => p.metadata.name)), new Set(shared));
      for (const pod of left) {
        assert.equal(pod.metadata.deletionTimestamp, undefined, pod.metadata.name);
        assert.deepEqual(
          (pod.metadata.ownerReferences ?? []).map((o) => o.name),
          ['to-stay'],
        );
      }
    },
  );

  check(
    '[sig-api-machinery] Garbage collector should not be blocked by dependency circle [Conformance]',
    async (world) => {
      const pods = world.client.resource(PODS, world.namespace);
      const made = [];
      for (const name of ['pod1', 'pod2', 'pod3'])
        made.push(await pods.create(podOf(name, {}, { labels: { app: 'circle' } })));
      const owners = { pod1: 2, pod2: 0, pod3: 1 };
      for (const [name, index] of Object.entries(owners)) {
        const { metadata } = made[index] as (typeof made)[number];
        const owner = {
          apiVersion: 'v1',
          kind: 'Pod',
          name: metadata.name,
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        };
        await pods.patch(name, 'strategic', { metadata: { ownerReferences: [owner] } });
      }
      await pods.delete('pod1', { propagationPolicy: 'Foreground' });
      await untilPods(world, { app: 'circle', what: 'gone' }, (all) => all.length === 0);
    },
  );
});
