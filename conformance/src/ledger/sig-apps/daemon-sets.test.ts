/** Daemon sets and their revisions: a pod on every node that fits, rollouts, roll backs, and the verbs of the resources. */
import assert from 'node:assert/strict';
import { CONTROLLER_REVISIONS, DAEMON_SETS, isPodReady, NODES, PODS } from '@binnacle/api';
import type { ControllerRevision, DaemonSet, DaemonSetSpec } from '@binnacle/api/apps/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { waitFor } from '@binnacle/testkit';
import { requests, writeAgain } from '../api-operations.ts';
import { IMAGE, template, untilOne, untilPods } from '../objects.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const NEW = 'binnacle.local/frontend:2.0';
const sets = (world: World) => world.client.resource(DAEMON_SETS, world.namespace);
const apiOf = (world: World) => requests(world, `/apis/apps/v1/namespaces/${world.namespace}/daemonsets`);
const nodesOf = async (world: World): Promise<string[]> =>
  (await world.client.resource(NODES).list()).items.map((n) => n.metadata.name ?? '').toSorted();

const isPullTrouble = (reason: string | undefined): boolean =>
  reason === 'ErrImagePull' || reason === 'ImagePullBackOff';

function make(world: World, spec: Partial<DaemonSetSpec> = {}): Promise<DaemonSet> {
  return sets(world).create({
    metadata: { name: 'ds', labels: { app: 'ds' } },
    spec: { selector: { matchLabels: { app: 'ds' } }, template: template('ds'), ...spec },
  });
}

/** Its pods run on these nodes, one on each, and its status says so. */
async function runsOn(world: World, nodes: readonly string[]): Promise<readonly Pod[]> {
  const pods = await untilPods(
    world,
    { app: 'ds', what: `ready on ${nodes.join() || 'no node'}` },
    (all) =>
      all.every(isPodReady) &&
      all
        .map((p) => p.spec.nodeName)
        .toSorted()
        .join() === nodes.join(),
  );
  await untilOne(world, DAEMON_SETS, {
    name: 'ds',
    what: 'counted',
    until: ({ status, metadata }) =>
      status?.observedGeneration === metadata.generation &&
      status?.desiredNumberScheduled === nodes.length &&
      status.currentNumberScheduled === nodes.length &&
      status.numberReady === nodes.length &&
      status.numberMisscheduled === 0,
  });
  return pods;
}

