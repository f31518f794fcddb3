/** Stateful sets: identity, order, partitions, revisions, and the verbs of the resource. */
import assert from 'node:assert/strict';
import { isPodReady, NODES, PODS, STATEFUL_SETS } from '@binnacle/api';
import type { StatefulSet, StatefulSetSpec } from '@binnacle/api/apps/v1';
import type { Pod, PodSpec } from '@binnacle/api/core/v1';
import { requests, writeAgain } from '../api-operations.ts';
import { podOf, ready, record, template, untilOne, untilPods } from '../objects.ts';
import type { Recording } from '../objects.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const REVISION = 'controller-revision-hash';
const OLD = 'binnacle.local/frontend:1.0';
const NEW = 'binnacle.local/frontend:2.0';

const sets = (world: World) => world.client.resource(STATEFUL_SETS, world.namespace);
const pods = (world: World) => world.client.resource(PODS, world.namespace);
const apiOf = (world: World) => requests(world, `/apis/apps/v1/namespaces/${world.namespace}/statefulsets`);

function make(world: World, spec: Partial<StatefulSetSpec>, pod: Partial<PodSpec> = {}): Promise<StatefulSet> {
  return sets(world).create({
    metadata: { name: 'ss', labels: { app: 'ss' } },
    spec: { serviceName: 'test', selector: { matchLabels: { app: 'ss' } }, template: template('ss', pod), ...spec },
  });
}

const until = async (world: World, what: string, holds: (set: StatefulSet) => boolean): Promise<StatefulSet> =>
  (await untilOne(world, STATEFUL_SETS, { name: 'ss', what, until: holds })) as StatefulSet;

const observed = (set: StatefulSet): boolean => set.status?.observedGeneration === set.metadata.generation;

const byName = (all: readonly Pod[]): Pod[] =>
  all.toSorted((a, b) => (a.metadata.name ?? '').localeCompare(b.metadata.name ?? ''));

/** `[name, image, revision]` of each pod, in the order of the names. */
const summary = (all: readonly Pod[]): (string | undefined)[][] =>
  byName(all).map((p) => [p.metadata.name, p.spec.containers[0]?.image, p.metadata.labels?.[REVISION]]);

const image = (name: string) => ({ spec: { template: { spec: { containers: [{ name: 'httpd', image: name }] } } } });
const partition = (value: number) => ({ spec: { updateStrategy: { rollingUpdate: { partition: value } } } });

/** Of whom events of a type were recorded, in their order. */
const namesOf = (log: Recording<Pod>, type: string): (string | undefined)[] =>
  log.events.filter((e) => e.type === type).map((e) => e.object.metadata.name);

/** A pod with this gate is as healthy as we say. */
const GATE = 'ledger.example.com/healthy';
const gated: Partial<PodSpec> = { readinessGates: [{ conditionType: GATE }] };
function sayHealth(world: World, name: string, healthy: boolean): Promise<Pod> {
  const conditions = [{ type: GATE, status: healthy ? 'True' : 'False' }];
  return pods(world).patch(name, 'strategic', { status: { conditions } }, { subresource: 'status' });
}

/** Waits until its kubelet has seen it. */
async function setHealth(world: World, name: string, healthy: boolean): Promise<void> {
  await sayHealth(world, name, healthy);
  await untilOne(world, PODS, {
    name,
    what: healthy ? 'ready' : 'not ready',
    until: (p) => isPodReady(p) === healthy,
  });
}

