import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StoreEvent } from '../../ports.ts';
import { prefixEnd } from '../../ports.ts';
import { CompactedError } from '../../errors.ts';
import type { StoreFactory } from './harness.ts';
import { Recorder, put, putHeld, putOp, remove, write } from './harness.ts';

const PREFIX = { key: 'p/', end: prefixEnd('p/') };

/** Who hears of what, from when on, in which pieces, and how a watch ends. */
export function watchContract(factory: StoreFactory): void {
  describe('watch', () => {
    startTests(factory);
    currentTests(factory);
    contentTests(factory);
    orderTests(factory);
    progressTests(factory);
    endTests(factory);
  });
}

function startTests(factory: StoreFactory): void {
  test('from now on', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const base = await put(store, 'p/before', '0');
    const sink = new Recorder();
    store.watch(PREFIX, sink);
    await sink.isCreated();
    assert.equal(sink.createdAt, base);
    await put(store, 'p/a', '1');
    await put(store, 'other', '1');
    await remove(store, 'p/a');
    assert.deepEqual(await sink.heard(2, base), ['+p/a=1@1', '-p/a@3']);
  });

  test('from the past, and on without a gap', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const base = await put(store, 'p/a', '0');
    for (let i = 1; i <= 5; i++) await put(store, 'p/a', String(i));
    const sink = new Recorder();
    store.watch({ ...PREFIX, startRevision: base + 2 }, sink);
    await put(store, 'p/a', '6');
    await put(store, 'p/a', '7');
    const expected = [2, 3, 4, 5, 6, 7].map((i) => `+p/a=${i}@${i}`);
    assert.deepEqual(await sink.heard(6, base), expected);
  });

  test('from the future', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const base = await put(store, 'p/a', '0');
    const sink = new Recorder();
    store.watch({ ...PREFIX, startRevision: base + 3 }, sink);
    await sink.isCreated();
    for (let i = 1; i <= 4; i++) await put(store, 'p/a', String(i));
    assert.deepEqual(await sink.heard(2, base), ['+p/a=3@3', '+p/a=4@4']);
  });

  test('everybody hears what is his', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const base = await put(store, 'x', '0');
    const rows = [
      { request: { key: 'p/a' }, heard: ['+p/a=1@1', '-p/a@4'] },
      { request: PREFIX, heard: ['+p/a=1@1', '+p/b=1@2', '-p/a@4'] },
      { request: { key: 'p/b', end: '\0' }, heard: ['+p/b=1@2', '+q=1@3'] },
      { request: { key: '', end: '\0' }, heard: ['+p/a=1@1', '+p/b=1@2', '+q=1@3', '-p/a@4'] },
    ];
    const sinks = rows.map((row) => {
      const sink = new Recorder();
      store.watch(row.request, sink);
      return sink;
    });
    await Promise.all(sinks.map((sink) => sink.isCreated()));
    await put(store, 'p/a', '1');
    await put(store, 'p/b', '1');
    await put(store, 'q', '1');
    await remove(store, 'p/a');
    for (const [i, row] of rows.entries()) {
      assert.deepEqual(await sinks[i]?.heard(row.heard.length, base), row.heard, JSON.stringify(row.request));
    }
  });
}

function currentTests(factory: StoreFactory): void {
  test('where caches are called current, a sink has heard of a write before its writer', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const sink = new Recorder();
    store.watch({ key: '', end: '\0' }, sink);
    await sink.isCreated();
    const writes = ['a', 'b', 'c'].map(async (key) => {
      const revision = await put(store, key, '1');
      const heard = sink.events_.some((event) => event.kv.modRevision === revision);
      assert.ok(heard || !store.cachesAreCurrent, `revision ${revision} was acknowledged before it was heard`);
    });
    await Promise.all(writes);
  });
}

function contentTests(factory: StoreFactory): void {
  test('an event carries the key as it is', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const lease = await store.grantLease(600);
    const sink = new Recorder();
    store.watch({ key: 'a', prevKv: true }, sink);
    await sink.isCreated();
    const r1 = await putHeld(store, putOp('a', '1', { lease: lease.id }));
    const r2 = await remove(store, 'a');
    await sink.heard(2, 0);
    assert.deepEqual(sink.events_.map(summary), [
      { type: 'put', create: r1, mod: r1, version: 1, lease: lease.id, bytes: 1, prev: undefined },
      { type: 'delete', create: 0, mod: r2, version: 0, lease: 0, bytes: 0, prev: r1 },
    ]);
  });

  test('the previous value where it was asked for and existed', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const asked = new Recorder();
    const notAsked = new Recorder();
    store.watch({ ...PREFIX, prevKv: true }, asked);
    store.watch(PREFIX, notAsked);
    await Promise.all([asked.isCreated(), notAsked.isCreated()]);
    const base = (await put(store, 'p/a', '1')) - 1;
    await put(store, 'p/a', '2');
    await remove(store, 'p/a');
    await put(store, 'p/a', '3');
    assert.deepEqual(await asked.heard(4, base), ['+p/a=1@1', '+p/a=2@2(1)', '-p/a@3(2)', '+p/a=3@4']);
    assert.deepEqual(await notAsked.heard(4, base), ['+p/a=1@1', '+p/a=2@2', '-p/a@3', '+p/a=3@4']);
  });
}

