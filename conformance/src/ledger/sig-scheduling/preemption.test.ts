/** Preemption: who goes, who stays, and what the one that goes is told. */
import assert from 'node:assert/strict';
import { isPodReady, NODES, PODS, PRIORITY_CLASSES, REPLICA_SETS } from '@binnacle/api';
import type { Pod, PodSpec } from '@binnacle/api/core/v1';
import { podOf, record, template, untilOne } from '../objects.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

/** Priority classes of this world alone, by their values. */
async function makePriorities(world: World, values: readonly number[]): Promise<(value: number) => string> {
  const nameOf = (value: number): string => `${world.namespace}-p${value}`;
  for (const value of values)
    await world.client.resource(PRIORITY_CLASSES).create({ metadata: { name: nameOf(value) }, value });
  return nameOf;
}

/** A resource that no other pod asks for, on these nodes; answers with its name. */
async function advertise(world: World, nodes: readonly string[], amount: string): Promise<string> {
  const resource = `ledger.example.com/${world.namespace}`;
  const status = { capacity: { [resource]: amount }, allocatable: { [resource]: amount } };
  for (const node of nodes)
    await world.client.resource(NODES).patch(node, 'merge', { status }, { subresource: 'status' });
  return resource;
}
async function withdraw(world: World, nodes: readonly string[], resource: string): Promise<void> {
  const status = { capacity: { [resource]: null }, allocatable: { [resource]: null } };
  for (const node of nodes)
    await world.client.resource(NODES).patch(node, 'merge', { status }, { subresource: 'status' });
}

const asking = (resource: string, amount: string): Pick<PodSpec, 'containers'> => ({
  containers: [
    {
      name: 'httpd',
      image: 'binnacle.local/frontend:1.0',
      resources: { requests: { [resource]: amount }, limits: { [resource]: amount } },
    },
  ],
});
const onNode = (name: string): Pick<PodSpec, 'affinity'> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }],
      },
    },
  },
});

const nodesOf = async (world: World): Promise<string[]> =>
  (await world.client.resource(NODES).list()).items.map((n) => n.metadata.name ?? '');

const running = (world: World, name: string, namespace = world.namespace) =>
  untilOne(world, PODS, { name, namespace, what: 'running', until: isPodReady });

/** Two pods a node fill it to four fifths; the first is of low priority, the others of medium. The first must go. */
async function preemptsTheLowest(world: World, preemptor: { namespace: string; className: string }): Promise<void> {
  const nameOf = await makePriorities(world, [1, 100]);
  const nodes = await nodesOf(world);
  const resource = await advertise(world, nodes, '5');
  const pods = world.client.resource(PODS, world.namespace);
  const made: Pod[] = [];
  for (const node of nodes) {
    for (const n of [0, 1]) {
      const priorityClassName = nameOf(made.length === 0 ? 1 : 100);
      const spec = { ...asking(resource, '2'), ...onNode(node), priorityClassName };
      made.push(await pods.create(podOf(`${node}-${n}`, spec)));
    }
  }
  for (const pod of made) await running(world, pod.metadata.name ?? '');
  const [victim, ...others] = made;
  const name = `preemptor-${world.namespace}`;
  const there = world.client.resource(PODS, preemptor.namespace);
  await there.create(podOf(name, { ...asking(resource, '2'), priorityClassName: preemptor.className }));
  const pod = await running(world, name, preemptor.namespace);
  assert.equal(pod?.spec.nodeName, nodes[0]);
  const left = (await pods.list()).items.filter((p) => p.metadata.deletionTimestamp === undefined);
  const uids = new Set(left.map((p) => p.metadata.uid));
  assert.ok(!uids.has(victim?.metadata.uid), 'the pod of the lowest priority went');
  for (const other of others) assert.ok(uids.has(other.metadata.uid), `${other.metadata.name} stayed`);
  await there.delete(name, { gracePeriodSeconds: 0 });
  await withdraw(world, nodes, resource);
}

