import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { makePod } from '../plan/cluster.fixture.ts';
import { demandOf } from '../plan/demand.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

function makeQueue(): { clock: VirtualClock; queue: SchedulingQueue; ready: () => number } {
  const clock = new VirtualClock();
  let ready = 0;
  const queue = new SchedulingQueue({
    clock,
    sort: (a, b) => b.demand.priority - a.demand.priority || a.since - b.since,
    wakes: (event, refusedBy) => event === 'NodeAdd' && refusedBy.has('NodeResourcesFit'),
    onReady: () => void ready++,
  });
  return { clock, queue, ready: () => ready };
}

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
  queue.event('NodeUpdate');
  assert.deepEqual(queue.lengths, { active: 0, backoff: 0, unschedulable: 1 });
  queue.event('NodeAdd');
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
