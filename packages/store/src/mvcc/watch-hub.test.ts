import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { VirtualClock } from '@binnacle/base/testing';
import { CompactedError } from '../errors.ts';
import { Recorder } from '../node/contract/harness.ts';
import type { Change } from './entry.ts';
import { WatchHub } from './watch-hub.ts';

const ALL = { key: '', end: '\0' };

function change(key: string, revision: number): Change {
  const value = new Uint8Array(0);
  const kv = { key, value, createRevision: revision, modRevision: revision, version: 1, lease: 0, position: revision };
  return { type: 'put', kv };
}

/** A source at revision 10 whose memory begins after 8 and whose archive holds the rest. */
function hub(facts: { compactRevision?: number } = {}) {
  const clock = new VirtualClock();
  const all = Array.from({ length: 10 }, (_, i) => change(`k${i + 1}`, i + 1));
  const between = (after: number, upTo: number) =>
    all.filter((c) => c.kv.modRevision > after && c.kv.modRevision <= upTo);
  const state = { revision: 10, compactRevision: facts.compactRevision ?? 0 };
  const source = {
    revision: () => state.revision,
    compactRevision: () => state.compactRevision,
    floor: () => 8,
    recent: between,
    archived: (after: number, upTo: number) => Promise.resolve(between(after, upTo).slice(0, 3)),
  };
  const errors: unknown[] = [];
  const log = { ...silentLogger, error: (error: unknown) => void errors.push(error) };
  return { hub: new WatchHub(source, { clock, log, progressIntervalMs: 1000 }), clock, state, errors };
}

const revisions = (sink: Recorder): number[] => sink.events_.map((e) => e.kv.modRevision);

test('a watcher catches up from the archive, then from memory, then hears what is new', async () => {
  const { hub: h, state } = hub();
  const sink = new Recorder();
  h.watch({ ...ALL, startRevision: 2 }, sink);
  await sink.until(() => sink.events_.length === 9);
  assert.deepEqual(revisions(sink), [2, 3, 4, 5, 6, 7, 8, 9, 10]);
  state.revision = 11;
  h.dispatch([change('new', 11)], 11);
  assert.deepEqual(revisions(sink).at(-1), 11);
});

test('compaction overtakes a watcher that is catching up', async () => {
  const { hub: h, state } = hub();
  const sink = new Recorder();
  h.watch({ ...ALL, startRevision: 1 }, sink);
  await sink.until(() => sink.events_.length >= 3);
  state.compactRevision = 9;
  const error = await sink.ended();
  assert.ok(error instanceof CompactedError);
  assert.equal(error.compactRevision, 9);
});

test('a sink that throws loses its watch; the others hear', async () => {
  const { hub: h, errors } = hub();
  const good = new Recorder();
  let calls = 0;
  h.watch(ALL, {
    events: () => {
      calls++;
      throw new CompactedError(1);
    },
    end: () => undefined,
  });
  h.watch(ALL, good);
  await good.isCreated();
  h.dispatch([change('a', 11)], 11);
  h.dispatch([change('b', 12)], 12);
  assert.deepEqual([calls, errors.length], [1, 1]);
  assert.deepEqual(revisions(good), [11, 12]);
});

test('idle watches that asked for it hear of progress; no timer without them', async () => {
  const { hub: h, clock } = hub();
  const [idle, busy, other] = [new Recorder(), new Recorder(), new Recorder()];
  h.watch(ALL, other);
  await other.isCreated();
  assert.equal(clock.pending, 0);
  const handle = h.watch({ key: 'idle', progress: true }, idle);
  const second = h.watch({ key: 'busy', progress: true }, busy);
  await Promise.all([idle.isCreated(), busy.isCreated()]);
  h.dispatch([change('busy', 11)], 11);
  await clock.advance(1000);
  assert.deepEqual([idle.progressed, busy.progressed, other.progressed], [[10], [], []]);
  await clock.advance(1000);
  assert.deepEqual([idle.progressed.length, busy.progressed.length], [2, 1]);
  handle.cancel();
  second.cancel();
  await clock.advance(1000);
  assert.equal(clock.pending, 0);
});