function orderTests(factory: StoreFactory): void {
  test('a revision is never split over two calls', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const live = new Recorder();
    store.watch(PREFIX, live);
    await live.isCreated();
    const writes: Promise<unknown>[] = [];
    for (let i = 0; i < 50; i++) writes.push(write(store, ...[1, 2, 3].map((k) => putOp(`p/${k}`, String(i)))));
    await Promise.all(writes);
    await live.heard(150, 0);
    const first = live.events_[0]?.kv.modRevision ?? 0;
    const late = new Recorder();
    store.watch({ ...PREFIX, startRevision: first }, late);
    await late.heard(150, 0);
    for (const sink of [live, late]) {
      const revisions = new Set<number>();
      for (const call of sink.calls) {
        const inCall = new Set(call.map((e) => e.kv.modRevision));
        for (const revision of inCall) {
          assert.ok(!revisions.has(revision), `revision ${revision} came in two calls`);
          assert.equal(call.filter((e) => e.kv.modRevision === revision).length, 3);
          revisions.add(revision);
        }
      }
      assert.equal(revisions.size, 50);
    }
  });

  test('watchers hear in order under many writers', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const sink = new Recorder();
    store.watch(PREFIX, sink);
    await sink.isCreated();
    await Promise.all(Array.from({ length: 200 }, (_, i) => put(store, `p/${i % 7}`, String(i))));
    await sink.heard(200, 0);
    const revisions = sink.events_.map((e) => e.kv.modRevision);
    assert.deepEqual(
      revisions,
      revisions.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(revisions).size, 200);
  });
}

function summary(event: StoreEvent): object {
  return {
    type: event.type,
    create: event.kv.createRevision,
    mod: event.kv.modRevision,
    version: event.kv.version,
    lease: event.kv.lease,
    bytes: event.kv.value.byteLength,
    prev: event.prevKv?.modRevision,
  };
}

function progressTests(factory: StoreFactory): void {
  test('progress on request is not older than the asking, and behind all events', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    await put(store, 'p/a', '0');
    const sink = new Recorder();
    const handle = store.watch(PREFIX, sink);
    await sink.isCreated();
    for (let round = 1; round <= 5; round++) {
      const revision = await put(store, 'p/a', String(round));
      const elsewhere = await put(store, 'other', String(round));
      const before = sink.progressed.length;
      handle.requestProgress();
      // Where the store says that it needs an event to prove progress by, it gets one.
      const proof = store.promptProgress === false ? await put(store, 'p/a', 'proof') : revision;
      await sink.until(() => sink.progressed.length > before);
      assert.ok((sink.progressed.at(-1) ?? 0) >= elsewhere);
      assert.equal(sink.events_.at(-1)?.kv.modRevision, proof, 'the event came before the progress');
    }
  });

  test('progress asked for while catching up', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const start = await put(store, 'p/a', '0');
    for (let i = 1; i <= 20; i++) await put(store, 'p/a', String(i));
    const sink = new Recorder();
    const handle = store.watch({ ...PREFIX, startRevision: start }, sink);
    handle.requestProgress();
    await sink.until(() => sink.progressed.length > 0);
    assert.equal(sink.events_.length, 21);
    assert.equal(sink.progressed[0], start + 20);
  });
}

function endTests(factory: StoreFactory): void {
  test('cancel ends it, without an error, once', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const sink = new Recorder();
    const other = new Recorder();
    const handle = store.watch(PREFIX, sink);
    store.watch(PREFIX, other);
    await Promise.all([sink.isCreated(), other.isCreated()]);
    const base = (await put(store, 'p/a', '1')) - 1;
    await sink.heard(1, base);
    handle.cancel();
    handle.cancel();
    handle.requestProgress();
    assert.equal(await sink.ended(), undefined);
    await put(store, 'p/a', '2');
    assert.deepEqual(await other.heard(2, base), ['+p/a=1@1', '+p/a=2@2']);
    assert.deepEqual(await sink.heard(1, base), ['+p/a=1@1']);
    assert.equal(sink.ends.length, 1);
  });

  test('cancelled before it stood', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const sink = new Recorder();
    store.watch(PREFIX, sink).cancel();
    assert.equal(await sink.ended(), undefined);
    await put(store, 'p/a', '1');
    assert.deepEqual([sink.events_.length, sink.ends.length], [0, 1]);
  });

  test('from a compacted revision', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const base = await put(store, 'p/a', '0');
    for (let i = 1; i <= 5; i++) await put(store, 'p/a', String(i));
    await store.compact(base + 3);
    const tooOld = new Recorder();
    store.watch({ ...PREFIX, startRevision: base + 2 }, tooOld);
    const error = await tooOld.ended();
    assert.ok(error instanceof CompactedError);
    assert.equal(error.compactRevision, base + 3);
    assert.equal(tooOld.events_.length, 0);
    const atEdge = new Recorder();
    store.watch({ ...PREFIX, startRevision: base + 3 }, atEdge);
    assert.deepEqual(await atEdge.heard(3, base), ['+p/a=3@3', '+p/a=4@4', '+p/a=5@5']);
  });

  test('compaction does not disturb a watch that is up to date', async (t) => {
    const { store, close } = await factory();
    t.after(close);
    const sink = new Recorder();
    store.watch(PREFIX, sink);
    await sink.isCreated();
    const base = (await put(store, 'p/a', '1')) - 1;
    await store.compact(await put(store, 'p/a', '2'));
    await put(store, 'p/a', '3');
    assert.deepEqual(await sink.heard(3, base), ['+p/a=1@1', '+p/a=2@2', '+p/a=3@3']);
    assert.equal(sink.ends.length, 0);
  });
}
