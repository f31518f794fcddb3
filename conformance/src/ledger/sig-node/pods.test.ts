/** Pods as objects that live: verbs, generation, quality of service, deadlines, taints, placement. */
import assert from 'node:assert/strict';
import { isPodReady, NODES, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { requests } from '../api-operations.ts';
import { podOf, runPod, untilOne, untilPods } from '../objects.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const podsOf = (world: World) => world.client.resource(PODS, world.namespace);
const apiOf = (world: World) => requests(world, `/api/v1/namespaces/${world.namespace}/pods`);

behaviours('simulated', 'pods', (check) => {
  check('[sig-node] Pods should get a host IP [NodeConformance] [Conformance]', async (world) => {
    const pod = await runPod(world, 'pod');
    assert.match(pod.status?.hostIP ?? '', /^\d+\.\d+\.\d+\.\d+$/);
    assert.equal(pod.status?.hostIPs?.[0]?.ip, pod.status?.hostIP);
  });

  check('[sig-node] Pods should be updated [NodeConformance] [Conformance]', async (world) => {
    await runPod(world, 'pod');
    assert.equal((await podsOf(world).list({ labelSelector: 'app=pod' })).items.length, 1);
    await podsOf(world).patch('pod', 'strategic', { metadata: { labels: { time: 'updated' } } });
    assert.deepEqual(
      (await podsOf(world).list({ labelSelector: 'time=updated' })).items.map((p) => p.metadata.name),
      ['pod'],
    );
  });

  check('[sig-node] Pods should be submitted and removed [NodeConformance] [Conformance]', async (world) => {
    const { resourceVersion } = await podsOf(world).list({ labelSelector: 'app=pod' });
    const seen: [string, Pod][] = [];
    const gone = Promise.withResolvers<void>();
    const handle = podsOf(world).watch(
      { labelSelector: 'app=pod', resourceVersion },
      {
        events: (batch) => {
          for (const { type, object } of batch) {
            seen.push([type, object]);
            if (type === 'DELETED') gone.resolve();
          }
        },
        end: (error) => gone.reject(error),
      },
    );
    await runPod(world, 'pod', { terminationGracePeriodSeconds: 1 });
    assert.equal((await podsOf(world).list({ labelSelector: 'app=pod' })).items.length, 1);
    await podsOf(world).delete('pod');
    await gone.promise;
    handle.stop();
    assert.equal(seen[0]?.[0], 'ADDED');
    assert.ok(seen.some(([type, pod]) => type === 'MODIFIED' && pod.status?.phase === 'Running'));
    assert.ok(
      seen.some(([, pod]) => pod.metadata.deletionTimestamp !== undefined),
      'the time of its end is seen',
    );
    assert.deepEqual((await podsOf(world).list({ labelSelector: 'app=pod' })).items, []);
  });

  check('[sig-node] Pods should delete a collection of pods [Conformance]', async (world) => {
    const api = apiOf(world);
    for (const name of ['test-pod-1', 'test-pod-2', 'test-pod-3'])
      await podsOf(world).create(podOf(name, {}, { labels: { app: 'set', type: 'Testing' } }));
    await untilPods(
      world,
      { app: 'set', what: 'three running' },
      (pods) => pods.length === 3 && pods.every(isPodReady),
    );
    await api.deleteCollection('type=Testing');
    await untilPods(world, { app: 'set', what: 'gone' }, (pods) => pods.length === 0);
  });

  check(
    '[sig-node] Pods should allow activeDeadlineSeconds to be updated [NodeConformance] [Conformance]',
    async (world) => {
      await runPod(world, 'pod');
      await podsOf(world).patch('pod', 'merge', { spec: { activeDeadlineSeconds: 2 } });
      const failed = await untilOne(world, PODS, {
        name: 'pod',
        what: 'failed',
        until: (p) => p.status?.phase === 'Failed',
      });
      assert.equal(failed?.status?.reason, 'DeadlineExceeded');
      assert.equal(failed?.status?.message, 'Pod was active on the node longer than the specified deadline');
    },
  );

  check(
    '[sig-node] Pods Extended Pods Set QOS Class should be set on Pods with matching resource requests and limits for memory and cpu [Conformance]',
    async (world) => {
      const amounts = { cpu: '100m', memory: '100Mi' };
      const pod = await podsOf(world).create(
        podOf('pod', { containers: [{ name: 'c', image: 'i', resources: { limits: amounts, requests: amounts } }] }),
      );
      assert.equal((await podsOf(world).get(pod.metadata.name ?? '')).status?.qosClass, 'Guaranteed');
    },
  );

  check(
    '[sig-node] Pods Extended (pod generation) Pod Generation pod generation should start at 1 and increment per update [MinimumKubeletVersion:1.34] [Conformance]',
    async (world) => {
      const first = await podsOf(world).create(podOf('pod', { tolerations: [] }));
      assert.equal(first.metadata.generation, 1);
      const observed = (generation: number) =>
        untilOne(world, PODS, {
          name: 'pod',
          what: `observed generation ${generation}`,
          until: (p) => p.status?.observedGeneration === generation,
        });
      await observed(1);
      await podsOf(world).patch('pod', 'merge', { metadata: { labels: { a: 'b' } } });
      assert.equal((await podsOf(world).get('pod')).metadata.generation, 1, 'labels are no part of the spec');
      await podsOf(world).patch('pod', 'merge', { spec: { activeDeadlineSeconds: 5000 } });
      assert.equal((await observed(2))?.metadata.generation, 2);
      await podsOf(world).patch('pod', 'strategic', {
        spec: { containers: [{ name: 'c', image: 'binnacle.local/frontend:2.0' }] },
      });
      assert.equal((await observed(3))?.metadata.generation, 3);
    },
  );

  check(
    '[sig-node] Pods Extended (pod generation) Pod Generation custom-set generation on new pods and graceful delete [Conformance]',
    async (world) => {
      const made = await podsOf(world).create(
        podOf('pod', { terminationGracePeriodSeconds: 30 }, { generation: 100, finalizers: ['e2e.example.com/stay'] }),
      );
      assert.equal(made.metadata.generation, 1, 'what a client says is not taken');
      await untilOne(world, PODS, { name: 'pod', what: 'ready', until: isPodReady });
      await podsOf(world).delete('pod');
      assert.equal((await podsOf(world).get('pod')).metadata.generation, 2);
      await podsOf(world).patch('pod', 'merge', { metadata: { finalizers: null } });
    },
  );

  check(
    '[sig-node] Pods Extended (pod generation) Pod Generation issue 500 podspec updates and verify generation and observedGeneration eventually converge [MinimumKubeletVersion:1.34] [Conformance]',
    async (world) => {
      await runPod(world, 'pod', { activeDeadlineSeconds: 600_000 });
      for (let n = 1; n < 500; n++)
        await podsOf(world).patch('pod', 'merge', { spec: { activeDeadlineSeconds: 600_000 - n } });
      const pod = await untilOne(world, PODS, {
        name: 'pod',
        what: 'observed 500',
        until: (p) => p.status?.observedGeneration === 500,
      });
      assert.equal(pod?.metadata.generation, 500);
    },
  );
});

behaviours('simulated', 'placement', (check) => {
  const placed = (world: World, name: string, what: string, until: (pod: Pod) => boolean) =>
    untilOne(world, PODS, { name, what, until });
  const unschedulable = (pod: Pod): boolean =>
    pod.status?.conditions?.some((c) => c.type === 'PodScheduled' && c.reason === 'Unschedulable') === true;

  check(
    '[sig-scheduling] SchedulerPredicates [Serial] validates that NodeSelector is respected if matching [Conformance]',
    async (world) => {
      const [node] = (await world.client.resource(NODES).list()).items;
      const name = node?.metadata.name ?? '';
      const key = `kubernetes.io/e2e-${world.namespace}`;
      await world.client.resource(NODES).patch(name, 'merge', { metadata: { labels: { [key]: '42' } } });
      await podsOf(world).create(podOf('with-labels', { nodeSelector: { [key]: '42' } }));
      const pod = await placed(world, 'with-labels', 'placed', (p) => p.spec.nodeName !== undefined);
      assert.equal(pod?.spec.nodeName, name);
      await world.client.resource(NODES).patch(name, 'merge', { metadata: { labels: { [key]: null } } });
    },
  );

  check(
    '[sig-scheduling] SchedulerPredicates [Serial] validates that NodeSelector is respected if not matching [Conformance]',
    async (world) => {
      await podsOf(world).create(podOf('restricted-pod', { nodeSelector: { label: 'nonempty' } }));
      const pod = await placed(world, 'restricted-pod', 'refused', unschedulable);
      assert.equal(pod?.spec.nodeName, undefined);
      assert.match(
        pod?.status?.conditions?.find((c) => c.type === 'PodScheduled')?.message ?? '',
        /didn't match Pod's node affinity\/selector/,
      );
    },
  );

  check(
    '[sig-scheduling] SchedulerPredicates [Serial] validates resource limits of pods that are allowed to run [Conformance]',
    async (world) => {
      // A resource of one node that nobody else asks for: full after one pod.
      const [node] = (await world.client.resource(NODES).list()).items;
      const name = node?.metadata.name ?? '';
      const resource = `example.com/${world.namespace}`;
      await world.client
        .resource(NODES)
        .patch(
          name,
          'merge',
          { status: { capacity: { [resource]: '10' }, allocatable: { [resource]: '10' } } },
          { subresource: 'status' },
        );
      const asks = (amount: string) => ({
        containers: [
          { name: 'c', image: 'i', resources: { requests: { [resource]: amount }, limits: { [resource]: amount } } },
        ],
      });
      await podsOf(world).create(podOf('filler-pod', asks('7')));
      await placed(world, 'filler-pod', 'placed', (p) => p.spec.nodeName === name);
      await podsOf(world).create(podOf('additional-pod', asks('4')));
      const pod = await placed(world, 'additional-pod', 'refused', unschedulable);
      assert.match(
        pod?.status?.conditions?.find((c) => c.type === 'PodScheduled')?.message ?? '',
        new RegExp(`Insufficient ${resource}`),
      );
    },
  );

  check(
    '[sig-scheduling] SchedulerPredicates [Serial] validates that there exists conflict between pods with same hostPort and protocol but one using 0.0.0.0 hostIP [Conformance]',
    async (world) => {
      const [node] = (await world.client.resource(NODES).list()).items;
      const nodeSelector = { 'kubernetes.io/hostname': node?.metadata.labels?.['kubernetes.io/hostname'] ?? '' };
      const ports = (hostIP: string) => [
        {
          name: 'c',
          image: 'i',
          ports: [
            { containerPort: 80, hostPort: 54322, protocol: 'TCP' as const, ...(hostIP === '' ? {} : { hostIP }) },
          ],
        },
      ];
      await podsOf(world).create(podOf('pod4', { nodeSelector, containers: ports('') }));
      await placed(world, 'pod4', 'placed', (p) => p.spec.nodeName !== undefined);
      await podsOf(world).create(podOf('pod5', { nodeSelector, containers: ports('127.0.0.1') }));
      const pod = await placed(world, 'pod5', 'refused', unschedulable);
      assert.match(
        pod?.status?.conditions?.find((c) => c.type === 'PodScheduled')?.message ?? '',
        /didn't have free ports for the requested pod ports/,
      );
    },
  );
});
