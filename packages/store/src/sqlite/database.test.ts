import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tombstone } from '../mvcc/entry.ts';
import type { Entry } from '../mvcc/entry.ts';
import { Database } from './database.ts';
import type { Packed } from './packing.ts';
import { Packer, unpackChanges, unpackEntries } from './packing.ts';

function entry(key: string, revision: number): Entry {
  const value = Buffer.from(`${key}@${revision}`);
  return { key, value, createRevision: revision, modRevision: revision, version: 1, lease: 0, position: revision };
}

/** Puts `a` at 1, 2, 3, deletes it at 4, puts `b` at 5. */
function filled(): Database {
  const db = new Database({ path: ':memory:' });
  const packer = new Packer();
  const [a1, a2, a3] = [entry('a', 1), entry('a', 2), entry('a', 3)];
  packer.addChange({ type: 'put', kv: a1 });
  packer.addChange({ type: 'put', kv: a2, prevKv: a1 });
  packer.addChange({ type: 'put', kv: a3, prevKv: a2 });
  packer.addChange({ type: 'delete', kv: tombstone('a', 4, 4), prevKv: a3 });
  packer.addChange({ type: 'put', kv: entry('b', 5) });
  packer.addLease({ id: 7, grantedTtl: 60, ttl: 50 });
  packer.addLease({ id: 8, grantedTtl: 60, ttl: 60 });
  packer.addLease({ id: 8, grantedTtl: 60, ttl: 0 });
  const packed = packer.take();
  db.transaction(() => db.write(packed));
  return db;
}

function load(db: Database) {
  const parts: Packed[] = [];
  const loaded = db.load((part) => parts.push(part));
  return { loaded, keys: parts.flatMap((part) => [...unpackEntries(part)].map(({ entry: e }) => e.key)) };
}

function history(db: Database, after: number, upTo: number): string[] {
  return unpackChanges(db.history(after, upTo)).map((change) => {
    const old = change.prevKv === undefined ? '' : `(${change.prevKv.modRevision})`;
    return `${change.type === 'put' ? '+' : '-'}${change.kv.key}@${change.kv.modRevision}${old}`;
  });
}

test('only live keys are loaded, and where it stopped', () => {
  const { loaded, keys } = load(filled());
  assert.deepEqual(keys, ['b']);
  assert.deepEqual(loaded, {
    revision: 5,
    compactRevision: 0,
    nextPosition: 6,
    leases: [{ id: 7, grantedTtl: 60, ttl: 50 }],
  });
});

test('history between revisions, with what was replaced', () => {
  const db = filled();
  assert.deepEqual(history(db, 0, 9), ['+a@1', '+a@2(1)', '+a@3(2)', '-a@4(3)', '+b@5']);
  assert.deepEqual(history(db, 2, 4), ['+a@3(2)', '-a@4(3)']);
  assert.deepEqual(history(db, 5, 9), []);
});

const COMPACTIONS: readonly { revision: number; history: readonly string[]; next: number }[] = [
  { revision: 1, history: ['+a@1', '+a@2(1)', '+a@3(2)', '-a@4(3)', '+b@5'], next: 6 },
  { revision: 3, history: ['+a@2', '+a@3(2)', '-a@4(3)', '+b@5'], next: 6 },
  { revision: 4, history: ['+a@3', '-a@4(3)', '+b@5'], next: 6 },
  { revision: 5, history: ['+b@5'], next: 6 },
];

for (const { revision, history: left, next } of COMPACTIONS) {
  test(`compaction before revision ${revision}`, () => {
    const db = filled();
    db.compact(revision);
    while (db.compacting) db.transaction(() => db.compactSome());
    assert.deepEqual(history(db, 0, 9), left);
    const { loaded, keys } = load(db);
    assert.deepEqual(keys, ['b']);
    assert.deepEqual([loaded.revision, loaded.compactRevision, loaded.nextPosition], [5, revision, next]);
  });
}

test('a transaction that throws leaves nothing', () => {
  const db = filled();
  const packer = new Packer();
  packer.addChange({ type: 'put', kv: entry('c', 6) });
  packer.addChange({ type: 'put', kv: entry('taken', 5) });
  const packed = packer.take();
  assert.throws(() => db.transaction(() => db.write(packed)));
  assert.deepEqual(load(db).keys, ['b']);
});
