import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { EVENTS, PODS } from '@binnacle/api';
import type { Event } from '@binnacle/api/core/v1';
import { status } from '@binnacle/machinery';
import type { Wire } from '@binnacle/machinery';
import { createClient } from './client.ts';
import { createEventRecorder } from './event-recorder.ts';
import { referenceTo } from './object-reference.ts';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from './testing/faulty-wire.ts';

function setUp({ delayMs = 0, log = silentLogger, waitingMax = 4096 } = {}) {
  const clock = new VirtualClock();
  const random = createSeededRandom(5);
  const wire = overFaultyNetwork(createMemoryApi({ clock, random }), clock);
  const scope = new Scope('test');
  const world = { clock, random, log };
  /** The verbs of the calls that went together. */
  const batches: string[] = [];
  const batch: Wire['batch'] = (calls, settled) => {
    batches.push(calls.map(({ verb }) => verb).join(' '));
    return wire.batch(calls, settled);
  };
  const recorder = createEventRecorder({
    client: createClient({ ...wire, batch }),
    world,
    component: 'kubelet',
    host: 'n1',
    scope,
    delayMs,
    waitingMax,
  });
  return { clock, wire, scope, recorder, batches };
}

/** One turn lets only so many promises settle; the recorder writes one call after the other. */
async function settle(clock: VirtualClock): Promise<void> {
  for (let i = 0; i < 500; i++) await clock.advance(0);
}

const about = (name: string) =>
  referenceTo(PODS, { metadata: { name, namespace: 'ns', uid: `u-${name}` }, spec: { containers: [] } });

test('an Event as kubectl shows it', async () => {
  const { clock, wire, scope, recorder } = setUp();
  recorder.event(about('a'), 'Normal', 'Started', 'Started container');
  await clock.advance(0);
  const [event] = wire.objects(EVENTS);
  assert.match(event?.metadata.name ?? '', /^a\.[0-9a-f]{16}$/);
  assert.equal(event?.metadata.namespace, 'ns');
  assert.deepEqual(event?.source, { component: 'kubelet', host: 'n1' });
  assert.deepEqual(event?.involvedObject, { kind: 'Pod', apiVersion: 'v1', namespace: 'ns', name: 'a', uid: 'u-a' });
  assert.deepEqual([event?.count, event?.type, event?.firstTimestamp], [1, 'Normal', '2026-01-01T00:00:00Z']);
  await scope.close();
});

test('the first of several waits where it is told to, the others come with it', async () => {
  const { clock, wire, scope, recorder } = setUp({ delayMs: 20 });
  recorder.event(about('a'), 'Normal', 'Started', 'Started container');
  await clock.advance(10);
  recorder.event(about('b'), 'Normal', 'Started', 'Started container');
  await clock.advance(9);
  assert.equal(wire.objects(EVENTS).length, 0);
  await clock.advance(1);
  await settle(clock);
  assert.deepEqual(
    wire.objects(EVENTS).map((event) => event.involvedObject.name),
    ['a', 'b'],
  );
  recorder.event(about('c'), 'Normal', 'Started', 'Started container');
  await scope.close();
  assert.equal(wire.objects(EVENTS).length, 2);
});

test('Events that wait go in one call, a repeat of one of them in the next', async () => {
  const { clock, wire, scope, recorder, batches } = setUp({ delayMs: 20 });
  for (const name of ['a', 'b', 'a', 'c']) recorder.event(about(name), 'Normal', 'Started', 'Started container');
  await clock.advance(20);
  await settle(clock);
  const told = (event: { involvedObject: { name?: string }; count?: number }): string =>
    `${event.involvedObject.name} ${event.count}`;
  assert.deepEqual(wire.objects(EVENTS).map(told), ['a 2', 'b 1', 'c 1']);
  assert.deepEqual(batches, ['create create', 'patch create']);
  for (let i = 0; i < 150; i++) recorder.event(about(`p${i}`), 'Normal', 'Started', 'Started container');
  await clock.advance(20);
  await settle(clock);
  assert.deepEqual(
    batches.slice(2).map((batch) => batch.split(' ').length),
    [32, 32, 32, 32, 22],
  );
  assert.deepEqual(
    wire
      .objects(EVENTS)
      .map(({ involvedObject }) => involvedObject.name)
      .toSorted(),
    ['a', 'b', 'c', ...Array.from({ length: 150 }, (_, i) => `p${i}`)].toSorted(),
  );
  await scope.close();
});

test('what becomes of one of them is nothing to the others: refused, lost on its way, or expired meanwhile', async () => {
  const { clock, wire, scope, recorder } = setUp({ delayMs: 20 });
  const events = () => wire.objects(EVENTS);
  recorder.event(about('expired'), 'Warning', 'BackOff', 'Back-off');
  await clock.advance(20);
  await settle(clock);
  await createClient(wire)
    .resource(EVENTS, 'ns')
    .delete(events()[0]?.metadata.name ?? '');
  let lost = 2;
  wire.faults.call = ({ body }) => {
    const { name } = (body as Partial<Event>).involvedObject ?? {};
    if (name === 'refused')
      return { kind: 'refuse', error: status.forbidden({ group: '', resource: 'events' }, 'x', 'no') };
    return name === 'lost' && lost-- > 0 ? { kind: 'lose-request' } : undefined;
  };
  for (const name of ['refused', 'a', 'expired', 'lost', 'b'])
    recorder.event(about(name), 'Warning', 'BackOff', 'Back-off');
  await clock.advance(20);
  await settle(clock);
  const told = () =>
    events()
      .map(({ involvedObject, count }) => `${involvedObject.name} ${count}`)
      .toSorted();
  assert.deepEqual(told(), ['a 1', 'b 1', 'expired 2']);
  await clock.advance(30_000);
  await settle(clock);
  assert.deepEqual(told(), ['a 1', 'b 1', 'expired 2', 'lost 1']);
  await scope.close();
});

