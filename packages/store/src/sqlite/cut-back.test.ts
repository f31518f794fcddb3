import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Found } from './cut-back.ts';
import { judgeFound } from './cut-back.ts';

const mark = { id: 7, reserved: 10_000, durable: 40 };

const ROWS: readonly {
  name: string;
  mark: Found['mark'];
  database: Found['database'];
  revision: number;
  loss?: RegExp;
}[] = [
  { name: 'a new store', mark: undefined, database: { id: 0, revision: 1 }, revision: 1 },
  { name: 'one of an earlier version', mark: undefined, database: { id: 0, revision: 50 }, revision: 50 },
  { name: 'closed', mark: { id: 7, reserved: 50, durable: 50 }, database: { id: 7, revision: 50 }, revision: 50 },
  { name: 'killed', mark, database: { id: 7, revision: 40 }, revision: 10_000 },
  { name: 'killed between the commit and its note', mark, database: { id: 7, revision: 41 }, revision: 10_000 },
  { name: 'killed while it was made', mark, database: { id: 0, revision: 40 }, revision: 10_000 },
  {
    name: 'the log is gone',
    mark,
    database: { id: 7, revision: 39 },
    revision: 10_001,
    loss: /^\/db is at revision 39, but had come to 40 \(says \/mark\)$/,
  },
  {
    name: 'an empty file beside a mark',
    mark,
    database: { id: 0, revision: 1 },
    revision: 10_001,
    loss: /^\/db is at revision 1, but had come to 40/,
  },
  {
    name: 'copied without its mark',
    mark: undefined,
    database: { id: 7, revision: 40 },
    revision: 1_000_000_040,
    loss: /^\/mark, which says how far \/db had come, is missing$/,
  },
  {
    name: 'a mark that cannot be read',
    mark: 'damaged',
    database: { id: 7, revision: 40 },
    revision: 1_000_000_040,
    loss: /is damaged$/,
  },
  {
    name: 'the file of another store',
    mark,
    database: { id: 8, revision: 20_000 },
    revision: 20_001,
    loss: /^\/db is not the store that \/mark belongs to$/,
  },
  {
    name: 'an old mark',
    mark,
    database: { id: 7, revision: 20_000 },
    revision: 20_001,
    loss: /knows of none above 10000$/,
  },
];

for (const { name, mark: found, database, revision, loss } of ROWS) {
  test(name, () => {
    const going = judgeFound({ path: '/db', markPath: '/mark', mark: found, database });
    assert.deepEqual([going.revision, going.isForgetful], [revision, loss !== undefined]);
    if (loss === undefined) assert.equal(going.loss, undefined);
    else assert.match(going.loss ?? '', loss);
  });
}
