import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { Recorder, TRACE_BOUNDS } from './recorder.ts';
import type { RequestRecord, WatchRecord } from './record.ts';

function request(of: Partial<RequestRecord>): RequestRecord {
  const plain = {
    kind: 'request',
    seq: 0,
    method: 'POST',
    path: '/api/v1/namespaces/a/pods',
    query: '',
    verb: 'create',
    isResource: true,
  } as const;
  const about = { group: '', resource: 'pods', subresource: '', namespace: 'a', name: '', agent: '', id: 'r1' };
  const end = { at: 1, ms: 1, code: 201, error: undefined, cause: undefined, allowed: '', admitted: undefined };
  return { ...plain, ...about, ...end, user: 'u', impersonated: undefined, ...of };
}

function watch(of: Partial<WatchRecord> = {}): WatchRecord {
  return {
    id: 'w',
    user: 'u',
    impersonated: undefined,
    agent: '',
    path: '/api/v1/pods',
    query: '',
    group: '',
    resource: 'pods',
    ...of,
  };
}

test('what comes often does not push out what is rare', () => {
  const recorder = new Recorder(new VirtualClock(), { ...TRACE_BOUNDS, others: { entries: 10, bytes: 1e6 } });
  recorder.request(request({ id: 'rare' }));
  for (let i = 0; i < 1000; i++) recorder.request(request({ verb: 'get', method: 'GET' }));
  for (let i = 0; i < 1000; i++) recorder.request(request({ group: 'coordination.k8s.io', resource: 'leases' }));
  for (let i = 0; i < 1000; i++) recorder.request(request({ resource: 'events' }));
  for (let i = 0; i < 1000; i++) recorder.request(request({ code: 409 }));
  assert.deepEqual([recorder.changes.size, recorder.others.size, recorder.others.forgotten], [1, 10, 3990]);
});

test('a flood of reads is told by its beginning and by what each second lets in, and says what it left out', async () => {
  const clock = new VirtualClock();
  const recorder = new Recorder(clock, TRACE_BOUNDS);
  const read = (at: number): void => recorder.request(request({ verb: 'get', method: 'GET', at }));
  for (let i = 0; i < 10_000; i++) read(1_000);
  assert.deepEqual([recorder.others.size, recorder.others.forgotten, recorder.seq], [2_000, 8_000, 2_000]);
  await clock.advance(1_000);
  for (let i = 0; i < 10_000; i++) read(2_000);
  assert.deepEqual([recorder.others.size, recorder.others.completeSince], [2_200, 2_000]);
  for (let i = 0; i < 100; i++) recorder.request(request({}));
  assert.equal(recorder.changes.size, 100, 'what changes something is always kept');
});

test('of one event the first deliveries are remembered, and none of what a watch began with', () => {
  const recorder = new Recorder(new VirtualClock(), TRACE_BOUNDS);
  const event = { deliveries: 0 };
  const item = { type: 'ADDED', revision: 5, entry: { key: 'a/p' }, event } as const;
  for (let i = 0; i < 3000; i++) recorder.delivered(watch(), [item, { type: 'BOOKMARK' }]);
  recorder.delivered(watch(), [{ ...item, event: undefined }]);
  recorder.delivered(watch({ resource: 'leases', group: 'coordination.k8s.io' }), [
    { ...item, event: { deliveries: 0 } },
  ]);
  assert.equal(recorder.deliveries.size, 16);
});

test('off: nothing is kept and nobody is told', () => {
  const recorder = new Recorder(new VirtualClock(), undefined);
  recorder.follow(() => assert.fail('nobody is told'));
  recorder.request(request({}));
  recorder.record({ kind: 'event', component: 'c', name: 'n', startedAt: 0, durationMs: 0 });
  recorder.delivered(watch(), []);
  assert.deepEqual([recorder.on, recorder.changes.size, recorder.others.size, recorder.seq], [false, 0, 0, 0]);
});

test('a follower hears of each record until it has enough; numbers grow over all parts', () => {
  const recorder = new Recorder(new VirtualClock(), TRACE_BOUNDS);
  let told = 0;
  const stop = recorder.follow(() => told++);
  recorder.request(request({}));
  recorder.delivered(watch(), [{ type: 'ADDED', revision: 5, entry: { key: 'a/p' }, event: { deliveries: 0 } }]);
  stop();
  recorder.request(request({ verb: 'get' }));
  assert.deepEqual([told, [...recorder.after(1)].map(({ seq }) => seq).toSorted()], [2, [2, 3]]);
});

/** Its wall can be set, as people and time servers do. */
class SetClock extends VirtualClock {
  setMs = 0;

  override now(): number {
    return super.now() + this.setMs;
  }
}

test('time goes on evenly, and follows a clock that was set', async () => {
  const clock = new SetClock();
  const recorder = new Recorder(clock, TRACE_BOUNDS);
  const before = recorder.now();
  const passed = async (ms: number): Promise<number> => {
    await clock.advance(ms);
    return Math.round(recorder.now() - before);
  };
  assert.equal(await passed(1500), 1500);
  clock.setMs = 100;
  assert.equal(await passed(1500), 3000, 'what is less than two seconds is unevenness');
  clock.setMs = 60_000;
  assert.equal(await passed(1500), 64_500);
});

test('a heavy detail weighs what it says; one that is made when asked for weighs nothing', () => {
  const bounds = { ...TRACE_BOUNDS, changes: { entries: 100, bytes: 20_000 } };
  const hop = { kind: 'decision', component: 's', name: 'n', startedAt: 0, durationMs: 0 } as const;
  const heavy = new Recorder(new VirtualClock(), bounds);
  for (let i = 0; i < 50; i++) heavy.record({ ...hop, detail: { text: 'x'.repeat(5_000) } });
  assert.equal(heavy.changes.size, 3);
  const lazy = new Recorder(new VirtualClock(), bounds);
  for (let i = 0; i < 50; i++) lazy.record({ ...hop, detail: () => ({ text: 'x'.repeat(5_000) }) });
  assert.equal(lazy.changes.size, 50);
});
