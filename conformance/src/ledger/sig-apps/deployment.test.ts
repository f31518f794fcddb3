import assert from 'node:assert/strict';
import { DEPLOYMENTS, isPodReady, PODS, REPLICA_SETS, REPLICATION_CONTROLLERS } from '@binnacle/api';
import type { Deployment, ReplicaSet } from '@binnacle/api/apps/v1';
import { waitFor } from '@binnacle/testkit';
import { requests, writeAgain } from '../api-operations.ts';
import type { Thing } from '../api-operations.ts';
import { makeController, podOf, ready, template, untilOne, untilPods } from '../objects.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const deployments = (world: World) => world.client.resource(DEPLOYMENTS, world.namespace);
const apiOf = (world: World) => requests(world, `/apis/apps/v1/namespaces/${world.namespace}/deployments`);

function untilSets(
  world: World,
  app: string,
  what: string,
  until: (sets: readonly ReplicaSet[]) => boolean,
): Promise<readonly ReplicaSet[]> {
  return waitFor({
    client: world.client,
    resource: REPLICA_SETS,
    namespace: world.namespace,
    labelSelector: `app=${app}`,
    what,
    until,
  });
}

function untilDeployment(
  world: World,
  name: string,
  what: string,
  until: (d: Deployment) => boolean,
): Promise<Deployment | undefined> {
  return untilOne(world, DEPLOYMENTS, { name, what, until });
}

/** A scale without its version: the controller may write the status in between. */
const unconditional = (scale: Thing): Thing => ({ ...scale, metadata: { name: scale.metadata.name ?? '' } });

const complete = (d: Deployment): boolean =>
  d.status?.observedGeneration === d.metadata.generation &&
  d.status?.updatedReplicas === d.spec.replicas &&
  d.status?.replicas === d.spec.replicas &&
  d.status?.availableReplicas === d.spec.replicas;

const changed = (version: string) => ({ spec: { template: { metadata: { annotations: { version } } } } });

