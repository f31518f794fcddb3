import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change, Entry } from './entry.ts';
import { entrySize } from './entry.ts';
import { History } from './history.ts';
import { OrderedMap } from './ordered-map.ts';
import { readPast } from './past-range.ts';

const SPAN = { from: '', end: undefined };
const REQUEST = { key: '', end: '\0' };

/** A key rewritten `count` times, in revisions from 1 on. */
function rewritten(history: History, map: OrderedMap<Entry>, count: number): void {
  for (let revision = 1; revision <= count; revision++) {
    const kv = entry(`k${revision % 3}`, revision);
    const prevKv = map.set(kv);
    const change: Change = prevKv === undefined ? { type: 'put', kv } : { type: 'put', kv, prevKv };
    history.record([change]);
    if (history.wantsCheckpoint) history.checkpoint(revision, map.freeze());
  }
}

function entry(key: string, revision: number): Entry {
  const value = new Uint8Array(10);
  return { key, value, createRevision: 1, modRevision: revision, version: 1, lease: 0, position: revision };
}

test('reads of the past, over checkpoints', () => {
  const history = new History(0);
  const map = new OrderedMap<Entry>(entrySize);
  rewritten(history, map, 5000);
  for (const revision of [3, 4, 1023, 1024, 1025, 3000, 4999, 5000]) {
    const { kvs } = readPast(history.past(revision, SPAN, map.freeze()), REQUEST, 5000);
    const expected = [revision, revision - 1, revision - 2].toSorted((a, b) => (a % 3) - (b % 3));
    assert.deepEqual(
      kvs.map((kv) => kv.modRevision),
      expected,
      `revision ${revision}`,
    );
  }
});

test('what is forgotten is gone, the rest is whole', () => {
  const history = new History(0);
  const map = new OrderedMap<Entry>(entrySize);
  rewritten(history, map, 3000);
  const before = history.bytes;
  history.forget(2000);
  assert.equal(history.floor, 2000);
  assert.ok(history.bytes < before / 2);
  const revisions = history.between(2000, 2500).map((c) => c.kv.modRevision);
  assert.deepEqual([revisions.length, revisions[0], revisions.at(-1)], [500, 2001, 2500]);
  history.forget(1000);
  assert.equal(history.floor, 2000, 'the floor does not go down');
  history.forget(3000);
  assert.deepEqual([history.bytes, history.between(0, 9999).length], [0, 0]);
});

test('the revision to forget so that the rest fits', () => {
  const history = new History(0);
  rewritten(history, new OrderedMap<Entry>(entrySize), 1000);
  assert.equal(history.revisionToFit(history.bytes), 0);
  history.forget(history.revisionToFit(history.bytes / 4));
  assert.ok(history.floor >= 745 && history.floor <= 755, `floor ${history.floor}`);
});
