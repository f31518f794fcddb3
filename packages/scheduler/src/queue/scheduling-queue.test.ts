import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { makePod } from '../testing/objects.ts';
import type { ClusterEvent, QueuedPod } from '../plan/framework.ts';
import { demandOf } from '../plan/demand.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

type Made = {
  clock: VirtualClock;
  queue: SchedulingQueue;
  ready: () => number;
  /** Who had refused the pods that an event was asked about. */
  asked: string[];
  /** The pods that were looked at. */
  looked: string[];
  /** By uid: what has become of a pod; absent: nothing. */
  renewed: Map<string, ReturnType<typeof demandOf> | undefined>;
};

function makeQueue(): Made {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const looked: string[] = [];
  const renewed: Made['renewed'] = new Map();
  let ready = 0;
  const queue = new SchedulingQueue({
    clock,
    sort: (a, b) => b.demand.priority - a.demand.priority || a.since - b.since,
    ask: (event) => ({
      reach: (refusedBy) => {
        asked.push([...refusedBy].join());
        if (event.resource === 'claims') return [event.after?.metadata.name ?? ''];
        return event.resource === 'nodes' && refusedBy.has('NodeResourcesFit') ? 'all' : [];
      },
      mayHelp: ({ key }, refusedBy) => {
        looked.push(key);
        return event.resource !== 'pods' && event.action === 'add' && refusedBy.has('NodeResourcesFit');
      },
    }),
    waitsFor: ({ pod }) => Object.keys(pod.metadata.labels ?? {}),
    admit: (demand) =>
      (demand.pod.spec.schedulingGates ?? []).length === 0
        ? undefined
        : { plugin: 'SchedulingGates', reasons: ['gated'], unresolvable: true },
    current: (demand) => (renewed.has(demand.uid) ? renewed.get(demand.uid) : demand),
    onReady: () => void ready++,
  });
  return { clock, queue, ready: () => ready, asked, looked, renewed };
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

test('a refused pod sleeps until an event that may help, and waits out its back-off behind those in line', async () => {
  const { clock, queue } = makeQueue();
  queue.add(demand('a'));
  const pod = queue.take();
  assert.ok(pod);
  queue.refuse(pod, new Set(['NodeResourcesFit']));
  queue.event({ resource: 'nodes', action: 'update' });
  assert.deepEqual(queue.lengths, { active: 0, backoff: 0, unschedulable: 1 });
  queue.add(demand('b', -1));
  queue.event(NODE_ADD);
  assert.deepEqual(queue.lengths, { active: 1, backoff: 1, unschedulable: 0 });
  await clock.advance(999);
  assert.equal(queue.next?.key, 'default/b');
  await clock.advance(1);
  assert.deepEqual(queue.lengths, { active: 2, backoff: 0, unschedulable: 0 });
  assert.equal(queue.take()?.demand.key, 'default/a');
});

test('where nobody is in line, whom an event woke is tried before its time: the next in time by seconds, then the first in order', async () => {
  const { clock, queue, ready } = makeQueue();
  const names = ['later', 'low', 'high'];
  names.forEach((name, at) => queue.add(demand(name, at)));
  const taken = new Map(names.map(() => queue.take()).map((pod) => [pod?.demand.key.split('/')[1], pod] as const));
  const refuse = (name: string): void => queue.refuse(taken.get(name) as QueuedPod, new Set(['NodeResourcesFit']));
  const later = taken.get('later') as QueuedPod;
  later.refusals = 1;
  for (const name of names) refuse(name);
  const before = ready();
  queue.event(NODE_ADD);
  assert.deepEqual(queue.lengths, { active: 0, backoff: 3, unschedulable: 0 });
  assert.ok(ready() > before);
  assert.equal(queue.next?.key, 'default/high');
  assert.deepEqual(
    [queue.take(), queue.take(), queue.take(), queue.take()].map((pod) => pod?.demand.key),
    ['default/high', 'default/low', 'default/later', undefined],
  );
  assert.equal(clock.monotonic(), 0);
});

test('whose try went wrong is not tried before its time, and errors in between do not make refusals wait longer', async () => {
  const { clock, queue } = makeQueue();
  queue.add(demand('a'));
  const first = queue.take();
  assert.ok(first);
  queue.retry(first);
  assert.deepEqual([queue.next, queue.take()], [undefined, undefined]);
  await clock.advance(1_000);
  const again = queue.take();
  assert.ok(again);
  queue.refuse(again, new Set(['NodeResourcesFit']));
  queue.add(demand('b', -1));
  queue.event(NODE_ADD);
  await clock.advance(1_000);
  assert.deepEqual(queue.lengths, { active: 2, backoff: 0, unschedulable: 0 });
});

test('a pod that may not be tried does not wait in back-off', () => {
  const { queue, renewed } = makeQueue();
  queue.add(demand('a'));
  const pod = queue.take();
  assert.ok(pod);
  const gated = demandOf(makePod('a', { schedulingGates: [{ name: 'g' }] }));
  renewed.set(pod.demand.uid, gated);
  queue.retry(pod);
  assert.deepEqual(queue.lengths, { active: 0, backoff: 0, unschedulable: 1 });
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

test('an event about something that pods wait for by name looks at those pods alone', () => {
  const { queue, looked, renewed } = makeQueue();
  const waitingFor = (name: string, claim: string): ReturnType<typeof demandOf> =>
    demandOf(makePod(name, { labels: { [claim]: '' } }));
  for (let i = 0; i < 100; i++) {
    queue.add(waitingFor(`p${i}`, `claim-${i}`));
    const pod = queue.take();
    assert.ok(pod);
    queue.refuse(pod, new Set(['NodeResourcesFit']));
  }
  const tell = (name: string): readonly string[] => {
    looked.length = 0;
    queue.event({ resource: 'claims', action: 'add', after: { metadata: { name } } });
    return [...looked];
  };
  assert.deepEqual(tell('claim-7'), ['default/p7']);
  assert.deepEqual([queue.lengths.backoff, queue.lengths.unschedulable], [1, 99]);
  // A pod that changes waits for what it names now.
  const changed = waitingFor('p8', 'claim-200');
  renewed.set(changed.uid, changed);
  queue.add(changed, { resource: 'pendingpods', action: 'update' });
  assert.deepEqual(tell('claim-8'), []);
  assert.deepEqual(tell('claim-200'), ['default/p8']);
  // Whoever was woken waits for nothing any more.
  assert.deepEqual([tell('claim-7'), tell('claim-200')], [[], []]);
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

test('one timer serves all that wait: the next is wound when one has come', async () => {
  const { clock, queue } = makeQueue();
  for (const name of ['a', 'b']) queue.add(demand(name));
  const [a, b] = [queue.take(), queue.take()];
  assert.ok(a && b);
  queue.retry(a);
  b.errorsInRow = 1;
  queue.retry(b);
  assert.equal(clock.pending, 1);
  await clock.advance(1_000);
  assert.deepEqual(queue.lengths, { active: 1, backoff: 1, unschedulable: 0 });
  await clock.advance(1_000);
  assert.deepEqual(queue.lengths, { active: 2, backoff: 0, unschedulable: 0 });
  assert.equal(clock.pending, 0);
});

describe('a pod that changes while it is being tried', () => {
  const given = {
    refused: (queue: SchedulingQueue, pod: QueuedPod) => queue.refuse(pod, new Set(['NodeResourcesFit'])),
    'tried again': (queue: SchedulingQueue, pod: QueuedPod) => queue.retry(pod),
  };
  for (const [name, give] of Object.entries(given)) {
    test(`gone, then ${name}: it is nowhere`, () => {
      const { queue, renewed } = makeQueue();
      queue.add(demand('a'));
      const pod = queue.take();
      assert.ok(pod);
      renewed.set(pod.demand.uid, undefined);
      give(queue, pod);
      assert.deepEqual(queue.lengths, { active: 0, backoff: 0, unschedulable: 0 });
    });

    test(`updated, then ${name}: it waits once, as it is by now`, async () => {
      const { clock, queue, renewed } = makeQueue();
      queue.add(demand('a'));
      const pod = queue.take();
      assert.ok(pod);
      const newer = demand('a', 7);
      queue.add(newer, { resource: 'pendingpods', action: 'update' });
      assert.equal(queue.lengths.active, 0, 'whoever tries it gives it back');
      renewed.set(pod.demand.uid, newer);
      give(queue, pod);
      await clock.advance(6 * 60_000);
      const again = queue.take();
      assert.deepEqual([again?.demand, again?.attempts, queue.take()], [newer, 2, undefined]);
    });
  }

  test('its own change is an event for it alone', () => {
    const { queue } = makeQueue();
    for (const name of ['a', 'b']) queue.add(demand(name));
    const [a, b] = [queue.take(), queue.take()];
    assert.ok(a && b);
    queue.add(a.demand, NODE_ADD);
    queue.refuse(a, new Set(['NodeResourcesFit']));
    queue.refuse(b, new Set(['NodeResourcesFit']));
    assert.deepEqual(queue.lengths, { active: 0, backoff: 1, unschedulable: 1 });
    assert.equal(queue.take()?.demand.key, 'default/a');
  });

  test('more changes than are remembered count as help', () => {
    const { queue } = makeQueue();
    queue.add(demand('a'));
    const pod = queue.take();
    assert.ok(pod);
    for (let i = 0; i < 2_000; i++) queue.add(pod.demand, { resource: 'pendingpods', action: 'update' });
    queue.refuse(pod, new Set(['NodeResourcesFit']));
    assert.equal(queue.lengths.backoff, 1);
  });

  test('another one of its name is another pod', () => {
    const { queue, renewed } = makeQueue();
    queue.add(demand('a'));
    const old = queue.take();
    assert.ok(old);
    renewed.set(old.demand.uid, undefined);
    const anew = makePod('a');
    queue.add(demandOf({ ...anew, metadata: { ...anew.metadata, uid: 'anew' } }));
    queue.retry(old);
    assert.equal(queue.take()?.demand.uid, 'anew');
    assert.equal(queue.take(), undefined);
  });
});

/** A pod that was tried and refused. */
function refused({ queue }: Made, name: string, by = 'NodeResourcesFit'): QueuedPod {
  queue.add(demand(name));
  const pod = queue.take();
  assert.ok(pod);
  queue.refuse(pod, new Set([by]));
  return pod;
}

describe('a pod that sleeps', () => {
  test('is woken by name; who does not sleep is not', () => {
    const made = makeQueue();
    refused(made, 'a');
    made.queue.wake('default/nobody');
    assert.deepEqual(made.queue.lengths, { active: 0, backoff: 0, unschedulable: 1 });
    made.queue.wake('default/a');
    assert.deepEqual(made.queue.lengths, { active: 0, backoff: 1, unschedulable: 0 });
  });

  test('and is removed is woken by nothing', async () => {
    const made = makeQueue();
    refused(made, 'a');
    made.queue.remove('default/a');
    made.queue.event(NODE_ADD);
    await made.clock.advance(6 * 60_000);
    assert.deepEqual(made.queue.lengths, { active: 0, backoff: 0, unschedulable: 0 });
  });

  test('gives its name to another one', () => {
    const made = makeQueue();
    refused(made, 'a');
    const anew = makePod('a');
    made.queue.add(demandOf({ ...anew, metadata: { ...anew.metadata, uid: 'anew' } }));
    assert.deepEqual(made.queue.lengths, { active: 1, backoff: 0, unschedulable: 0 });
    assert.deepEqual([made.queue.take()?.demand.uid, made.queue.take()], ['anew', undefined]);
  });

  test('and changes wakes where that helps, and is the changed one in any case', async () => {
    const made = makeQueue();
    refused(made, 'helped');
    refused(made, 'not-helped');
    made.queue.add(demand('helped', 1), NODE_ADD);
    made.queue.add(demand('not-helped', 2), { resource: 'pendingpods', action: 'update' });
    assert.deepEqual(made.queue.lengths, { active: 0, backoff: 1, unschedulable: 1 });
    await made.clock.advance(6 * 60_000);
    assert.deepEqual([made.queue.take()?.demand.priority, made.queue.take()?.demand.priority], [2, 1]);
  });
});

test('a pod that changes while it is next to be tried keeps its place in line, and its tries', async () => {
  const { clock, queue } = makeQueue();
  queue.add(demand('tried'));
  const tried = queue.take();
  assert.ok(tried);
  queue.retry(tried);
  await clock.advance(1_000);
  queue.add(demand('later'));
  const labelled = demandOf(makePod('tried', { labels: { app: 'web' } }));
  queue.add(labelled, { resource: 'pendingpods', action: 'update' });
  const next = queue.take();
  assert.deepEqual([next?.demand, next?.attempts], [labelled, 2]);
});

test('thousands of gated pods cost nothing to those that are tried', async () => {
  const { clock, queue } = makeQueue();
  const schedulingGates = [{ name: 'g' }];
  for (let i = 0; i < 2_000; i++) queue.add(demandOf(makePod(`gated${i}`, { schedulingGates })));
  const visits = mock.method(Map.prototype, 'values');
  for (let i = 0; i < 100; i++) {
    queue.add(demand(`p${i}`));
    const pod = queue.take();
    assert.ok(pod);
    queue.refuse(pod, new Set(['NodeName']));
    await clock.advance(1);
  }
  const walks = visits.mock.callCount();
  visits.mock.restore();
  assert.equal(walks, 0, 'nobody walks over all that wait');
  await clock.advance(5 * 60_000);
  assert.deepEqual(queue.lengths, { active: 100, backoff: 0, unschedulable: 2_000 });
});

test('a pod that changes in its back-off waits on, once', async () => {
  const { clock, queue } = makeQueue();
  queue.add(demand('a'));
  const pod = queue.take();
  assert.ok(pod);
  queue.retry(pod);
  queue.add(demand('a', 3), { resource: 'pendingpods', action: 'update' });
  assert.deepEqual(queue.lengths, { active: 0, backoff: 1, unschedulable: 0 });
  await clock.advance(1_000);
  assert.deepEqual([queue.take()?.demand.priority, queue.take()], [3, undefined]);
});

test('of several that are tried each hears of what happened since it was taken', () => {
  const { queue } = makeQueue();
  for (const name of ['a', 'b', 'c']) queue.add(demand(name));
  const [a, b] = [queue.take(), queue.take()];
  queue.event(NODE_ADD);
  const c = queue.take();
  assert.ok(a && b && c);
  queue.done(a);
  for (const pod of [b, c]) queue.refuse(pod, new Set(['NodeResourcesFit']));
  assert.deepEqual(queue.lengths, { active: 0, backoff: 1, unschedulable: 1 });
});

test('a pod that was placed and comes back is tried anew', () => {
  const { queue } = makeQueue();
  queue.add(demand('a'));
  const pod = queue.take();
  assert.ok(pod);
  queue.done(pod);
  queue.add(pod.demand);
  assert.equal(queue.take()?.attempts, 1);
});

test('each try is told how long the pod waited for it', async () => {
  const { clock, queue } = makeQueue();
  queue.add(demand('a'));
  await clock.advance(30);
  const pod = queue.take();
  assert.equal(pod?.waitedMs, 30);
  await clock.advance(5);
  queue.retry(pod);
  await clock.advance(1_000);
  assert.equal(queue.take()?.waitedMs, 1_005);
});