behaviours('simulated', 'daemon sets', (check) => {
  check('[sig-apps] Daemon set [Serial] should run and stop simple daemon [Conformance]', async (world) => {
    await make(world);
    const nodes = await nodesOf(world);
    const [first] = await runsOn(world, nodes);
    await world.client.resource(PODS, world.namespace).delete(first?.metadata.name ?? '');
    await untilPods(world, { app: 'ds', what: 'revived' }, (all) =>
      all.every((p) => p.metadata.uid !== first?.metadata.uid && isPodReady(p)),
    );
    await runsOn(world, nodes);
  });

  check('[sig-apps] Daemon set [Serial] should run and stop complex daemon [Conformance]', async (world) => {
    const [node] = await nodesOf(world);
    const key = `ledger.example.com/${world.namespace}`;
    const paint = (color: string | null) =>
      world.client.resource(NODES).patch(node ?? '', 'merge', { metadata: { labels: { [key]: color } } });
    await make(world, {
      template: template('ds', { nodeSelector: { [key]: 'blue' } }),
      updateStrategy: { type: 'OnDelete' },
    });
    await runsOn(world, []);
    await paint('blue');
    await runsOn(world, [node ?? '']);
    await paint('green');
    await runsOn(world, []);
    await sets(world).patch('ds', 'strategic', {
      spec: {
        template: { spec: { nodeSelector: { [key]: 'green' } } },
        updateStrategy: { type: 'RollingUpdate' },
      },
    });
    await runsOn(world, [node ?? '']);
    await paint(null);
    await runsOn(world, []);
  });

  check('[sig-apps] Daemon set [Serial] should retry creating failed daemon pods [Conformance]', async (world) => {
    await make(world);
    const nodes = await nodesOf(world);
    const [first] = await runsOn(world, nodes);
    const name = first?.metadata.name ?? '';
    await requests(world, `/api/v1/namespaces/${world.namespace}/pods`).patch(
      name,
      { status: { phase: 'Failed' } },
      '/status',
    );
    await untilOne(world, PODS, { name, what: 'gone' });
    await runsOn(world, nodes);
  });

  check(
    '[sig-apps] Daemon set [Serial] should update pod when spec was updated and update strategy is RollingUpdate [Conformance]',
    async (world) => {
      await make(world, { updateStrategy: { type: 'RollingUpdate' } });
      const nodes = await nodesOf(world);
      const old = await runsOn(world, nodes);
      const revision = async (pods: readonly Pod[]): Promise<void> => {
        const hashes = new Set(pods.map((p) => p.metadata.labels?.['controller-revision-hash']));
        assert.equal(hashes.size, 1);
        const [hash] = hashes;
        const found = await world.client
          .resource(CONTROLLER_REVISIONS, world.namespace)
          .list({ labelSelector: `controller-revision-hash=${hash}` });
        assert.equal(found.items[0]?.metadata.ownerReferences?.[0]?.kind, 'DaemonSet');
      };
      await revision(old);
      await sets(world).patch('ds', 'strategic', {
        spec: { template: { spec: { containers: [{ name: 'httpd', image: NEW }] } } },
      });
      await untilPods(
        world,
        { app: 'ds', what: 'all of the new image' },
        (all) => all.length === nodes.length && all.every((p) => isPodReady(p) && p.spec.containers[0]?.image === NEW),
      );
      await untilOne(world, DAEMON_SETS, {
        name: 'ds',
        what: 'updated',
        until: (d) => d.status?.updatedNumberScheduled === nodes.length,
      });
      const updated = await runsOn(world, nodes);
      await revision(updated);
      assert.notEqual(
        updated[0]?.metadata.labels?.['controller-revision-hash'],
        old[0]?.metadata.labels?.['controller-revision-hash'],
      );
    },
  );

  check('[sig-apps] Daemon set [Serial] should rollback without unnecessary restarts [Conformance]', async (world) => {
    await make(world, { updateStrategy: { type: 'RollingUpdate' } });
    const nodes = await nodesOf(world);
    assert.ok(nodes.length > 1, 'a rollout needs two nodes to stop between');
    const old = await runsOn(world, nodes);
    const change = (image: string, found: boolean) =>
      sets(world).patch('ds', 'strategic', {
        spec: {
          template: {
            metadata: {
              annotations: {
                'simulated.binnacle.dev/image-absent': found ? null : 'true',
                'simulated.binnacle.dev/pull-failure': found ? null : 'not found',
              },
            },
            spec: { containers: [{ name: 'httpd', image, imagePullPolicy: 'IfNotPresent' }] },
          },
        },
      });
    await change('foo:non-existent', false);
    const during = await untilPods(
      world,
      { app: 'ds', what: 'in the middle of the rollout' },
      (all) =>
        all.length === nodes.length &&
        // Told together where the kubelet is late: the second is left standing.
        all.some((p) => isPullTrouble(p.status?.containerStatuses?.[0]?.state?.waiting?.reason)),
    );
    const kept = during.filter((p) => old.some((o) => o.metadata.uid === p.metadata.uid));
    assert.equal(kept.length, nodes.length - 1, 'one at a time');
    await change(IMAGE, true);
    const after = await runsOn(world, nodes);
    assert.deepEqual(
      after.map((p) => p.spec.containers[0]?.image),
      nodes.map(() => IMAGE),
    );
    for (const pod of kept)
      assert.ok(
        after.some((p) => p.metadata.uid === pod.metadata.uid),
        `${pod.metadata.name} was not restarted`,
      );
  });

  check(
    '[sig-apps] Daemon set [Serial] should list and delete a collection of DaemonSets [Conformance]',
    async (world) => {
      await make(world);
      await runsOn(world, await nodesOf(world));
      const api = apiOf(world);
      const listed = await api.list('app=ds', '/apis/apps/v1/daemonsets');
      assert.equal(listed.items.filter((d) => d.metadata.namespace === world.namespace).length, 1);
      await api.deleteCollection('app=ds');
      await untilOne(world, DAEMON_SETS, { name: 'ds', what: 'gone' });
      assert.deepEqual((await api.list('app=ds')).items, []);
    },
  );

  check('[sig-apps] Daemon set [Serial] should verify changes to a daemon set status [Conformance]', async (world) => {
    await make(world);
    await runsOn(world, await nodesOf(world));
    const api = apiOf(world);
    const seen = await api.get('ds', '/status');
    assert.equal(seen.kind, 'DaemonSet');
    assert.ok(seen.status);
    const condition = { type: 'StatusUpdate', status: 'True', reason: 'E2E', message: 'Set from e2e test' };
    await writeAgain(async () => {
      const now = await api.get('ds', '/status');
      return api.update({ ...now, status: { ...(now.status as object), conditions: [condition] } }, '/status');
    });
    assert.partialDeepStrictEqual((await api.get('ds', '/status')).status, { conditions: [condition] });
    await api.patch('ds', { status: { conditions: [{ ...condition, type: 'StatusPatched' }] } }, '/status');
    assert.partialDeepStrictEqual((await api.get('ds', '/status')).status, {
      conditions: [{ type: 'StatusPatched' }],
    });
  });

  check(
    '[sig-apps] ControllerRevision [Serial] should manage the lifecycle of a ControllerRevision [Conformance]',
    async (world) => {
      const owner = await make(world);
      const nodes = await nodesOf(world);
      await runsOn(world, nodes);
      const api = requests(world, `/apis/apps/v1/namespaces/${world.namespace}/controllerrevisions`);
      const so = async (count: number): Promise<readonly ControllerRevision[]> =>
        waitFor({
          client: world.client,
          resource: CONTROLLER_REVISIONS,
          namespace: world.namespace,
          labelSelector: 'app=ds',
          what: `${count} revisions`,
          until: (all) => all.length === count,
        });
      const everywhere = await api.list('app=ds', '/apis/apps/v1/controllerrevisions');
      assert.equal(everywhere.items.filter((r) => r.metadata.namespace === world.namespace).length, 1);
      const [first] = await so(1);
      const name = first?.metadata.name ?? '';
      assert.equal(first?.metadata.ownerReferences?.[0]?.uid, owner.metadata.uid);
      assert.equal(first?.revision, 1);
      const patched = await api.strategic(name, { metadata: { labels: { [name]: 'patched' } } });
      assert.equal(patched.metadata.labels?.[name], 'patched');
      assert.notEqual(patched.metadata.resourceVersion, first?.metadata.resourceVersion);

      // A twin of the same template under a name of our own takes the first one's place.
      const { labels } = first?.metadata ?? {};
      await api.create({
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata: {
          name: 'ds-twin',
          labels: { ...labels, 'controller-revision-hash': 'twin' },
          ...{ ownerReferences: first?.metadata.ownerReferences },
        },
        data: first?.data,
        revision: 2,
      });
      await so(2);
      await api.delete(name);
      const [twin] = await so(1);
      assert.equal(twin?.metadata.name, 'ds-twin');
      const updated = await writeAgain(async () => {
        const seen = await api.get('ds-twin');
        return api.update({
          ...seen,
          metadata: { ...seen.metadata, labels: { ...seen.metadata.labels, 'ds-twin': 'updated' } },
        });
      });
      assert.equal(updated.metadata.labels?.['ds-twin'], 'updated');
      await sets(world).patch('ds', 'strategic', {
        spec: { template: { spec: { terminationGracePeriodSeconds: 1 } } },
      });
      await so(2);
      await api.deleteCollection('ds-twin=updated');
      const [last] = await so(1);
      assert.equal(last?.revision, 3);
    },
  );
});
