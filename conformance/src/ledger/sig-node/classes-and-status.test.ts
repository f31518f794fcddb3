/** Runtime classes at admission, and the status of pods in other hands. */
import assert from 'node:assert/strict';
import { isPodReady, isPodScheduled, PODS } from '@binnacle/api';
import type { PodCondition } from '@binnacle/api/core/v1';
import { gone, requests, writeAgain } from '../api-operations.ts';
import { podOf, record, runPod, untilOne } from '../objects.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const pods = (world: World) => world.client.resource(PODS, world.namespace);
const apiOf = (world: World) => requests(world, `/api/v1/namespaces/${world.namespace}/pods`);

behaviours('simulated', 'runtime classes', (check) => {
  const classes = (world: World) => requests(world, '/apis/node.k8s.io/v1/runtimeclasses');
  const runtimeClass = (world: World, more: object = {}) =>
    classes(world).create({
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: world.namespace },
      handler: 'test-handler',
      ...more,
    });
  const rejected = async (world: World, runtimeClassName: string): Promise<void> => {
    const at = `/api/v1/namespaces/${world.namespace}/pods`;
    const body = { apiVersion: 'v1', kind: 'Pod', ...podOf('pod', { runtimeClassName }) };
    const status = await apiOf(world).refused({ method: 'POST', at, code: 403 }, body);
    assert.equal(status.reason, 'Forbidden');
    assert.equal(status.message, `pods "pod" is forbidden: pod rejected: RuntimeClass "${runtimeClassName}" not found`);
  };
  const scheduled = async (world: World) => {
    await pods(world).create(podOf('pod', { runtimeClassName: world.namespace }));
    const pod = await untilOne(world, PODS, { name: 'pod', what: 'scheduled', until: isPodScheduled });
    await classes(world).delete(world.namespace);
    return pod;
  };

  check(
    '[sig-node] RuntimeClass should reject a Pod requesting a non-existent RuntimeClass [NodeConformance] [Conformance]',
    (world) => rejected(world, `${world.namespace}-nonexistent`),
  );

  check(
    '[sig-node] RuntimeClass should reject a Pod requesting a deleted RuntimeClass [NodeConformance] [Conformance]',
    async (world) => {
      await runtimeClass(world);
      await classes(world).delete(world.namespace);
      await gone(classes(world), world.namespace);
      await rejected(world, world.namespace);
    },
  );

  check(
    '[sig-node] RuntimeClass should schedule a Pod requesting a RuntimeClass without PodOverhead [NodeConformance] [Conformance]',
    async (world) => {
      await runtimeClass(world);
      assert.deepEqual((await scheduled(world))?.spec.overhead ?? {}, {});
    },
  );

  check(
    '[sig-node] RuntimeClass should schedule a Pod requesting a RuntimeClass and initialize its Overhead [NodeConformance] [Conformance]',
    async (world) => {
      await runtimeClass(world, { overhead: { podFixed: { cpu: '10m', memory: '1Mi' } } });
      assert.deepEqual((await scheduled(world))?.spec.overhead, { cpu: '10m', memory: '1Mi' });
    },
  );
});

behaviours('simulated', 'the status of pods', (check) => {
  check('[sig-node] Pods should patch a pod status [Conformance]', async (world) => {
    await runPod(world, 'pod');
    const patched = await apiOf(world).patch(
      'pod',
      {
        metadata: { annotations: { patchedstatus: 'true' } },
        status: { message: 'Patched by e2e test', reason: 'E2E' },
      },
      '/status',
    );
    assert.partialDeepStrictEqual(patched.status, { message: 'Patched by e2e test', reason: 'E2E' });
    assert.equal(patched.metadata.annotations?.['patchedstatus'], 'true');
    // The kubelet leaves them to the phase that they belong to, and goes on to answer.
    const deletion = await record(world, PODS, 'app=pod');
    assert.equal((await pods(world).get('pod')).status?.reason, 'E2E');
    await pods(world).delete('pod');
    await deletion.until('gone', (events) => events.at(-1)?.type === 'DELETED');
    deletion.stop();
  });

  check('[sig-node] Pods should run through the lifecycle of Pods and PodStatus [Conformance]', async (world) => {
    const api = apiOf(world);
    const log = await record(world, PODS, 'app=pod-test');
    const first = await runPod(world, 'pod-test', { terminationGracePeriodSeconds: 1 });
    assert.equal(first.status?.phase, 'Running');
    const patched = await api.strategic('pod-test', {
      metadata: { labels: { 'test-pod': 'patched' } },
      spec: { containers: [{ name: 'c', image: 'binnacle.local/frontend:2.0' }] },
    });
    assert.equal(patched.metadata.labels?.['test-pod'], 'patched');
    assert.notEqual(patched.metadata.resourceVersion, first.metadata.resourceVersion);
    const seen = await pods(world).get('pod-test');
    assert.equal(seen.spec.containers[0]?.image, 'binnacle.local/frontend:2.0');
    // The new image runs, so that the status rests.
    await untilOne(world, PODS, {
      name: 'pod-test',
      what: 'ready again',
      until: (p) => isPodReady(p) && p.status?.containerStatuses?.[0]?.image === 'binnacle.local/frontend:2.0',
    });
    const readiness = (status: unknown): (string | undefined)[] =>
      ((status as { conditions?: PodCondition[] }).conditions ?? [])
        .filter((c) => c.type === 'Ready' || c.type === 'ContainersReady')
        .map((c) => c.status);
    const updated = await writeAgain(async () => {
      const now = await api.get('pod-test', '/status');
      assert.deepEqual(readiness(now.status), ['True', 'True']);
      const { conditions } = now.status as { conditions: PodCondition[] };
      const changed = conditions.map((c) =>
        c.type === 'Ready' || c.type === 'ContainersReady' ? { ...c, status: 'False' } : c,
      );
      return api.update({ ...now, status: { ...(now.status as object), conditions: changed } }, '/status');
    });
    assert.deepEqual(readiness(updated.status), ['False', 'False']);
    await api.deleteCollection('app=pod-test');
    await log.until('its end', (events) => events.at(-1)?.type === 'DELETED');
    log.stop();
    assert.equal(log.events[0]?.type, 'ADDED');
    assert.ok(log.events.some((e) => e.type === 'MODIFIED' && e.object.metadata.labels?.['test-pod'] === 'patched'));
    assert.equal((await api.missing('pod-test')).reason, 'NotFound');
  });
});
