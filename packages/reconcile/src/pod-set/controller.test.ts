import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PODS, REPLICA_SETS } from '@binnacle/api';
import type { ReplicaSet } from '@binnacle/api/apps/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { createClient, createInformer } from '@binnacle/client';
import type { InformerHandler } from '@binnacle/client';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from '@binnacle/client/testing';
import { selectorFromObject, status } from '@binnacle/machinery';
import { runPodSetController } from './controller.ts';
import type { PodSetKind } from './kind.ts';
import { OWNERSHIP_INDEXES } from './pod-index.ts';

const SETS: PodSetKind<ReplicaSet> = {
  ref: REPLICA_SETS,
  selector: (set) => selectorFromObject(set.spec.selector ?? {}),
  replicas: (set) => set.spec.replicas ?? 1,
  template: (set) => set.spec.template,
  minReadySeconds: (set) => set.spec.minReadySeconds ?? 0,
  status: (set) => set.status,
  withStatus: (set, after) => ({ ...set, status: after }),
  tellsTerminating: true,
};

const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };

async function start(metadata: object = {}, spec: object = {}) {
  const clock = new VirtualClock();
  const random = createSeededRandom(3);
  const wire = overFaultyNetwork(createMemoryApi({ clock, random }), clock);
  const scope = new Scope('test');
  const world = { clock, random, log: silentLogger };
  const client = createClient(wire);
  const options = { indexes: OWNERSHIP_INDEXES };
  const pods = createInformer(client, PODS, world, options);
  const owners = createInformer(client, REPLICA_SETS, world, options);
  const set = wire.seed(REPLICA_SETS, {
    metadata: { name: 'web', namespace: 'default', ...metadata },
    spec: { replicas: 2, selector: { matchLabels: { a: 'b' } }, template: TEMPLATE, ...spec },
  });
  const events: string[] = [];
  let told: InformerHandler<Pod> | undefined;
  const watched = new Proxy(pods, {
    get: (informer, name: keyof typeof pods) => {
      if (name !== 'subscribe') return (informer[name] as () => void).bind(informer);
      return (handler: InformerHandler<Pod>) => informer.subscribe((told = handler));
    },
  });
  const begin = async () => {
    const recorder = {
      event: (...facts: readonly unknown[]) => void events.push(`${String(facts[2])}: ${String(facts[3])}`),
    };
    const options = { name: 'sets', kind: SETS, client, world, scope, events: recorder, pods: watched, owners };
    const controller = runPodSetController(options);
    owners.start(scope);
    pods.start(scope);
    await clock.advance(0);
    return controller;
  };
  const close = async (): Promise<void> => {
    await scope.close();
    await wire.close();
  };
  const report = () => wire.objects(REPLICA_SETS)[0]?.status;
  return { clock, wire, client, set, events, begin, report, close, follower: () => told };
}

test('a set that makes its pods reports once, when it sees them', async () => {
  const { clock, wire, begin, report, close } = await start();
  const reports: unknown[] = [];
  wire.faults.call = ({ verb, subresource, resource }) => {
    if (resource.resource === 'replicasets' && verb === 'update') reports.push(subresource);
    return undefined;
  };
  await begin();
  await clock.advance(60_000);
  assert.deepEqual(reports, ['status']);
  assert.deepEqual([report()?.replicas, report()?.observedGeneration], [2, 1]);
  await close();
});

test('pods that become ready one after the other are reported now and then, the last one at once', async () => {
  const { clock, wire, begin, report, close } = await start({}, { replicas: 30 });
  await begin();
  await clock.advance(1000);
  const seen: unknown[] = [];
  wire.faults.call = ({ verb, subresource, resource }) => {
    if (resource.resource === 'replicasets' && verb === 'update') seen.push(subresource);
    return undefined;
  };
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  for (const pod of wire.objects(PODS)) {
    const conditions = [{ type: 'Ready', status: 'True' as const, lastTransitionTime }];
    wire.setStatus(PODS, pod, { phase: 'Running', conditions });
    await clock.advance(10);
  }
  assert.deepEqual([report()?.readyReplicas, report()?.availableReplicas], [30, 30], 'at once');
  assert.ok(seen.length <= 4, `${seen.length} reports`);
  const [pod] = wire.objects(PODS);
  assert.ok(pod);
  wire.setStatus(PODS, pod, { ...pod.status, conditions: [{ type: 'Ready', status: 'False' }] });
  await clock.advance(1);
  assert.equal(report()?.readyReplicas, 29, 'one that is ready no longer is told at once');
  await close();
});