behaviours('simulated', 'preemption', (check) => {
  check(
    '[sig-scheduling] SchedulerPreemption [Serial] validates basic preemption works [Conformance]',
    async (world) => {
      const nameOf = await makePriorities(world, [1000]);
      await preemptsTheLowest(world, { namespace: world.namespace, className: nameOf(1000) });
    },
  );

  check(
    '[sig-scheduling] SchedulerPreemption [Serial] validates lower priority pod preemption by critical pod [Conformance]',
    (world) => preemptsTheLowest(world, { namespace: 'kube-system', className: 'system-cluster-critical' }),
  );

  check(
    '[sig-scheduling] SchedulerPreemption [Serial] validates pod disruption condition is added to the preempted pod [Conformance]',
    async (world) => {
      const nameOf = await makePriorities(world, [1, 1000]);
      const [node = ''] = await nodesOf(world);
      const resource = await advertise(world, [node], '1');
      const pods = world.client.resource(PODS, world.namespace);
      const spec = (value: number) => ({
        ...asking(resource, '1'),
        ...onNode(node),
        priorityClassName: nameOf(value),
      });
      await pods.create(podOf('victim-pod', spec(1), { finalizers: ['example.com/test-finalizer'] }));
      await running(world, 'victim-pod');
      await pods.create(podOf('preemptor-pod', spec(1000)));
      const victim = await untilOne(world, PODS, {
        name: 'victim-pod',
        what: 'going',
        until: (p) => p.metadata.deletionTimestamp !== undefined,
      });
      assert.partialDeepStrictEqual(
        victim?.status?.conditions?.find((c) => c.type === 'DisruptionTarget'),
        {
          status: 'True',
          reason: 'PreemptionByScheduler',
          message: 'default-scheduler: preempting to accommodate a higher priority pod',
        },
      );
      await pods.patch('victim-pod', 'merge', { metadata: { finalizers: null } });
      await untilOne(world, PODS, { name: 'victim-pod', what: 'gone' });
      await running(world, 'preemptor-pod');
      await withdraw(world, [node], resource);
    },
  );

  check(
    '[sig-scheduling] SchedulerPreemption [Serial] PreemptionExecutionPath runs ReplicaSets to verify preemption running path [Conformance]',
    async (world) => {
      const nameOf = await makePriorities(world, [1, 2, 3, 4]);
      const [node = ''] = await nodesOf(world);
      const resource = await advertise(world, [node], '1000');
      const made = await Promise.all([1, 2, 3].map((n) => record(world, PODS, `app=rs-pod${n}`)));
      for (const [n, amount] of [
        [1, '200'],
        [2, '300'],
        [3, '450'],
      ] as const) {
        const app = `rs-pod${n}`;
        const spec = { ...asking(resource, amount), ...onNode(node), priorityClassName: nameOf(n) };
        await world.client.resource(REPLICA_SETS, world.namespace).create({
          metadata: { name: app },
          spec: { replicas: 1, selector: { matchLabels: { app } }, template: template(app, spec) },
        });
        await untilOne(world, REPLICA_SETS, { name: app, what: 'ready', until: (s) => s.status?.readyReplicas === 1 });
      }
      const pods = world.client.resource(PODS, world.namespace);
      await pods.create(podOf('pod4', { ...asking(resource, '500'), ...onNode(node), priorityClassName: nameOf(4) }));
      await running(world, 'pod4');
      // The first two are made anew, once each, and wait; the third was never touched.
      const additions = (): number[] => made.map((m) => m.events.filter((e) => e.type === 'ADDED').length);
      for (const [n, count] of [2, 2, 1].entries())
        await made[n]?.until(`${count} pods of set ${n + 1}`, () => (additions()[n] ?? 0) >= count);
      for (const n of [1, 2]) {
        const all = (await pods.list({ labelSelector: `app=rs-pod${n}` })).items;
        const [pod] = all.filter((p) => p.metadata.deletionTimestamp === undefined);
        await untilOne(world, PODS, {
          name: pod?.metadata.name ?? '',
          what: 'found to fit nowhere',
          until: (p) => p.status?.conditions?.some((c) => c.reason === 'Unschedulable') === true,
        });
      }
      for (const m of made) m.stop();
      assert.deepEqual(additions(), [2, 2, 1]);
      await withdraw(world, [node], resource);
    },
  );
});