behaviours('simulated', 'stateful sets', (check) => {
  check(
    '[sig-apps] StatefulSet Basic StatefulSet functionality [StatefulSetBasic] should perform rolling updates and roll backs of template modifications [Conformance]',
    async (world) => {
      await make(world, { replicas: 3 });
      const first = await until(world, 'three ready', (s) => observed(s) && s.status?.readyReplicas === 3);
      const prior = first.status?.currentRevision;
      assert.equal(first.status?.updateRevision, prior);
      assert.deepEqual(
        summary((await pods(world).list({ labelSelector: 'app=ss' })).items),
        ['ss-0', 'ss-1', 'ss-2'].map((name) => [name, OLD, prior]),
      );

      const deletions = await record(world, PODS, 'app=ss');
      const states = await record(world, STATEFUL_SETS, 'app=ss');
      /** Rolls to an image; answers with the revision, which every pod then has. */
      const roll = async (to: string): Promise<string | undefined> => {
        await sets(world).patch('ss', 'strategic', image(to));
        const over = await until(
          world,
          `all of ${to}`,
          (s) => observed(s) && s.status?.updatedReplicas === 3 && s.status.readyReplicas === 3,
        );
        const revision = over.status?.updateRevision;
        await until(world, 'the update is the current one', (s) => s.status?.currentRevision === revision);
        assert.deepEqual(
          summary((await pods(world).list({ labelSelector: 'app=ss' })).items),
          ['ss-0', 'ss-1', 'ss-2'].map((name) => [name, to, revision]),
        );
        return revision;
      };
      const second = await roll(NEW);
      assert.notEqual(second, prior);
      assert.equal(await roll(OLD), prior, 'a known template is a roll back to its revision');
      const deleted = (): (string | undefined)[] => namesOf(deletions, 'DELETED');
      await deletions.until('six pods deleted', () => deleted().length >= 6);
      assert.deepEqual(deleted(), ['ss-2', 'ss-1', 'ss-0', 'ss-2', 'ss-1', 'ss-0']);
      for (const [current, update] of [
        [prior, second],
        [second, prior],
      ]) {
        await states.until(`under way from ${current} to ${update}`, (events) =>
          events.some(
            ({ object: { status } }) => status?.currentRevision === current && status?.updateRevision === update,
          ),
        );
      }
      deletions.stop();
      states.stop();
    },
  );

  check(
    '[sig-apps] StatefulSet Basic StatefulSet functionality [StatefulSetBasic] should perform canary updates and phased rolling updates of template modifications [Conformance]',
    async (world) => {
      await make(world, { replicas: 3, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 3 } } });
      await until(world, 'three ready', (s) => observed(s) && s.status?.readyReplicas === 3);
      await sets(world).patch('ss', 'strategic', image(NEW));
      const changed = await until(world, 'a new revision', (s) => observed(s));
      const [old, updated] = [changed.status?.currentRevision, changed.status?.updateRevision];
      assert.notEqual(old, updated);
      const expected = (from: number) =>
        [0, 1, 2].map((n) => (n < from ? [`ss-${n}`, OLD, old] : [`ss-${n}`, NEW, updated]));
      const settled = (from: number) =>
        untilPods(
          world,
          { app: 'ss', what: `updated from ordinal ${from} on` },
          (all) => ready(3)(all) && JSON.stringify(summary(all)) === JSON.stringify(expected(from)),
        );
      await settled(3);
      await sets(world).patch('ss', 'strategic', partition(2));
      await settled(2);
      // Pods that go come back on their side of the partition.
      const before = new Set((await settled(2)).map((p) => p.metadata.uid));
      for (const name of ['ss-0', 'ss-2']) await pods(world).delete(name);
      await untilPods(
        world,
        { app: 'ss', what: 'two pods anew' },
        (all) => ready(3)(all) && all.filter((p) => before.has(p.metadata.uid)).length === 1,
      );
      await settled(2);
      for (const from of [1, 0]) {
        await sets(world).patch('ss', 'strategic', partition(from));
        await settled(from);
      }
      const over = await until(world, 'complete', (s) => observed(s) && s.status?.currentRevision === updated);
      assert.equal(over.status?.updateRevision, updated);
    },
  );

  check(
    '[sig-apps] StatefulSet Basic StatefulSet functionality [StatefulSetBasic] Scaling should happen in predictable order and halt if any stateful pod is unhealthy [Slow] [Conformance]',
    async (world) => {
      await make(world, { replicas: 1 }, gated);
      const names = async (): Promise<(string | undefined)[]> =>
        byName((await pods(world).list({ labelSelector: 'app=ss' })).items).map((p) => p.metadata.name);
      const count = (n: number) => untilPods(world, { app: 'ss', what: `${n}` }, (all) => all.length === n);
      await count(1);
      const log = await record(world, PODS, 'app=ss');
      await sets(world).patch('ss', 'merge', { spec: { replicas: 3 } }, { subresource: 'scale' });
      await until(world, 'the scale is seen', observed);
      assert.deepEqual(await names(), ['ss-0'], 'an unhealthy pod halts the scaling up');
      await setHealth(world, 'ss-0', true);
      await count(2);
      await until(world, 'two', (s) => s.status?.replicas === 2);
      assert.deepEqual(await names(), ['ss-0', 'ss-1'], 'and so does the next');
      await setHealth(world, 'ss-1', true);
      await count(3);
      await setHealth(world, 'ss-2', true);
      await until(world, 'three ready', (s) => s.status?.readyReplicas === 3);

      for (const name of ['ss-0', 'ss-1', 'ss-2']) await setHealth(world, name, false);
      await until(world, 'none ready', (s) => (s.status?.readyReplicas ?? 0) === 0);
      await sets(world).patch('ss', 'merge', { spec: { replicas: 0 } }, { subresource: 'scale' });
      await until(world, 'the scale is seen', observed);
      assert.deepEqual(await names(), ['ss-0', 'ss-1', 'ss-2'], 'unhealthy pods halt the scaling down');
      // The last one goes as soon as those before it are healthy, whatever it is itself; and the second right after it.
      await setHealth(world, 'ss-0', true);
      await sayHealth(world, 'ss-1', true);
      await log.until('three pods deleted', () => namesOf(log, 'DELETED').length >= 3);
      await count(0);
      log.stop();
      assert.deepEqual(namesOf(log, 'ADDED'), ['ss-0', 'ss-1', 'ss-2']);
      assert.deepEqual(namesOf(log, 'DELETED'), ['ss-2', 'ss-1', 'ss-0']);
    },
  );

  check(
    '[sig-apps] StatefulSet Basic StatefulSet functionality [StatefulSetBasic] Burst scaling should run to completion even with unhealthy pods [Slow] [Conformance]',
    async (world) => {
      await make(world, { replicas: 1, podManagementPolicy: 'Parallel' }, gated);
      await untilPods(world, { app: 'ss', what: 'one' }, (all) => all.length === 1);
      await sets(world).patch('ss', 'merge', { spec: { replicas: 3 } }, { subresource: 'scale' });
      const all = await untilPods(
        world,
        { app: 'ss', what: 'three running' },
        (found) => found.length === 3 && found.every((p) => p.status?.phase === 'Running'),
      );
      assert.ok(!all.some(isPodReady), 'none of them healthy');
      await sets(world).patch('ss', 'merge', { spec: { replicas: 0 } }, { subresource: 'scale' });
      await until(world, 'none', (s) => observed(s) && s.status?.replicas === 0);
      await untilPods(world, { app: 'ss', what: 'none' }, (found) => found.length === 0);
    },
  );

  check(
    '[sig-apps] StatefulSet Basic StatefulSet functionality [StatefulSetBasic] Should recreate evicted statefulset [Conformance]',
    async (world) => {
      const [node] = (await world.client.resource(NODES).list()).items;
      const nodeName = node?.metadata.name ?? '';
      const container = (name: string) => ({
        name,
        image: OLD,
        ports: [{ name: 'conflict', containerPort: 21017, hostPort: 21017, protocol: 'TCP' as const }],
      });
      await pods(world).create(podOf('test-pod', { nodeName, containers: [container('httpd')] }));
      await untilOne(world, PODS, { name: 'test-pod', what: 'running', until: isPodReady });
      const log = await record(world, PODS, 'app=ss');
      await make(world, { replicas: 1 }, { nodeName, containers: [container('httpd')] });
      // The kubelet refuses the pod for its port; the controller makes it anew each time.
      await log.until('ss-0 failed, then deleted', (events) => {
        const failed = events.find((e) => e.object.status?.phase === 'Failed');
        return (
          failed !== undefined &&
          events.some((e) => e.type === 'DELETED' && e.object.metadata.uid === failed.object.metadata.uid)
        );
      });
      const failed = log.events.find((e) => e.object.status?.phase === 'Failed')?.object;
      log.stop();
      await pods(world).delete('test-pod');
      const running = await untilOne(world, PODS, { name: 'ss-0', what: 'running at last', until: isPodReady });
      assert.notEqual(running?.metadata.uid, failed?.metadata.uid);
    },
  );

  check(
    '[sig-apps] StatefulSet Basic StatefulSet functionality [StatefulSetBasic] should have a working scale subresource [Conformance]',
    async (world) => {
      await make(world, { replicas: 1 });
      await until(world, 'one ready', (s) => s.status?.readyReplicas === 1);
      const api = apiOf(world);
      const scale = await api.get('ss', '/scale');
      assert.equal(scale.kind, 'Scale');
      assert.deepEqual(scale.spec, { replicas: 1 });
      const updated = await api.update({ ...scale, metadata: { name: 'ss' }, spec: { replicas: 2 } }, '/scale');
      assert.deepEqual(updated.spec, { replicas: 2 });
      assert.deepEqual(((await api.get('ss')).spec as { replicas: number }).replicas, 2);
      assert.deepEqual((await api.patch('ss', { spec: { replicas: 4 } }, '/scale')).spec, { replicas: 4 });
      assert.deepEqual(((await api.get('ss')).spec as { replicas: number }).replicas, 4);
    },
  );

  check(
    '[sig-apps] StatefulSet Basic StatefulSet functionality [StatefulSetBasic] should list, patch and delete a collection of StatefulSets [Conformance]',
    async (world) => {
      await make(world, { replicas: 1 });
      await until(world, 'one ready', (s) => s.status?.readyReplicas === 1);
      const api = apiOf(world);
      const patched = await api.strategic('ss', {
        metadata: { labels: { 'test-ss': 'patched' } },
        spec: { replicas: 2, ...image(NEW).spec },
      });
      assert.equal(patched.metadata.labels?.['test-ss'], 'patched');
      await until(world, 'two of the new image', (s) => observed(s) && s.status?.updatedReplicas === 2);
      const all = await untilPods(world, { app: 'ss', what: 'two' }, ready(2));
      assert.deepEqual(
        byName(all).map((p) => p.spec.containers[0]?.image),
        [NEW, NEW],
      );
      const listed = await api.list('test-ss=patched', '/apis/apps/v1/statefulsets');
      assert.equal(listed.items.filter((s) => s.metadata.namespace === world.namespace).length, 1);
      await api.deleteCollection('test-ss=patched');
      await untilOne(world, STATEFUL_SETS, { name: 'ss', what: 'gone' });
    },
  );

  check(
    '[sig-apps] StatefulSet Basic StatefulSet functionality [StatefulSetBasic] should validate Statefulset Status endpoints [Conformance]',
    async (world) => {
      await make(world, { replicas: 1 });
      await until(world, 'one ready', (s) => observed(s) && s.status?.readyReplicas === 1);
      const api = apiOf(world);
      const condition = { type: 'StatusUpdate', status: 'True', reason: 'E2E', message: 'Set from e2e test' };
      await writeAgain(async () => {
        const seen = await api.get('ss', '/status');
        return api.update({ ...seen, status: { ...(seen.status as object), conditions: [condition] } }, '/status');
      });
      assert.partialDeepStrictEqual((await api.get('ss', '/status')).status, { conditions: [condition] });
      await api.patch('ss', { status: { conditions: [{ ...condition, type: 'StatusPatched' }] } }, '/status');
      assert.partialDeepStrictEqual((await api.get('ss', '/status')).status, {
        conditions: [{ type: 'StatusPatched' }],
      });
    },
  );
});