const READY = { type: 'Ready', status: 'True' as const, lastTransitionTime: '2026-01-01T00:00:00Z' };

test('a set is not looked at for each pod that becomes ready, nor for the status that it told itself', async () => {
  const { clock, wire, begin, report, close } = await start({}, { replicas: 30 });
  const controller = await begin();
  await clock.advance(1000);
  const { syncs } = controller.inspect();
  for (const pod of wire.objects(PODS)) {
    wire.setStatus(PODS, pod, { phase: 'Running', conditions: [READY] });
    await clock.advance(10);
  }
  await clock.advance(1000);
  assert.equal(report()?.readyReplicas, 30);
  const made = controller.inspect().syncs - syncs;
  assert.ok(made <= 10, `${made} syncs`);
  await close();
});

test('pods that become ready while the set is looked at are counted in time, whenever they come', async () => {
  for (const step of [1, 7, 40, 99, 100, 101, 130]) {
    const { clock, wire, begin, report, close } = await start({}, { replicas: 9 });
    await begin();
    await clock.advance(1000);
    // Each write of a status takes a while, in which the next pods come.
    wire.faults.call = ({ verb }) => (verb === 'update' ? { kind: 'delay', ms: 60 } : undefined);
    const pods = wire.objects(PODS);
    for (const [at, pod] of pods.entries()) {
      wire.setStatus(PODS, pod, { phase: 'Running', conditions: [READY] });
      await clock.advance(step);
      if (at !== 4) continue;
      // All that came is told though no other comes.
      await clock.advance(1000);
      assert.equal(report()?.readyReplicas, 5, `${step} ms between two`);
    }
    await clock.advance(100);
    assert.equal(report()?.readyReplicas, 9, `${step} ms between two`);
    await close();
  }
});

test('while a report is put off, a pod that is ready no longer is told at once', async () => {
  const { clock, wire, begin, report, close } = await start({}, { replicas: 30 });
  await begin();
  await clock.advance(1000);
  const become = async (at: number, isReady: boolean): Promise<void> => {
    const pod = wire.objects(PODS)[at];
    assert.ok(pod);
    const condition = isReady ? READY : { ...READY, status: 'False' as const };
    wire.setStatus(PODS, pod, { phase: 'Running', conditions: [condition] });
    await clock.advance(1);
  };
  for (let at = 0; at < 5; at++) await become(at, true);
  await clock.advance(200);
  assert.equal(report()?.readyReplicas, 5);
  await become(5, true);
  assert.equal(report()?.readyReplicas, 5, 'put off');
  await become(0, false);
  await become(1, false);
  assert.equal(report()?.readyReplicas, 4);
  await close();
});

test('a status that somebody else wrote is put right', async () => {
  const { clock, client, begin, report, close } = await start();
  await begin();
  await clock.advance(1000);
  const sets = client.resource(REPLICA_SETS, 'default');
  await sets.patch('web', 'merge', { status: { replicas: 7 } }, { subresource: 'status' });
  await clock.advance(10);
  assert.equal(report()?.replicas, 2);
  await close();
});

test('what somebody changes while a report is on its way is not taken for the report', async () => {
  const { clock, wire, client, begin, close } = await start();
  await begin();
  await clock.advance(1000);
  wire.faults.watchDelayMs = () => 200;
  wire.faults.call = ({ verb, subresource }) =>
    verb === 'update' && subresource === 'status' ? { kind: 'delay', ms: 50 } : undefined;
  for (const pod of wire.objects(PODS)) wire.setStatus(PODS, pod, { phase: 'Running', conditions: [READY] });
  // The watch shows the pods, the report meets the change, is made again, and both come back behind it.
  await clock.advance(220);
  await client.resource(REPLICA_SETS, 'default').patch('web', 'merge', { spec: { replicas: 5 } });
  await clock.advance(2000);
  assert.equal(wire.objects(PODS).length, 5);
  await close();
});

test('pods that were made and show one after the other are one report', async () => {
  const { clock, wire, begin, report, close } = await start({}, { replicas: 10 });
  const told: (number | undefined)[] = [];
  wire.faults.watchDelayMs = () => 40;
  wire.faults.call = ({ verb, resource, body }) => {
    if (resource.resource === 'replicasets' && verb === 'update') told.push((body as ReplicaSet).status?.replicas);
    return verb === 'create' ? { kind: 'delay', ms: 30 } : undefined;
  };
  await begin();
  await clock.advance(250);
  assert.deepEqual([[...new Set(told)], report()?.replicas], [[10], 10], 'no other number was told');
  await close();
});

