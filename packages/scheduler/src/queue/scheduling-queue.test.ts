import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { makePod } from '../testing/objects.ts';
import type { ClusterEvent } from '../plan/framework.ts';
import { demandOf } from '../plan/demand.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

function makeQueue(): { clock: VirtualClock; queue: SchedulingQueue; ready: () => number; asked: string[] } {
  const clock = new VirtualClock();
  const asked: string[] = [];
  let ready = 0;
  const queue = new SchedulingQueue({
    clock,
    sort: (a, b) => b.demand.priority - a.demand.priority || a.since - b.since,
    listens: (event, refusedBy) => {
      asked.push([...refusedBy].join());
      return event.resource === 'nodes' && refusedBy.has('NodeResourcesFit');
    },
    mayHelp: (event, _, refusedBy) =>
      event.resource === 'nodes' && event.action === 'add' && refusedBy.has('NodeResourcesFit'),
    admit: (demand) =>
      (demand.pod.spec.schedulingGates ?? []).length === 0
        ? undefined
        : { plugin: 'SchedulingGates', reasons: ['gated'], unresolvable: true },
    current: (demand) => demand,
    onReady: () => void ready++,
  });
  return { clock, queue, ready: () => ready, asked };
}

const NODE_ADD: ClusterEvent = { resource: 'nodes', action: 'add' };

const demand = (name: string, priority = 0): ReturnType<typeof demandOf> => demandOf(makePod(name, { priority }));

test('higher priority first, then first come', async () => {
  const { clock, queue } = makeQueue();
  queue.add(demand('a'));
  await clock.advance(1);
  queue.add(demand('b'));
  queue.add(demand('urgent', 10));
  assert.deepEqual(
    [queue.take(), queue.take(), queue.take()].map((p) => p?.demand.key),
    ['default/urgent', 'default/a', 'default/b'],
  );
});

test('a refused pod sleeps until an event that may help, then waits out its back-off', async () => {
  const { clock, queue } = makeQueue();
  queue.add(demand('a'));
  const pod = queue.take();
  assert.ok(pod);
  queue.refuse(pod, new Set(['NodeResourcesFit']));
  queue.event({ resource: 'nodes', action: 'update' });
  assert.deepEqual(queue.lengths, { active: 0, backoff: 0, unschedulable: 1 });
  queue.event(NODE_ADD);
  assert.deepEqual(queue.lengths, { active: 0, backoff: 1, unschedulable: 0 });
  await clock.advance(999);
  assert.equal(queue.take(), undefined);
  await clock.advance(1);
  assert.equal(queue.take()?.demand.key, 'default/a');
});

test('back-off doubles up to ten seconds', async () => {
  const { clock, queue } = makeQueue();
  queue.add(demand('a'));
  const waits: number[] = [];
  for (let i = 0; i < 6; i++) {
    const pod = queue.take();
    assert.ok(pod);
    const from = clock.monotonic();
    queue.retry(pod);
    while (queue.lengths.active === 0) await clock.advance(500);
    waits.push(clock.monotonic() - from);
  }
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, 10000, 10000]);
});

test('a pod that no event woke is tried again after five minutes', async () => {
  const { clock, queue, ready } = makeQueue();
  queue.add(demand('a'));
  const pod = queue.take();
  assert.ok(pod);
  queue.refuse(pod, new Set(['NodeName']));
  await clock.advance(5 * 60_000 - 1);
  assert.equal(queue.lengths.active, 0);
  await clock.advance(1);
  assert.equal(queue.lengths.active, 1);
  assert.equal(ready(), 2);
});

test('a removed pod is nowhere; a pod of the same name is a new one', () => {
  const { queue } = makeQueue();
  queue.add(demand('a'));
  queue.remove('default/a');
  assert.equal(queue.take(), undefined);
  queue.add(demand('a'));
  assert.equal(queue.take()?.attempts, 1);
});

test('what happens while a pod is being tried is not missed', () => {
  const { queue } = makeQueue();
  queue.add(demand('a'));
  const pod = queue.take();
  assert.ok(pod);
  queue.event(NODE_ADD);
  queue.refuse(pod, new Set(['NodeResourcesFit']));
  assert.deepEqual(queue.lengths, { active: 0, backoff: 1, unschedulable: 0 });
});

test('more events than are remembered count as help', () => {
  const { queue } = makeQueue();
  queue.add(demand('a'));
  const pod = queue.take();
  assert.ok(pod);
  for (let i = 0; i < 2_000; i++) queue.event({ resource: 'pods', action: 'add' });
  queue.refuse(pod, new Set(['NodeResourcesFit']));
  assert.equal(queue.lengths.backoff, 1);
});

test('an event is weighed once for all pods that the same plugins refused', () => {
  const { queue, asked } = makeQueue();
  for (let i = 0; i < 100; i++) {
    queue.add(demand(`p${i}`));
    const pod = queue.take();
    assert.ok(pod);
    queue.refuse(pod, new Set([i % 2 === 0 ? 'NodeName' : 'NodeResourcesFit']));
  }
  asked.length = 0;
  queue.event({ resource: 'pods', action: 'add' });
  assert.deepEqual(asked.sort(), ['NodeName', 'NodeResourcesFit']);
  assert.equal(queue.lengths.unschedulable, 100);
});

test('a gated pod stays out, without a try, until it is changed', async () => {
  const { clock, queue } = makeQueue();
  const gated = demandOf(makePod('a', { schedulingGates: [{ name: 'g' }] }));
  queue.add(gated);
  await clock.advance(10 * 60_000);
  assert.deepEqual(queue.lengths, { active: 0, backoff: 0, unschedulable: 1 });
  queue.add({ ...gated, pod: makePod('a') });
  assert.equal(queue.take()?.attempts, 1);
});
