import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { NotedFigures } from '../testing/figures.ts';
import { makePod } from '../testing/objects.ts';
import { queuedPod } from '../testing/queued.ts';
import { demandOf } from '../plan/demand.ts';
import type { ClusterEvent } from '../plan/framework.ts';
import { eventLabel } from './event-label.ts';
import { tellWaiting } from './queue-meter.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

function makeQueue(): { clock: VirtualClock; figures: NotedFigures; queue: SchedulingQueue; gates: Set<string> } {
  const clock = new VirtualClock();
  const figures = new NotedFigures();
  const gates = new Set<string>();
  const queue = new SchedulingQueue({
    clock,
    sort: (a, b) => a.since - b.since,
    ask: ({ action }) => ({ reach: () => 'all', mayHelp: () => action === 'add' }),
    waitsFor: () => [],
    admit: ({ key }) => (gates.has(key) ? { plugin: 'Gates', reasons: ['gated'], unresolvable: true } : undefined),
    current: (demand) => demand,
    onReady: () => {},
    measures: figures,
  });
  return { clock, figures, queue, gates };
}

const incoming = ({ counted }: NotedFigures): { readonly [name: string]: number } =>
  Object.fromEntries(Object.entries(counted).map(([name, n]) => [name.replace('queue_incoming_pods_total ', ''), n]));

const waiting = (active: number, backoff: number, unschedulable: number, gated: number): object => ({
  'pending_pods active': active,
  'pending_pods backoff': backoff,
  'pending_pods unschedulable': unschedulable,
  'pending_pods gated': gated,
});

test('a pod is counted on its way from place to place, by what brought it there', async () => {
  const { clock, figures, queue } = makeQueue();
  const nodeAdded: ClusterEvent = { resource: 'nodes', action: 'add' };
  queue.add(demandOf(makePod('a')));
  assert.deepEqual(figures.shown, waiting(1, 0, 0, 0));
  queue.refuse(queue.take()!, new Set(['Fit', 'Ports']));
  const refusers = { 'unschedulable_pods Fit default-scheduler': 1, 'unschedulable_pods Ports default-scheduler': 1 };
  assert.deepEqual(figures.shown, { ...waiting(0, 0, 1, 0), ...refusers });
  queue.event(nodeAdded);
  assert.deepEqual(figures.shown, { ...waiting(0, 1, 0, 0), ...refusers });
  await clock.advance(1_000);
  assert.deepEqual(figures.shown, { ...waiting(1, 0, 0, 0), ...refusers });
  // Who is tried again is refused by nobody yet.
  const again = queue.take()!;
  assert.deepEqual(figures.shown, waiting(0, 0, 0, 0));
  queue.refuse(again, new Set(['Fit']));
  await clock.advance(5 * 60_000);
  const flushed = queue.take()!;
  assert.equal(flushed.wasFlushed, true);
  queue.retry(flushed);
  assert.deepEqual(incoming(figures), {
    'active UnschedulablePodAdd': 1,
    'unschedulable ScheduleAttemptFailure': 2,
    'backoff NodeAdd': 1,
    'active BackoffComplete': 1,
    'active UnschedulableTimeout': 1,
    'backoff ScheduleAttemptFailure': 1,
  });
  queue.close();
  assert.deepEqual(figures.shown, {});
});

test('a pod that plugins keep out is counted once, and is on its way only when they let it in', async () => {
  const { clock, figures, queue, gates } = makeQueue();
  gates.add('default/a');
  queue.add(demandOf(makePod('a')));
  queue.event({ resource: 'nodes', action: 'add' });
  assert.deepEqual(figures.shown, { ...waiting(0, 0, 0, 1), 'unschedulable_pods Gates default-scheduler': 1 });
  await clock.advance(7_000);
  gates.clear();
  queue.event({ resource: 'nodes', action: 'add' });
  assert.equal(queue.take()?.entered, clock.monotonic());
  assert.deepEqual(incoming(figures), { 'unschedulable UnschedulablePodAdd': 1, 'active NodeAdd': 1 });
});

test('events have upstream’s names, whoever refused the pod is told by profile', () => {
  const labels = [
    [{ resource: 'pods', action: 'delete' }, 'AssignedPodDelete'],
    [{ resource: 'pendingpods', action: 'update' }, 'UnschedulablePodUpdate'],
    [{ resource: 'csinodes', action: 'add' }, 'storage.k8s.io/CSINodeAdd'],
    [{ resource: 'widgets', action: 'add' }, 'widgetsAdd'],
  ] as const;
  for (const [event, label] of labels) assert.equal(eventLabel(event), label);
  const told: string[] = [];
  const pod = (schedulerName?: string) =>
    queuedPod(demandOf(makePod('p', schedulerName === undefined ? {} : { schedulerName })), {
      refusedBy: new Set(['Fit']),
    });
  const lengths = { active: 0, backoff: 0, unschedulable: 3 };
  tellWaiting(
    { lengths, gated: 1, pods: [pod('other'), pod()] },
    (...[figure, values, value]) => void told.push([figure, ...values, value].join(' ')),
  );
  assert.deepEqual(told.slice(2), [
    'pending_pods unschedulable 2',
    'pending_pods gated 1',
    'unschedulable_pods Fit other 1',
    'unschedulable_pods Fit default-scheduler 1',
  ]);
});