behaviours('simulated', 'deployments', (check) => {
  check(
    '[sig-apps] Deployment RollingUpdateDeployment should delete old pods and create new ones [Conformance]',
    async (world) => {
      // A replica set of before, which the deployment takes over and replaces.
      await world.client.resource(REPLICA_SETS, world.namespace).create({
        metadata: { name: 'test-rolling-update-controller', labels: { app: 'web', pod: 'old' } },
        spec: {
          replicas: 1,
          selector: { matchLabels: { app: 'web', pod: 'old' } },
          template: { ...template('web'), metadata: { labels: { app: 'web', pod: 'old' } } },
        },
      });
      await untilPods(world, { app: 'web', what: 'one old' }, ready(1));
      await makeController(world, 'web', 1).deployment();
      await untilDeployment(world, 'web', 'complete', complete);
      const sets = await untilSets(
        world,
        'web',
        'the old set scaled down',
        (all) => all.length === 2 && all.some((s) => s.spec.replicas === 0 && s.status?.replicas === 0),
      );
      const old = sets.find((s) => s.metadata.name === 'test-rolling-update-controller');
      assert.equal(old?.spec.replicas, 0);
      assert.equal(old?.metadata.ownerReferences?.[0]?.name, 'web');
      const [pod] = await untilPods(world, { app: 'web', what: 'one new' }, ready(1));
      assert.ok(pod?.metadata.labels?.['pod-template-hash']);
    },
  );

  check(
    '[sig-apps] Deployment RecreateDeployment should delete old pods and create new ones [Conformance]',
    async (world) => {
      await makeController(world, 'web', 2).deployment({ type: 'Recreate' });
      const before = await untilPods(world, { app: 'web', what: 'two' }, ready(2));
      const olds = new Set(before.map((p) => p.metadata.uid));
      let mixed = false;
      const seen = new Set<string>();
      const handle = world.client.resource(PODS, world.namespace).watch(
        { labelSelector: 'app=web' },
        {
          events: (batch) => {
            for (const { type, object } of batch) {
              const uid = object.metadata.uid ?? '';
              const over =
                type === 'DELETED' || object.status?.phase === 'Succeeded' || object.status?.phase === 'Failed';
              if (over) seen.delete(uid);
              else seen.add(uid);
            }
            mixed ||= [...seen].some((uid) => olds.has(uid)) && [...seen].some((uid) => !olds.has(uid));
          },
          end: () => {},
        },
      );
      await deployments(world).patch('web', 'strategic', changed('2'));
      await untilDeployment(world, 'web', 'complete', complete);
      const after = await untilPods(
        world,
        { app: 'web', what: 'two new' },
        (pods) => ready(2)(pods) && pods.every((p) => !olds.has(p.metadata.uid)),
      );
      handle.stop();
      assert.equal(after.length, 2);
      assert.equal(mixed, false, 'no new pod beside an old one');
    },
  );

  check('[sig-apps] Deployment deployment should delete old replica sets [Conformance]', async (world) => {
    await makeController(world, 'web', 1).deployment({ type: 'RollingUpdate' }, { revisionHistoryLimit: 0 });
    await untilDeployment(world, 'web', 'complete', complete);
    const [first] = await untilSets(world, 'web', 'one', (all) => all.length === 1);
    await deployments(world).patch('web', 'strategic', changed('2'));
    const [second] = await untilSets(
      world,
      'web',
      'the new one alone',
      (all) => all.length === 1 && all[0]?.metadata.uid !== first?.metadata.uid,
    );
    assert.equal(second?.spec.template?.metadata?.annotations?.['version'], '2');
  });

  check('[sig-apps] Deployment deployment should support rollover [Conformance]', async (world) => {
    await makeController(world, 'web', 1).deployment(
      { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      { minReadySeconds: 1 },
    );
    await untilSets(world, 'web', 'the first set', (all) => all.length === 1);
    await deployments(world).patch('web', 'strategic', {
      spec: {
        template: { spec: { containers: [{ name: 'httpd', readinessProbe: { exec: { command: ['false'] } } }] } },
      },
    });
    await untilSets(world, 'web', 'the second set', (all) => all.length === 2);
    await deployments(world).patch('web', 'strategic', {
      spec: {
        template: {
          metadata: { annotations: { version: '3' } },
          spec: { containers: [{ name: 'httpd', readinessProbe: null }] },
        },
      },
    });
    await untilDeployment(world, 'web', 'complete', complete);
    const sets = await untilSets(
      world,
      'web',
      'only the last has pods',
      (all) => all.length === 3 && all.filter((s) => (s.status?.replicas ?? 0) > 0).length === 1,
    );
    const alive = sets.find((s) => (s.status?.replicas ?? 0) > 0);
    assert.equal(alive?.spec.template?.metadata?.annotations?.['version'], '3');
    assert.equal(alive?.metadata.annotations?.['deployment.kubernetes.io/revision'], '3');
  });

  check('[sig-apps] Deployment deployment should support proportional scaling [Conformance]', async (world) => {
    await makeController(world, 'web', 10).deployment({
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: 3, maxUnavailable: 2 },
    });
    await untilDeployment(world, 'web', 'complete', complete);
    // Pods of the second revision never become ready, so that the rollout stands: 8 old ones, 5 new ones.
    await deployments(world).patch('web', 'strategic', {
      spec: { template: { spec: { nodeSelector: { nowhere: 'at-all' } } } },
    });
    const sizes = (sets: readonly ReplicaSet[]): number[] =>
      sets.map((s) => s.spec.replicas ?? 0).sort((a, b) => a - b);
    await untilSets(world, 'web', '8 and 5', (sets) => sizes(sets).join() === '5,8');
    await deployments(world).patch('web', 'merge', { spec: { replicas: 30 } });
    const sets = await untilSets(world, 'web', '20 and 13', (all) => sizes(all).join() === '13,20');
    assert.deepEqual(sizes(sets), [13, 20]);
  });

  check('[sig-apps] Deployment Deployment should have a working scale subresource [Conformance]', async (world) => {
    await makeController(world, 'web', 1).deployment();
    await untilDeployment(world, 'web', 'complete', complete);
    const api = apiOf(world);
    const scale = await api.get('web', '/scale');
    assert.equal(scale.kind, 'Scale');
    assert.deepEqual(scale.spec, { replicas: 1 });
    const updated = await api.update({ ...unconditional(scale), spec: { replicas: 2 } }, '/scale');
    assert.deepEqual(updated.spec, { replicas: 2 });
    await untilDeployment(world, 'web', 'two', (d) => d.spec.replicas === 2);
    assert.deepEqual((await api.patch('web', { spec: { replicas: 4 } }, '/scale')).spec, { replicas: 4 });
    assert.deepEqual((await api.get('web')).spec && ((await api.get('web')).spec as { replicas: number }).replicas, 4);
  });

  check('[sig-apps] Deployment should run the lifecycle of a Deployment [Conformance]', async (world) => {
    await makeController(world, 'web', 2).deployment();
    await untilDeployment(world, 'web', 'complete', complete);
    const patched = await deployments(world).patch('web', 'strategic', {
      metadata: { labels: { patched: 'yes' } },
      ...changed('2'),
    });
    assert.equal(patched.metadata.labels?.['patched'], 'yes');
    await untilDeployment(world, 'web', 'complete again', complete);
    const api = apiOf(world);
    await api.update({ ...unconditional(await api.get('web', '/scale')), spec: { replicas: 3 } }, '/scale');
    await untilDeployment(world, 'web', 'three', (d) => complete(d) && d.status?.readyReplicas === 3);
    const listed = await api.list('patched=yes', '/apis/apps/v1/deployments');
    assert.ok(listed.items.some((d) => d.metadata.namespace === world.namespace));
    const status = await api.patch(
      'web',
      {
        metadata: { labels: { 'test-deployment': 'patched-status' } },
        status: { readyReplicas: 0, availableReplicas: 0 },
      },
      '/status',
    );
    assert.equal((status.status as { readyReplicas?: number }).readyReplicas ?? 0, 0);
    await untilDeployment(world, 'web', 'the status mended by the controller', (d) => d.status?.readyReplicas === 3);
    await api.deleteCollection('patched=yes');
    await untilOne(world, DEPLOYMENTS, { name: 'web', what: 'gone' });
  });

  check('[sig-apps] Deployment should validate Deployment Status endpoints [Conformance]', async (world) => {
    await makeController(world, 'web', 1).deployment();
    await untilDeployment(world, 'web', 'complete', complete);
    const api = apiOf(world);
    assert.ok((await api.get('web', '/status')).status);
    const condition = { type: 'StatusUpdate', status: 'True', reason: 'E2E', message: 'Set from an e2e test' };
    const seen = await api.get('web', '/status');
    const conditions = (seen.status as { conditions: object[] }).conditions;
    await writeAgain(async () => {
      const now = await api.get('web', '/status');
      return api.update(
        { ...now, status: { ...(now.status as object), conditions: [...conditions, condition] } },
        '/status',
      );
    });
    await untilDeployment(
      world,
      'web',
      'the updated condition',
      (d) => d.status?.conditions?.some((c) => c.type === 'StatusUpdate') === true,
    );
    await api.patch('web', { status: { conditions: [{ ...condition, type: 'StatusPatched' }] } }, '/status');
    await untilDeployment(
      world,
      'web',
      'the patched condition',
      (d) => d.status?.conditions?.some((c) => c.type === 'StatusPatched') === true,
    );
  });
});

