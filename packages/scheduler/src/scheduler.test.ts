import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getPodCondition, NODES, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { createClient } from '@binnacle/client';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import type { MemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from '@binnacle/client/testing';
import type { NetworkedServer } from '@binnacle/client/testing';
import { status } from '@binnacle/machinery';
import type { Wire } from '@binnacle/machinery';
import { makeNode, makePod } from './testing/objects.ts';
import { defaultProfile } from './profile.ts';
import { startScheduler } from './scheduler.ts';
import type { SchedulerHandle } from './scheduler.ts';

interface World {
  readonly clock: VirtualClock;
  readonly wire: NetworkedServer<MemoryApi>;
  readonly scope: Scope;
  readonly pod: (name: string) => Pod | undefined;
  readonly start: (schedulerName?: string, between?: Between) => SchedulerHandle;
}

/** What goes between the scheduler and the wire. */
type Between = (wire: Wire) => Wire;

async function inWorld(run: (world: World) => Promise<void>): Promise<void> {
  const clock = new VirtualClock();
  const random = createSeededRandom(7);
  const wire = overFaultyNetwork(createMemoryApi({ clock, random }), clock);
  const scope = new Scope('test');
  const start: World['start'] = (schedulerName, between = (plain) => plain) =>
    startScheduler({
      client: createClient(between(wire.connect())),
      world: { clock, random, log: silentLogger },
      scope: scope.child('scheduler'),
      profiles: [defaultProfile(schedulerName)],
    });
  const pod = (name: string): Pod | undefined => wire.objects(PODS).find((p) => p.metadata.name === name);
  await run({ clock, wire, scope, pod, start });
  await scope.close();
  await wire.close();
}

test('pods are spread over the nodes, within what fits', () =>
  inWorld(async ({ clock, wire, start, pod }) => {
    for (const name of ['a', 'b']) wire.seed(NODES, makeNode(name, { cpu: '2' }));
    for (let i = 0; i < 5; i++) wire.seed(PODS, makePod(`p${i}`, { cpu: '1' }));
    const scheduler = start();
    await clock.advance(100);
    const placed = [0, 1, 2, 3, 4].map((i) => pod(`p${i}`)?.spec.nodeName);
    assert.equal(placed.filter((n) => n === 'a').length, 2);
    assert.equal(placed.filter((n) => n === 'b').length, 2);
    assert.equal(placed.filter((n) => n === undefined).length, 1);
    assert.equal(scheduler.waiting.unschedulable, 1);
  }));

test('a pod that fits nowhere is told why, and goes on when a node comes', () =>
  inWorld(async ({ clock, wire, start, pod }) => {
    wire.seed(PODS, makePod('p', { cpu: '1' }));
    start();
    await clock.advance(100);
    const condition = pod('p')?.status?.conditions?.find((c) => c.type === 'PodScheduled');
    assert.deepEqual(
      [condition?.status, condition?.reason, condition?.message],
      ['False', 'Unschedulable', 'no nodes available to schedule pods'],
    );
    wire.seed(NODES, makeNode('late'));
    await clock.advance(2_000);
    assert.equal(pod('p')?.spec.nodeName, 'late');
  }));

test('a pod that still fits nowhere at its next try is not written again; it waits since the first', () =>
  inWorld(async ({ clock, wire, start, pod }) => {
    wire.seed(PODS, makePod('p', { cpu: '1' }));
    start();
    await clock.advance(100);
    const scheduled = () => pod('p')?.status?.conditions?.find((one) => one.type === 'PodScheduled');
    const first = scheduled();
    const writes = () => wire.calls.filter(({ subresource }) => subresource === 'status').length;
    const before = writes();
    // Nobody says anything for so long that it is tried anyway.
    await clock.advance(6 * 60_000);
    assert.equal(writes(), before);
    wire.seed(NODES, makeNode('small', { cpu: '500m' }));
    await clock.advance(10_000);
    assert.match(scheduled()?.message ?? '', /Insufficient cpu/);
    assert.equal(scheduled()?.lastTransitionTime, first?.lastTransitionTime);
  }));

test('pods of another scheduler are left alone; each scheduler takes its own', () =>
  inWorld(async ({ clock, wire, start, pod }) => {
    wire.seed(NODES, makeNode('a'));
    wire.seed(PODS, makePod('mine'));
    wire.seed(PODS, makePod('theirs', { schedulerName: 'second' }));
    start();
    await clock.advance(100);
    assert.equal(pod('mine')?.spec.nodeName, 'a');
    assert.equal(pod('theirs')?.spec.nodeName, undefined);
    start('second');
    await clock.advance(100);
    assert.equal(pod('theirs')?.spec.nodeName, 'a');
  }));

test('a binding that fails gives the room back and is tried again', () =>
  inWorld(async ({ clock, wire, start, pod }) => {
    wire.seed(NODES, makeNode('a', { cpu: '1' }));
    wire.seed(PODS, makePod('p', { cpu: '1' }));
    let failures = 2;
    wire.faults.call = (call) =>
      call.subresource === 'binding' && failures-- > 0
        ? { kind: 'refuse', error: status.internalError('no') }
        : undefined;
    start();
    await clock.advance(100);
    assert.equal(pod('p')?.spec.nodeName, undefined);
    await clock.advance(10_000);
    assert.equal(pod('p')?.spec.nodeName, 'a');
  }));

test('pods that find their nodes in one turn are bound in one call, none of them twice', () =>
  inWorld(async ({ clock, wire, start, pod }) => {
    wire.seed(NODES, makeNode('a', { cpu: '100', pods: '1000' }));
    for (let i = 0; i < 600; i++) wire.seed(PODS, makePod(`p${i}`, { cpu: '1m' }));
    const together: string[][] = [];
    start(undefined, (plain) => ({
      ...plain,
      batch(calls, settled) {
        const names = calls.flatMap(({ subresource, name = '' }) => (subresource === 'binding' ? [name] : []));
        if (names.length > 0) together.push(names);
        return plain.batch(calls, settled);
      },
    }));
    await clock.advance(1_000);
    // 512 at once at most; the rest when they are bound.
    assert.deepEqual(
      together.map((names) => names.length),
      [512, 88],
    );
    assert.equal(new Set(together.flat()).size, 600);
    for (let i = 0; i < 600; i++) assert.equal(pod(`p${i}`)?.spec.nodeName, 'a');
  }));

test('a scheduler that stops leaves no binding hanging, and none is begun afterwards', () =>
  inWorld(async ({ clock, wire, scope, start, pod }) => {
    wire.seed(NODES, makeNode('a'));
    for (let i = 0; i < 5; i++) wire.seed(PODS, makePod(`p${i}`));
    const gate = Promise.withResolvers<void>();
    start(undefined, (plain) => ({
      ...plain,
      batch: (calls, settled) => gate.promise.then(() => plain.batch(calls, settled)),
    }));
    await clock.advance(100);
    const closed = scope.close();
    gate.resolve();
    await closed;
    await clock.advance(60_000);
    for (let i = 0; i < 5; i++) assert.equal(pod(`p${i}`)?.spec.nodeName, undefined);
  }));

test('gated pods wait until their gates are gone', () =>
  inWorld(async ({ clock, wire, start, pod }) => {
    wire.seed(NODES, makeNode('a'));
    wire.seed(PODS, makePod('p', { schedulingGates: [{ name: 'quota' }] }));
    start();
    await clock.advance(100);
    assert.equal(pod('p')?.spec.nodeName, undefined);
    // The API server says it of them as they are made, in words of its own.
    assert.equal(getPodCondition(pod('p')!, 'PodScheduled'), undefined);
    const api = createClient(wire.connect()).resource(PODS, 'default');
    await api.patch('p', 'merge', { spec: { schedulingGates: null } });
    await clock.advance(100);
    assert.equal(pod('p')?.spec.nodeName, 'a');
  }));

test('every decision can be explained', () =>
  inWorld(async ({ clock, wire, start }) => {
    wire.seed(NODES, makeNode('a'));
    wire.seed(NODES, makeNode('b', { unschedulable: true }));
    wire.seed(PODS, makePod('p', { cpu: '1' }));
    const scheduler = start();
    await clock.advance(100);
    const why = scheduler.explain('default/p');
    assert.equal(why?.node, 'a');
    assert.deepEqual(why?.refused, [
      { plugin: 'NodeUnschedulable', reasons: ['node(s) were unschedulable'], nodes: 1, names: ['b'] },
    ]);
    assert.deepEqual(
      why?.scored.map((s) => s.node),
      ['a'],
    );
  }));

test('a pod for which nobody makes room waits for no node', () =>
  inWorld(async ({ clock, wire, start }) => {
    wire.seed(NODES, makeNode('a', { cpu: '1' }));
    wire.seed(PODS, makePod('p', { cpu: '2', priority: 5 }));
    const scheduler = start();
    await clock.advance(100);
    const why = scheduler.explain('default/p');
    assert.match(why?.message ?? '', /preemption: 0\/1 nodes are available/);
    assert.equal(Object.hasOwn(why ?? {}, 'nominatedNode'), false);
  }));

test('property: random nodes and pods never overbook a node, whatever fails on the way', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = createSeededRandom(seed);
    const below = (n: number): number => random.uint32() % n;
    await inWorld(async ({ clock, wire, start }) => {
      for (let i = 0; i < 1 + below(4); i++) wire.seed(NODES, makeNode(`n${i}`, { cpu: `${1 + below(3)}` }));
      for (let i = 0; i < below(30); i++) wire.seed(PODS, makePod(`p${i}`, { cpu: `${100 * (1 + below(9))}m` }));
      wire.faults.call = (call) => {
        if (call.subresource !== 'binding') return undefined;
        return below(4) === 0 ? { kind: 'lose-reply' } : below(4) === 0 ? { kind: 'delay', ms: below(50) } : undefined;
      };
      start();
      await clock.advance(30_000);
      for (const node of wire.objects(NODES)) {
        const mine = wire.objects(PODS).filter((p) => p.spec.nodeName === node.metadata.name);
        const used = mine.reduce(
          (sum, p) => sum + Number.parseInt(p.spec.containers[0]?.resources?.requests?.['cpu'] ?? '0', 10),
          0,
        );
        assert.ok(
          used <= 1000 * Number(node.status?.allocatable?.['cpu']),
          `seed ${seed}: ${node.metadata.name} has ${used}m`,
        );
      }
    });
  }
});
