import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { makeTestFolder } from '@binnacle/base/testing';
import type { Entry } from '../mvcc/entry.ts';
import { DAMAGED } from '../mvcc/entry.ts';
import { Database } from './database.ts';
import type { Packed } from './packing.ts';
import { unpackChanges, unpackEntries } from './packing.ts';

/** Written by the first version: a cluster after some creates, a label, a delete. */
const FORMAT_1 = gunzipSync(readFileSync(new URL('../node/fixtures/format-1.db.gz', import.meta.url)));

/** What its own SQL says of it, read when it was written. */
const REVISION = 152;
const KEYS = 147;
const DIGEST = '7df7d82e8365c185';

function scratch(t: { after: (run: () => void) => void }): { path: string; markPath: string } {
  const directory = makeTestFolder().path;
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'store.db');
  writeFileSync(path, FORMAT_1);
  return { path, markPath: `${path}-mark` };
}

function entriesOf(db: Database): Entry[] {
  const parts: Packed[] = [];
  db.load((part) => parts.push(part));
  return parts.flatMap((part) => [...unpackEntries(part)].map(({ entry }) => entry));
}

/** Of all keys, revisions and values. */
function digest(entries: readonly Entry[]): string {
  const hash = createHash('sha256');
  for (const entry of entries.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    hash.update(`${entry.key} ${entry.createRevision} ${entry.modRevision} ${entry.version}\n`).update(entry.value);
  }
  return hash.digest('hex').slice(0, 16);
}

test('a data directory of the first version is opened, upgraded, and opened again', (t) => {
  const where = scratch(t);
  for (const round of ['upgraded', 'opened again']) {
    const db = new Database(where);
    const entries = entriesOf(db);
    assert.deepEqual(
      [db.load(() => undefined).revision, entries.length, digest(entries)],
      [REVISION, KEYS, DIGEST],
      round,
    );
    const greeting = entries.find((entry) => entry.key === '/registry/configmaps/default/greeting');
    assert.match(Buffer.from(greeting?.value ?? []).toString(), /"round":"2"/);
    assert.ok(!entries.some((entry) => entry.value === DAMAGED));
    assert.ok(
      unpackChanges(db.history(0, REVISION)).some((c) => c.type === 'delete'),
      'its history too',
    );
    db.close();
  }
});

const DAMAGES: readonly { name: string; sql: string }[] = [
  { name: 'value', sql: `UPDATE log SET value = CAST(replace(value, 'hello', 'hullo') AS BLOB) WHERE position = ?` },
  { name: 'revision', sql: 'UPDATE log SET revision = revision - 1 WHERE position = ?' },
  { name: 'version', sql: 'UPDATE log SET version = version + 1 WHERE position = ?' },
  { name: 'checksum', sql: 'UPDATE log SET crc = crc + 1 WHERE position = ?' },
  { name: 'type of the value', sql: 'UPDATE log SET value = 5 WHERE position = ?' },
];

for (const { name, sql } of DAMAGES) {
  test(`a damaged ${name} is found, and no other entry suffers`, (t) => {
    const where = scratch(t);
    new Database(where).close();
    const raw = new DatabaseSync(where.path);
    const key = '/registry/configmaps/default/greeting';
    const last = raw.prepare('SELECT max(position) AS position FROM log WHERE key = ?').get(Buffer.from(key));
    assert.equal(raw.prepare(sql).run(last?.['position'] ?? 0).changes, 1);
    raw.close();
    const db = new Database(where);
    const damaged = entriesOf(db).filter((entry) => entry.value === DAMAGED);
    assert.deepEqual(
      damaged.map((entry) => entry.key),
      [key],
    );
    db.close();
  });
}