test('while pods that it made do not show, a set is not looked at for each event of others, but soon', async () => {
  const { clock, wire, begin, close, follower } = await start();
  wire.faults.call = ({ verb }) => (verb === 'create' ? { kind: 'delay', ms: 5 } : undefined);
  const controller = await begin();
  wire.faults.watchDelayMs = () => 60_000;
  await clock.advance(1000);
  const [pod] = wire.objects(PODS);
  assert.ok(pod);
  const { syncs } = controller.inspect();
  for (let i = 0; i < 10; i++) {
    follower()?.add?.({ ...pod, metadata: { ...pod.metadata, name: `other-${i}`, uid: `other-${i}` } });
    await clock.advance(1);
  }
  assert.equal(controller.inspect().syncs, syncs);
  await clock.advance(100);
  assert.equal(controller.inspect().syncs, syncs + 1);
  await close();
});

test('pods that were made and do not show are reported without them after a moment', async () => {
  const { clock, wire, begin, report, close } = await start({}, { replicas: 10 });
  let made = 0;
  wire.faults.watchDelayMs = () => (made > 3 ? 60_000 : 0);
  wire.faults.call = ({ verb }) => (verb === 'create' && made++ > 3 ? { kind: 'delay', ms: 30 } : undefined);
  await begin();
  await clock.advance(2000);
  assert.ok((report()?.replicas ?? 0) > 0, `${report()?.replicas}`);
  await clock.advance(120_000);
  assert.equal(report()?.replicas, 10);
  await close();
});

test('what could not be made is told in the status, and tried again until it is', async () => {
  const { clock, wire, begin, report, close, events } = await start();
  const quota = status.forbidden(PODS, 'web', 'exceeded quota');
  wire.faults.call = ({ verb, resource }) =>
    verb === 'create' && resource.resource === 'pods' ? { kind: 'refuse', error: quota } : undefined;
  await begin();
  await clock.advance(10);
  assert.equal(report()?.conditions?.[0]?.reason, 'FailedCreate');
  assert.match(events[0] ?? '', /^FailedCreate: Error creating: .*exceeded quota$/);
  wire.faults.call = undefined;
  await clock.advance(60_000);
  assert.equal(wire.objects(PODS).length, 2, 'nothing woke it but its own failure');
  assert.deepEqual([report()?.replicas, report()?.conditions], [2, undefined]);
  await close();
});

test('what could not be deleted is told in the status, and tried again until it is', async () => {
  const { clock, wire, client, begin, report, close, events } = await start();
  await begin();
  await clock.advance(10);
  const refused = status.forbidden(PODS, 'web', 'not now');
  wire.faults.call = ({ verb }) => (verb === 'delete' ? { kind: 'refuse', error: refused } : undefined);
  await client.resource(REPLICA_SETS, 'default').patch('web', 'merge', { spec: { replicas: 0 } });
  await clock.advance(10);
  assert.equal(report()?.conditions?.[0]?.reason, 'FailedDelete');
  assert.match(events.at(-1) ?? '', /^FailedDelete: Error deleting: .*not now$/);
  wire.faults.call = undefined;
  await clock.advance(60_000);
  assert.deepEqual([wire.objects(PODS).length, report()?.conditions], [0, undefined]);
  await close();
});

test('a set that is being deleted makes no pods', async () => {
  const { clock, wire, client, begin, close } = await start({ finalizers: ['example.com/kept'] });
  await client.resource(REPLICA_SETS, 'default').delete('web');
  await begin();
  await clock.advance(60_000);
  assert.equal(wire.objects(PODS).length, 0);
  await close();
});

test('a pod counts as available when it was ready for long enough, with no event that says so', async () => {
  const { clock, wire, begin, report, close } = await start({}, { replicas: 1, minReadySeconds: 10 });
  await begin();
  await clock.advance(1_000);
  const [pod] = wire.objects(PODS);
  assert.ok(pod !== undefined);
  const lastTransitionTime = new Date(clock.now()).toISOString();
  wire.setStatus(PODS, pod, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }] });
  await clock.advance(9_000);
  assert.deepEqual([report()?.readyReplicas, report()?.availableReplicas], [1, undefined]);
  await clock.advance(1_001);
  assert.equal(report()?.availableReplicas, 1);
  await close();
});