test('what nobody ever answers is counted among what is dropped', async () => {
  const told: unknown[] = [];
  const log = { ...silentLogger, warn: (...line: unknown[]) => void told.push(line) };
  const { clock, wire, scope, recorder } = setUp({ log, delayMs: 20 });
  wire.faults.call = () => ({ kind: 'lose-request' });
  for (let i = 0; i < 33; i++) recorder.event(about(`p${i}`), 'Normal', 'R', 'x');
  await clock.advance(2 * 60_000);
  // The last one, of another call, is still tried.
  assert.deepEqual(told, [['events dropped', { dropped: 32 }]]);
  await clock.advance(2 * 60_000);
  assert.deepEqual(told.slice(1), [['events dropped', { dropped: 33 }]]);
  await scope.close();
});

test('a repeat raises the count of the same Event', async () => {
  const { clock, wire, scope, recorder } = setUp();
  for (let i = 0; i < 3; i++) {
    recorder.event(about('a'), 'Warning', 'BackOff', 'Back-off');
    await clock.advance(1000);
  }
  const events = wire.objects(EVENTS);
  assert.equal(events.length, 1);
  assert.deepEqual(
    [events[0]?.count, events[0]?.firstTimestamp, events[0]?.lastTimestamp],
    [3, '2026-01-01T00:00:00Z', '2026-01-01T00:00:02Z'],
  );
  await scope.close();
});

test('a repeat of an Event that has expired is written anew with its count', async () => {
  const { clock, wire, scope, recorder } = setUp();
  recorder.event(about('a'), 'Warning', 'BackOff', 'Back-off');
  await clock.advance(0);
  const name = wire.objects(EVENTS)[0]?.metadata.name ?? '';
  await createClient(wire).resource(EVENTS, 'ns').delete(name);
  recorder.event(about('a'), 'Warning', 'BackOff', 'Back-off');
  await clock.advance(0);
  assert.equal(wire.objects(EVENTS)[0]?.count, 2);
  await scope.close();
});

test('more than ten messages of one reason are combined', async () => {
  const { clock, wire, scope, recorder } = setUp();
  for (let i = 0; i < 13; i++) recorder.event(about('a'), 'Warning', 'Unhealthy', `probe ${i}`);
  await settle(clock);
  const combined = wire
    .objects(EVENTS)
    .filter((event) => event.message?.startsWith('(combined from similar events): '));
  assert.equal(wire.objects(EVENTS).length, 11);
  assert.deepEqual([combined[0]?.count, combined[0]?.message], [3, '(combined from similar events): probe 12']);
  await scope.close();
});

test('one object may say 25 things at once and one in five minutes; others are not hindered', async () => {
  const { clock, wire, scope, recorder } = setUp();
  for (let i = 0; i < 40; i++) recorder.event(about('a'), 'Normal', `R${i}`, 'x');
  await settle(clock);
  assert.equal(wire.objects(EVENTS).length, 25);
  recorder.event(about('b'), 'Normal', 'R', 'x');
  await clock.advance(300_000);
  recorder.event(about('a'), 'Normal', 'late', 'x');
  recorder.event(about('a'), 'Normal', 'later', 'x');
  await settle(clock);
  assert.equal(wire.objects(EVENTS).length, 27);
  await scope.close();
});

test('as many wait as the recorder is told', async () => {
  const { clock, wire, scope, recorder } = setUp({ waitingMax: 5000 });
  wire.faults.call = () => ({ kind: 'lose-request' });
  for (let i = 0; i < 5100; i++) recorder.event(about(`p${i}`), 'Normal', 'R', 'x');
  await clock.advance(30_000);
  wire.faults.call = undefined;
  await clock.advance(60_000);
  for (let i = 0; i < 20 && wire.objects(EVENTS).length < 5001; i++) await settle(clock);
  await settle(clock);
  assert.equal(wire.objects(EVENTS).length, 5001);
  await scope.close();
});

test('a full queue drops, and tells how many, to the last; a wire that is down is tried again', async () => {
  const told: unknown[] = [];
  const log = { ...silentLogger, warn: (...line: unknown[]) => void told.push(line) };
  const { clock, wire, scope, recorder } = setUp({ log });
  wire.faults.call = () => ({ kind: 'lose-request' });
  for (let i = 0; i < 4700; i++) recorder.event(about(`p${i}`), 'Normal', 'R', 'x');
  await clock.advance(30_000);
  wire.faults.call = undefined;
  await clock.advance(60_000);
  // One is under way while 4,096 wait.
  for (let i = 0; i < 20 && wire.objects(EVENTS).length < 4097; i++) await settle(clock);
  assert.equal(wire.objects(EVENTS).length, 4097);
  await settle(clock);
  assert.deepEqual(told, [
    ['events dropped', { dropped: 1 }],
    ['events dropped', { dropped: 603 }],
  ]);
  await scope.close();
});
