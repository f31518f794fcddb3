import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENTS, NODES, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { createClient } from '@binnacle/client';
import type { ResourceClient } from '@binnacle/client';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import type { MemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from '@binnacle/client/testing';
import type { NetworkedServer } from '@binnacle/client/testing';
import { status } from '@binnacle/machinery';
import { startScheduler } from './scheduler.ts';
import { makeNode, makePod } from './testing/objects.ts';

async function preempt(check: (world: { wire: NetworkedServer<MemoryApi>; clock: VirtualClock }) => Promise<void>) {
  const clock = new VirtualClock();
  const random = createSeededRandom(3);
  const wire = overFaultyNetwork(createMemoryApi({ clock, random }), clock);
  const scope = new Scope('test');
  wire.seed(NODES, makeNode('a', { cpu: '2' }));
  for (const name of ['low-1', 'low-2']) {
    wire.seed(PODS, makePod(name, { cpu: '1', priority: 1, nodeName: 'a' }));
  }
  wire.seed(PODS, makePod('urgent', { cpu: '2', priority: 1_000 }));
  startScheduler({ client: createClient(wire.connect()), world: { clock, random, log: silentLogger }, scope });
  await clock.advance(100);
  await check({ wire, clock });
  await scope.close();
  await wire.close();
}

test('victims are told why before they are ended, and the pod gets their room', () =>
  preempt(async ({ wire, clock }) => {
    const about = wire.calls.filter((c) => c.resource.resource === 'pods' && c.name?.startsWith('low-') === true);
    assert.deepEqual(
      about.filter((c) => c.name === 'low-1').map((c) => [c.verb, c.subresource ?? '']),
      [
        ['patch', 'status'],
        ['delete', ''],
      ],
    );
    assert.ok(about[0]);
    const condition = (about[0].body as { status: { conditions: readonly object[] } }).status.conditions[0];
    assert.deepEqual(condition, {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: 'default-scheduler: preempting to accommodate a higher priority pod',
      lastTransitionTime: (condition as { lastTransitionTime: string }).lastTransitionTime,
      observedGeneration: 1,
    });
    const pod = (): Pod | undefined => wire.objects(PODS).find((p) => p.metadata.name === 'urgent');
    const patched = wire.calls.find((c) => c.name === 'urgent' && c.subresource === 'status');
    assert.ok(patched);
    assert.equal((patched.body as { status: { nominatedNodeName?: string } }).status.nominatedNodeName, 'a');
    await clock.advance(5_000);
    assert.equal(pod()?.spec.nodeName, undefined, 'the victims still run through their grace period');
    assert.equal(wire.calls.filter((c) => c.verb === 'delete').length, 2, 'nobody is ended twice');
    const kubelet = createClient(wire.connect()).resource(PODS, 'default');
    for (const name of ['low-1', 'low-2']) await kubelet.delete(name, { gracePeriodSeconds: 0 });
    await clock.advance(5_000);
    assert.equal(pod()?.spec.nodeName, 'a');
    const events = wire.objects(EVENTS).map((e) => [e.reason, e.involvedObject.name, e.message]);
    assert.ok(
      events.some(
        ([reason, name, message]) =>
          reason === 'Preempted' && name === 'low-1' && message === 'Preempted by pod pod-urgent on node a',
      ),
      JSON.stringify(events),
    );
  }));

/** A more important pod that cannot be tried keeps the only node for itself; what sets it free lets the other one in. */
const FREEING: readonly (readonly [how: string, free: (pods: ResourceClient<Pod>) => Promise<unknown>])[] = [
  ['is deleted', (pods) => pods.delete('urgent', { gracePeriodSeconds: 0 })],
  [
    'is told to wait for no node',
    (pods) => pods.patch('urgent', 'merge', { status: { nominatedNodeName: null } }, { subresource: 'status' }),
  ],
  [
    'is to have another node',
    (pods) => pods.patch('urgent', 'merge', { status: { nominatedNodeName: 'b' } }, { subresource: 'status' }),
  ],
];

for (const [how, free] of FREEING) {
  test(`whoever was held back by a nominated pod is tried again when that ${how}`, async () => {
    const clock = new VirtualClock();
    const random = createSeededRandom(3);
    const wire = overFaultyNetwork(createMemoryApi({ clock, random }), clock);
    const scope = new Scope('test');
    wire.seed(NODES, makeNode('a', { cpu: '2' }));
    const gated = makePod('urgent', { cpu: '2', priority: 1_000, schedulingGates: [{ name: 'example.com/wait' }] });
    wire.seed(PODS, { ...gated, status: { ...gated.status, nominatedNodeName: 'a' } });
    startScheduler({ client: createClient(wire.connect()), world: { clock, random, log: silentLogger }, scope });
    await clock.advance(100);
    wire.seed(PODS, makePod('small', { cpu: '2' }));
    await clock.advance(20_000);
    const nodeOf = (): string | undefined =>
      wire.objects(PODS).find((pod) => pod.metadata.name === 'small')?.spec.nodeName;
    assert.equal(nodeOf(), undefined, 'the room is kept for whoever is more important');
    await free(createClient(wire.connect()).resource(PODS, 'default'));
    await clock.advance(1_000);
    assert.equal(nodeOf(), 'a');
    await scope.close();
    await wire.close();
  });
}

test('a pod for which room is being made is not given room elsewhere, too, before all victims are told', async () => {
  for (let seed = 1; seed <= 8; seed++) {
    const clock = new VirtualClock();
    const random = createSeededRandom(seed);
    const wire = overFaultyNetwork(createMemoryApi({ clock, random }), clock);
    const scope = new Scope('test');
    for (const name of ['a', 'b']) {
      wire.seed(NODES, makeNode(name, { cpu: '2' }));
      wire.seed(PODS, makePod(`low-${name}`, { cpu: '2', priority: 1, nodeName: name }));
    }
    wire.seed(NODES, makeNode('c', { cpu: '1' }));
    wire.seed(PODS, makePod('small', { cpu: '1', priority: 2_000, nodeName: 'c' }));
    wire.seed(PODS, makePod('urgent', { cpu: '2', priority: 1_000 }));
    // The API server takes its time.
    wire.faults.call = ({ name, verb }) =>
      verb === 'patch' && name?.startsWith('low-') === true ? { kind: 'delay', ms: 5_000 } : undefined;
    startScheduler({ client: createClient(wire.connect()), world: { clock, random, log: silentLogger }, scope });
    await clock.advance(2_000);
    // It has nothing to do with it, and wakes whoever waits for room.
    await createClient(wire.connect()).resource(PODS, 'default').delete('small', { gracePeriodSeconds: 0 });
    await clock.advance(60_000);
    const ended = wire.calls.filter(({ verb }) => verb === 'delete').map(({ name }) => name);
    assert.deepEqual(
      ended.filter((name) => name?.startsWith('low-')).length,
      1,
      `seed ${seed}: one node is enough, and nobody is told twice: ${ended.join()}`,
    );
    await scope.close();
    await wire.close();
  }
});

test('a victim that cannot be ended lets the pod try again once the others are told', async () => {
  const clock = new VirtualClock();
  const random = createSeededRandom(3);
  const wire = overFaultyNetwork(createMemoryApi({ clock, random }), clock);
  const scope = new Scope('test');
  wire.seed(NODES, makeNode('a', { cpu: '2' }));
  for (const name of ['low-1', 'low-2']) wire.seed(PODS, makePod(name, { cpu: '1', priority: 1, nodeName: 'a' }));
  wire.seed(PODS, makePod('urgent', { cpu: '2', priority: 1_000 }));
  let refusals = 1;
  wire.faults.call = ({ name, verb }) => {
    if (verb !== 'delete') return undefined;
    if (name === 'low-2') return { kind: 'delay', ms: 4_000 };
    return refusals-- > 0 ? { kind: 'refuse', error: status.internalError('no') } : undefined;
  };
  startScheduler({ client: createClient(wire.connect()), world: { clock, random, log: silentLogger }, scope });
  await clock.advance(30_000);
  const going = wire.objects(PODS).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  assert.deepEqual(going.map(({ metadata }) => metadata.name).toSorted(), ['low-1', 'low-2']);
  await scope.close();
  await wire.close();
});
