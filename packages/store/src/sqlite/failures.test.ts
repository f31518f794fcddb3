/** What goes wrong beside the file, told by its thread and read on this side. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DamagedValueError, StoreCutBackError, StoreUnavailableError } from '../errors.ts';
import { describe } from './clerk.ts';
import { CommitError } from './database.ts';
import { toStoreError } from './journal.ts';
import type { Failure } from './messages.ts';

const sqlite = (errcode: number): Error => Object.assign(new RangeError('it said so'), { errcode });
const system = (code: string): Error => Object.assign(new RangeError('it said so'), { code });
const said = (code: number, outcomeUnknown = false): Failure => ({ message: 'it said so', code, outcomeUnknown });

const THROWN: readonly [name: string, thrown: unknown, failure: Failure][] = [
  ['SQLite, before the commit', sqlite(10), said(10)],
  ['SQLite, at the commit: who knows', new CommitError(sqlite(10)), said(10, true)],
  ['a full disk at the commit: it did not happen', new CommitError(sqlite(13)), said(13)],
  ['a full disk by an extended code', new CommitError(sqlite(13 | (1 << 8))), said(13 | (1 << 8))],
  ['a full disk as the system tells it', system('ENOSPC'), said(13)],
  ['a quota', new CommitError(system('EDQUOT')), said(13)],
  ['a word of the system for something else', system('EACCES'), said(0)],
  ['a code that is no number', Object.assign(new RangeError('it said so'), { errcode: '13' }), said(0)],
  ['what is no error', 'it said so', said(0)],
  ['no error at the commit', new CommitError('it said so'), said(0, true)],
];
for (const [name, thrown, failure] of THROWN)
  test(`thrown: ${name}`, () => assert.deepEqual(describe(thrown), failure));

test('thrown: a damaged value says which, a store that was cut back why', () => {
  assert.equal(describe(new DamagedValueError('k')).damagedKey, 'k');
  assert.equal(describe(new CommitError(new DamagedValueError('k'))).damagedKey, 'k');
  const { cutBack } = describe(new StoreCutBackError('a file is missing', { file: 'x' }));
  assert.deepEqual(cutBack, { why: 'a file is missing', facts: { file: 'x' } });
});

const READ: readonly [name: string, failure: Failure, code: string, words: RegExp][] = [
  ['busy', said(5), 'store-unavailable', /f\.db: another process holds the file \(it said so\)/],
  ['read-only, extended', said(8 | (3 << 8)), 'store-unavailable', /the file cannot be written/],
  ['input or output', said(10), 'store-unavailable', /input or output failed/],
  ['damaged', said(11), 'store-unavailable', /the file is damaged/],
  ['full', said(13), 'store-full', /the disk is full/],
  ['full, extended', said(13 | (1 << 8)), 'store-full', /the disk is full/],
  ['cannot be opened', said(14), 'store-unavailable', /cannot be opened/],
  ['no store', said(26), 'store-unavailable', /the file is no store/],
  ['nothing known', said(0), 'store-unavailable', /the file cannot be used \(it said so\)/],
  ['a damaged value', { ...said(0), damagedKey: 'k' }, 'store-damaged-value', /"k" is damaged/],
  ['cut back', { ...said(0), cutBack: { why: 'older', facts: {} } }, 'store-cut-back', /has lost data: older/],
];
for (const [name, failure, code, words] of READ)
  test(`read: ${name}`, () => {
    const error = toStoreError(failure, 'f.db');
    assert.equal((error as StoreUnavailableError).code, code);
    assert.match(error.message, words);
  });

test('read: whether a write may have happened is handed on', () => {
  for (const outcomeUnknown of [true, false]) {
    const error = toStoreError(said(10, outcomeUnknown), 'f.db');
    assert.ok(error instanceof StoreUnavailableError);
    assert.equal(error.outcomeUnknown, outcomeUnknown);
  }
});