behaviours('simulated', 'replica sets and replication controllers', (check) => {
  check('[sig-apps] ReplicaSet should list and delete a collection of ReplicaSets [Conformance]', async (world) => {
    const api = requests(world, `/apis/apps/v1/namespaces/${world.namespace}/replicasets`);
    await makeController(world, 'web', 3).rs();
    await untilPods(world, { app: 'web', what: 'three' }, ready(3));
    assert.deepEqual(
      (await api.list('app=web')).items.map((s) => s.metadata.name),
      ['web'],
    );
    await api.deleteCollection('app=web');
    await untilOne(world, REPLICA_SETS, { name: 'web', what: 'gone' });
    assert.deepEqual((await api.list('app=web')).items, []);
  });

  check('[sig-apps] ReplicaSet Replicaset should have a working scale subresource [Conformance]', async (world) => {
    const api = requests(world, `/apis/apps/v1/namespaces/${world.namespace}/replicasets`);
    await makeController(world, 'web', 1).rs();
    await untilPods(world, { app: 'web', what: 'one' }, ready(1));
    const scale = await api.get('web', '/scale');
    assert.deepEqual(scale.spec, { replicas: 1 });
    assert.deepEqual((await api.update({ ...unconditional(scale), spec: { replicas: 2 } }, '/scale')).spec, {
      replicas: 2,
    });
    await untilPods(world, { app: 'web', what: 'two' }, ready(2));
    assert.deepEqual((await api.patch('web', { spec: { replicas: 4 } }, '/scale')).spec, { replicas: 4 });
    await untilPods(world, { app: 'web', what: 'four' }, ready(4));
  });

  check('[sig-apps] ReplicaSet Replace and Patch tests [Conformance]', async (world) => {
    const api = requests(world, `/apis/apps/v1/namespaces/${world.namespace}/replicasets`);
    await makeController(world, 'web', 1).rs();
    await untilPods(world, { app: 'web', what: 'one' }, ready(1));
    await writeAgain(async () => {
      const seen = await api.get('web');
      return api.update({ ...seen, spec: { ...(seen.spec as object), replicas: 2 } });
    });
    await untilPods(world, { app: 'web', what: 'two' }, ready(2));
    await untilOne(world, REPLICA_SETS, {
      name: 'web',
      what: 'two ready',
      until: (s) => s.status?.readyReplicas === 2,
    });
    const patched = await api.strategic('web', {
      metadata: { labels: { 'test-rs': 'patched' } },
      spec: { replicas: 3 },
    });
    assert.equal(patched.metadata.labels?.['test-rs'], 'patched');
    await untilOne(world, REPLICA_SETS, {
      name: 'web',
      what: 'three ready',
      until: (s) => s.status?.readyReplicas === 3,
    });
  });

  check('[sig-apps] ReplicaSet should validate Replicaset Status endpoints [Conformance]', async (world) => {
    const api = requests(world, `/apis/apps/v1/namespaces/${world.namespace}/replicasets`);
    await makeController(world, 'web', 1).rs();
    await untilOne(world, REPLICA_SETS, { name: 'web', what: 'ready', until: (s) => s.status?.readyReplicas === 1 });
    const condition = { type: 'StatusUpdate', status: 'True', reason: 'E2E', message: 'Set from e2e test' };
    const updated = await writeAgain(async () => {
      const seen = await api.get('web', '/status');
      return api.update({ ...seen, status: { ...(seen.status as object), conditions: [condition] } }, '/status');
    });
    assert.partialDeepStrictEqual(updated.status, { conditions: [condition] });
    assert.partialDeepStrictEqual((await api.get('web', '/status')).status, { conditions: [condition] });
    const patched = await api.patch(
      'web',
      { status: { conditions: [{ ...condition, type: 'StatusPatched' }] } },
      '/status',
    );
    assert.partialDeepStrictEqual(patched.status, { conditions: [{ type: 'StatusPatched' }] });
    assert.partialDeepStrictEqual((await api.get('web', '/status')).status, {
      conditions: [{ type: 'StatusPatched' }],
    });
  });

  for (const kind of ['rs', 'rc'] as const) {
    const adopts = async (world: World): Promise<void> => {
      const pods = world.client.resource(PODS, world.namespace);
      await pods.create(podOf('pod-adoption', {}, { labels: { app: 'web' } }));
      await untilPods(world, { app: 'web', what: 'one' }, ready(1));
      const owner = await makeController(world, 'web', 1)[kind]();
      await untilPods(
        world,
        { app: 'web', what: 'owned' },
        (all) => all.length === 1 && all[0]?.metadata.ownerReferences?.[0]?.uid === owner.metadata.uid,
      );
    };
    const releases = async (world: World): Promise<void> => {
      const owner = await makeController(world, 'web', 1)[kind]();
      const [pod] = await untilPods(world, { app: 'web', what: 'one' }, ready(1));
      const name = pod?.metadata.name ?? '';
      await world.client
        .resource(PODS, world.namespace)
        .patch(name, 'merge', { metadata: { labels: { app: 'not-matching' } } });
      await untilOne(world, PODS, {
        name,
        what: 'released',
        until: (p) => (p.metadata.ownerReferences ?? []).length === 0,
      });
      const [other] = await untilPods(world, { app: 'web', what: 'another in its place' }, ready(1));
      assert.equal(other?.metadata.ownerReferences?.[0]?.uid, owner.metadata.uid);
    };
    if (kind === 'rs') {
      check(
        '[sig-apps] ReplicaSet should adopt matching pods on creation and release no longer matching pods [Conformance]',
        async (world) => {
          await adopts(world);
          const name = 'pod-adoption';
          await world.client
            .resource(PODS, world.namespace)
            .patch(name, 'merge', { metadata: { labels: { app: 'not-matching' } } });
          await untilOne(world, PODS, {
            name,
            what: 'released',
            until: (p) => (p.metadata.ownerReferences ?? []).length === 0,
          });
          await untilPods(world, { app: 'web', what: 'another in its place' }, ready(1));
        },
      );
    } else {
      check('[sig-apps] ReplicationController should adopt matching pods on creation [Conformance]', adopts);
      check('[sig-apps] ReplicationController should release no longer matching pods [Conformance]', releases);
    }
  }

  check(
    '[sig-apps] ReplicationController should get and update a ReplicationController scale [Conformance]',
    async (world) => {
      const api = requests(world, `/api/v1/namespaces/${world.namespace}/replicationcontrollers`);
      await makeController(world, 'web', 1).rc();
      await untilPods(world, { app: 'web', what: 'one' }, ready(1));
      const scale = await api.get('web', '/scale');
      assert.deepEqual(scale.spec, { replicas: 1 });
      assert.deepEqual((await api.update({ ...unconditional(scale), spec: { replicas: 2 } }, '/scale')).spec, {
        replicas: 2,
      });
      await untilPods(world, { app: 'web', what: 'two' }, ready(2));
    },
  );

  check(
    '[sig-apps] ReplicationController should test the lifecycle of a ReplicationController [Conformance]',
    async (world) => {
      const api = requests(world, `/api/v1/namespaces/${world.namespace}/replicationcontrollers`);
      await makeController(world, 'web', 1).rc();
      await untilPods(world, { app: 'web', what: 'one' }, (pods) => pods.length === 1 && pods.every(isPodReady));
      const patched = await api.strategic('web', { metadata: { labels: { 'test-rc': 'patched' } } });
      assert.equal(patched.metadata.labels?.['test-rc'], 'patched');
      const status = await api.patch('web', { status: { readyReplicas: 0, availableReplicas: 0 } }, '/status');
      assert.equal((status.status as { readyReplicas?: number }).readyReplicas ?? 0, 0);
      assert.equal((await api.get('web', '/status')).kind, 'ReplicationController');
      await api.patch('web', { spec: { replicas: 2 } }, '/scale');
      await untilPods(world, { app: 'web', what: 'two' }, ready(2));
      await writeAgain(async () => {
        const seen = await api.get('web');
        return api.update({
          ...seen,
          metadata: { ...seen.metadata, labels: { ...seen.metadata.labels, updated: 'yes' } },
        });
      });
      const listed = await api.list('test-rc=patched', '/api/v1/replicationcontrollers');
      assert.ok(
        listed.items.some(
          (rc) => rc.metadata.namespace === world.namespace && rc.metadata.labels?.['updated'] === 'yes',
        ),
      );
      await api.deleteCollection('test-rc=patched');
      await untilOne(world, REPLICATION_CONTROLLERS, { name: 'web', what: 'gone' });
    },
  );
});
