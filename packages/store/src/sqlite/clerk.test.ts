import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Entry } from '../mvcc/entry.ts';
import { Clerk } from './clerk.ts';
import { Database } from './database.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { Packer } from './packing.ts';

/** A disk without room, as long as the test says so. */
class TightDatabase extends Database {
  isFull = false;

  override transaction(work: () => void): void {
    super.transaction(() => {
      work();
      if (this.isFull) throw Object.assign(new RangeError('database or disk is full'), { errcode: 13 });
    });
  }
}

function clerk() {
  const db = new TightDatabase({ path: ':memory:' });
  const sent: (FromWorker | number)[] = [];
  const waiting: ToWorker[] = [];
  const served = new Clerk(db, {
    send: (message) => sent.push(message),
    tellDurable: (number) => sent.push(number),
    receive: () => waiting.shift(),
  });
  return { db, sent, waiting, clerk: served };
}

function batch(number: number): ToWorker {
  const entry: Entry = {
    key: `k${number}`,
    value: new Uint8Array(10),
    createRevision: number + 1,
    modRevision: number + 1,
    version: 1,
    lease: 0,
    position: number,
  };
  const packer = new Packer();
  packer.addChange({ type: 'put', kv: entry });
  return { batch: number, packed: packer.take() };
}

test('all that waits is one commit', () => {
  const { clerk: served, waiting, sent, db } = clerk();
  waiting.push(batch(2), { id: 1, question: { ask: 'probe' } }, batch(3));
  served.serve(batch(1));
  assert.deepEqual(sent, [2, { id: 1, answer: undefined }, 3]);
  assert.equal(db.load(() => undefined).revision, 4);
});

test('without room no batch is written until a probe finds some: those behind it rest on it', () => {
  const { clerk: served, sent, db } = clerk();
  served.serve(batch(1));
  db.isFull = true;
  served.serve(batch(2));
  served.serve({ id: 1, question: { ask: 'probe' } });
  db.isFull = false;
  served.serve(batch(3));
  assert.deepEqual(
    sent.map((message) => (typeof message === 'object' && 'full' in message ? 'full' : message)),
    [1, 'full', { id: 1, failed: { message: 'database or disk is full', code: 13, outcomeUnknown: false } }],
  );
  assert.equal(db.load(() => undefined).revision, 2);
  served.serve({ id: 2, question: { ask: 'probe' } });
  served.serve(batch(2));
  assert.deepEqual(sent.slice(3), [{ id: 2, answer: undefined }, 2]);
  assert.equal(db.load(() => undefined).revision, 3);
});

test('any other failure is the end of writing', () => {
  const { clerk: served, sent } = clerk();
  served.serve(batch(1));
  // The position is taken.
  served.serve(batch(1));
  served.serve(batch(2));
  served.serve({ id: 1, question: { ask: 'probe' } });
  assert.deepEqual(
    sent.map((message) => (typeof message === 'number' ? message : Object.keys(message))),
    [1, ['failed'], ['id', 'failed']],
  );
});
