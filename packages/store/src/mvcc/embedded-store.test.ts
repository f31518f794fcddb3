import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base/testing';
import { StoreFullError, StoreUnavailableError } from '../errors.ts';
import { put, putHeld, putOp, Recorder, write } from '../node/contract/harness.ts';
import { MvccStore } from './embedded-store.ts';
import type { Change } from './entry.ts';
import type { Journal, LeaseRecord } from './journal.ts';

const ALL = { key: '', end: '\0' };

/** A disk that syncs when the test says so. */
class SlowJournal implements Journal {
  readonly engine = 'slow';
  readonly version = '1';
  readonly keepsHistory = true;
  readonly leases: LeaseRecord[] = [];
  readonly written: Change[] = [];
  readonly compacted: number[] = [];
  /** So many changes are on disk. */
  kept = 0;
  probes = 0;
  probeError: Error | undefined;
  #seal: (() => void) | undefined;
  #done: ((error?: Error) => void)[] = [];

  addChanges(changes: readonly Change[]): void {
    this.written.push(...changes);
  }
  addLease(record: LeaseRecord): void {
    this.leases.push(record);
  }
  schedule(seal: () => void): void {
    this.#seal = seal;
  }
  commit(done: (error?: Error) => void): void {
    this.#done.push(done);
  }
  discard(): void {
    this.written.splice(this.kept);
  }
  probe(): Promise<void> {
    this.probes++;
    return this.probeError === undefined ? Promise.resolve() : Promise.reject(this.probeError);
  }
  readHistory(after: number, upTo: number): Promise<readonly Change[]> {
    return Promise.resolve(
      this.written.filter((c) => c.kv.modRevision > after && c.kv.modRevision <= upTo).slice(0, 2),
    );
  }
  compact(revision: number): Promise<void> {
    this.compacted.push(revision);
    return Promise.resolve();
  }
  size(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
  async *snapshot(): AsyncIterable<Uint8Array> {
    yield new Uint8Array(1);
  }
  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Closes the open batch, as the end of a turn would. */
  endTurn(): void {
    const seal = this.#seal;
    this.#seal = undefined;
    seal?.();
  }
  /** The oldest batch on its way is on disk, or not. */
  sync(error?: Error): void {
    if (error === undefined) this.kept = this.written.length;
    this.#done.shift()?.(error);
  }
}

function slowStore(memoryBytesMax = Infinity) {
  const journal = new SlowJournal();
  const clock = new VirtualClock();
  const store = new MvccStore({
    clock,
    journal,
    recovered: { revision: 1, compactRevision: 0, nextPosition: 1, entries: [], leases: [] },
    retention: { ageMsMax: Infinity, bytesMax: Infinity },
    memoryBytesMax,
    requestBytesMax: Infinity,
  });
  return { store, journal, clock };
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  await new Promise((resolve) => setImmediate(resolve));
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}

test('nothing is visible, heard or answered before it is durable', async () => {
  const { store, journal } = slowStore();
  const sink = new Recorder();
  store.watch(ALL, sink);
  const answer = put(store, 'a', '1');
  journal.endTurn();
  assert.equal(await isSettled(answer), false);
  assert.deepEqual([store.revision, store.rangeNow(ALL).count, sink.events_.length], [1, 0, 0]);
  journal.sync();
  assert.equal(store.revision, 2);
  assert.deepEqual(
    sink.events_.map((e) => e.kv.key),
    ['a'],
    'heard in the turn of the commit',
  );
  assert.equal(await answer, 2);
});

test('an answer that rests on what is not durable waits for it', async () => {
  const { store, journal } = slowStore();
  const winner = put(store, 'a', '1');
  journal.endTurn();
  const loser = store.txn({
    compare: [{ target: 'modRevision', key: 'a', result: 'equal', value: 0 }],
    success: [putOp('a', '2')],
    failure: [{ type: 'range', key: 'a' }],
  });
  assert.equal(await isSettled(loser), false);
  journal.sync();
  assert.equal((await loser).succeeded, false);
  assert.equal(await winner, 2);
});

test('batches become visible one after the other, each watcher hears once per batch', async () => {
  const { store, journal } = slowStore();
  const sink = new Recorder();
  store.watch(ALL, sink);
  await sink.isCreated();
  const answers = [put(store, 'a', '1'), put(store, 'b', '1')];
  journal.endTurn();
  answers.push(put(store, 'a', '2'));
  journal.endTurn();
  journal.sync();
  assert.deepEqual([store.revision, sink.calls.length], [3, 1]);
  assert.equal(await isSettled(Promise.all(answers)), false);
  journal.sync();
  assert.deepEqual([store.revision, sink.calls.length], [4, 2]);
  assert.deepEqual(await Promise.all(answers), [2, 3, 4]);
});

test('when writing fails every waiting writer is told, nothing becomes visible, reading goes on', async () => {
  const { store, journal } = slowStore();
  const kept = put(store, 'kept', '1');
  journal.endTurn();
  journal.sync();
  await kept;
  const answers = [put(store, 'a', '1')];
  journal.endTurn();
  answers.push(put(store, 'b', '1'));
  journal.endTurn();
  answers.push(put(store, 'c', '1'));
  journal.sync(new StoreUnavailableError('the disk is full'));
  for (const answer of answers) await assert.rejects(answer, /the disk is full/);
  await assert.rejects(put(store, 'd', '1'), StoreUnavailableError);
  await assert.rejects(store.grantLease(5), StoreUnavailableError);
  journal.endTurn();
  journal.sync();
  assert.deepEqual(
    store.rangeNow(ALL).kvs.map((kv) => kv.key),
    ['kept'],
  );
  await store.close();
});

/** Lets the answers come that are due without the disk. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test('a full disk takes back what was not written, and once there is room writing goes on by itself', async () => {
  const { store, journal, clock } = slowStore();
  const sink = new Recorder();
  store.watch(ALL, sink);
  const settled = async (answer: Promise<unknown>): Promise<unknown> => {
    journal.endTurn();
    journal.sync();
    return answer;
  };
  const { id: held } = (await settled(store.grantLease(100))) as { id: number };
  await settled(putHeld(store, putOp('held', '1', { lease: held })));
  await settled(put(store, 'kept', '1'));
  const before = { revision: store.revision, size: (await store.status()).dbSize };
  const events = sink.events_.length;
  const lost = [
    put(store, 'kept', '2'),
    put(store, 'new', '1'),
    store.revokeLease(held),
    store.grantLease(50, 77),
    putHeld(store, putOp('new', '2', { lease: 77 })),
  ];
  journal.endTurn();
  lost.push(put(store, 'open', '1'));
  journal.probeError = new StoreFullError('the disk is full');
  journal.sync(journal.probeError);
  for (const answer of lost) await assert.rejects(answer, StoreFullError);
  await assert.rejects(put(store, 'at once', '1'), StoreFullError);
  assert.equal(journal.probes, 0, 'the failure was just now');
  await assert.rejects(store.health('writing'), StoreFullError);
  await store.health('reading');
  await clock.advance(1000);
  await assert.rejects(
    Promise.all([put(store, 'x', '1'), store.grantLease(5), store.health('writing')]),
    StoreFullError,
  );
  assert.equal(journal.probes, 1, 'all who ask share a probe');
  assert.deepEqual(
    store.rangeNow(ALL).kvs.map((kv) => [kv.key, kv.version, kv.lease]),
    [
      ['held', 1, held],
      ['kept', 1, 0],
    ],
  );
  const after = { revision: store.revision, size: (await store.status()).dbSize };
  assert.deepEqual([after, sink.events_.length], [before, events]);
  assert.deepEqual([await store.leases(), (await store.leaseStatus(held)).keys], [[held], ['held']]);
  journal.probeError = undefined;
  await clock.advance(1000);
  const answer = put(store, 'again', '1');
  await turn();
  assert.equal(await settled(answer), before.revision + 1, 'nobody has seen the revisions that were taken back');
  await store.health('writing');
  await settled(store.revokeLease(held));
  assert.deepEqual(
    store.rangeNow(ALL).kvs.map((kv) => kv.key),
    ['again', 'kept'],
  );
});

test('a lease that cannot be ended for want of room is ended when there is', async () => {
  const { store, journal, clock } = slowStore();
  const granting = store.grantLease(10);
  journal.endTurn();
  journal.sync();
  const { id } = await granting;
  await clock.advance(10_000);
  journal.endTurn();
  journal.probeError = new StoreFullError('the disk is full');
  journal.sync(journal.probeError);
  assert.deepEqual(await store.leases(), [id]);
  await clock.advance(5000);
  assert.deepEqual(await store.leases(), [id]);
  journal.probeError = undefined;
  await clock.advance(2000);
  await turn();
  journal.endTurn();
  journal.sync();
  assert.deepEqual(await store.leases(), []);
});

test('a disk that does not answer fails the health of writing in two seconds', async () => {
  const { store, journal, clock } = slowStore();
  journal.probe = () => new Promise<void>(() => undefined);
  const refused = assert.rejects(store.health('writing'), /the disk does not answer/);
  await clock.advance(2000);
  await refused;
});

test('more than may wait is refused', async () => {
  const { store, journal } = slowStore();
  const answers = Array.from({ length: 10_000 }, (_, i) => put(store, `k${i}`, ''));
  await assert.rejects(put(store, 'one more', ''), /too many transactions are waiting/);
  journal.endTurn();
  journal.sync();
  await Promise.all(answers);
  const big = putHeld(store, { type: 'put', key: 'big', value: new Uint8Array(64 * 1024 * 1024) });
  await assert.rejects(put(store, 'behind the big one', ''), /too many transactions are waiting/);
  journal.endTurn();
  journal.sync();
  await big;
});

test('what memory has let go is read from the journal, by reads and by watchers', async () => {
  const { store, journal } = slowStore(1000);
  for (let i = 0; i < 40; i++) {
    const answer = put(store, `k${i % 4}`, String(i));
    journal.endTurn();
    journal.sync();
    await answer;
  }
  const past = await store.range({ ...ALL, revision: 11 });
  assert.deepEqual(
    past.kvs.map((kv) => kv.modRevision),
    [10, 11, 8, 9],
  );
  const sink = new Recorder();
  store.watch({ ...ALL, startRevision: 2 }, sink);
  await sink.until(() => sink.events_.length === 40);
  assert.deepEqual(
    sink.events_.map((e) => e.kv.modRevision),
    Array.from({ length: 40 }, (_, i) => i + 2),
  );
});

test('the time that leases have left is written down at close, and expiry while failing is quiet', async () => {
  const { store, journal, clock } = slowStore();
  const granting = store.grantLease(100);
  journal.endTurn();
  journal.sync();
  const { id } = await granting;
  await clock.advance(30_000);
  const closing = store.close();
  for (let i = 0; i < 20; i++) await Promise.resolve();
  journal.endTurn();
  journal.sync();
  await closing;
  assert.deepEqual(journal.leases.at(-1), { id, grantedTtl: 100, ttl: 70 });
  assert.equal(clock.pending, 0);
});

test('compaction is told to the journal', async () => {
  const { store, journal } = slowStore();
  const answer = write(store, putOp('a', '1'));
  journal.endTurn();
  journal.sync();
  const { revision } = await answer;
  await store.compact(revision);
  assert.deepEqual(journal.compacted, [revision]);
});
