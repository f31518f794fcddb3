import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counts, sigOf, stringsOf, unlisted, wrongs } from './ledger.ts';
import type { Ledger, Row } from './ledger.ts';

const A = '[sig-node] A should work [Conformance]';
const B = '[sig-apps] B should work [Conformance]';
const FILES: Record<string, string> = {
  'a.test.ts': `check('${A}', () => {});`,
  'b.test.ts': 'check(`' + B + '`, () => {});',
};
const ledgerOf = (...behaviours: Row[]): Ledger => ({
  version: 'v1.36',
  count: behaviours.length,
  profile: [],
  behaviours,
});
const said = (ledger: Ledger): string[] => wrongs(ledger, (path) => FILES[path]);

test('a row names a test that exists, or a feature', () => {
  assert.deepEqual(said(ledgerOf({ codename: A, test: 'a.test.ts' }, { codename: B, waits: 'B' })), []);
  assert.deepEqual(said(ledgerOf({ codename: B, test: 'b.test.ts' })), [], 'a name in back quotes');
  const rows: [Row, RegExp][] = [
    [{ codename: A, test: 'gone.test.ts' }, /gone\.test\.ts is not there/],
    [{ codename: B, test: 'a.test.ts' }, /has no test of this name/],
    [{ codename: A }, /either a test or a feature/],
    [{ codename: A, test: 'a.test.ts', waits: 'x' }, /either a test or a feature/],
    [{ codename: A, waits: ' ' }, /says nothing/],
  ];
  for (const [row, message] of rows) assert.match(said(ledgerOf(row)).join('\n'), message);
});

test('no behaviour gets lost or stands twice', () => {
  const row = { codename: A, waits: 'x' };
  assert.match(said({ ...ledgerOf(row), count: 446 })[0] ?? '', /1 behaviours, upstream v1\.36 has 446/);
  assert.match(said(ledgerOf(row, row))[0] ?? '', /stands twice/);
});

test('a test without its row is told, under a name that upstream has or has not', () => {
  const ledger = ledgerOf({ codename: A, waits: 'x' });
  assert.match(unlisted(ledger, stringsOf('a.test.ts', FILES['a.test.ts'] ?? ''))[0] ?? '', /says that it waits/);
  assert.match(unlisted(ledger, new Set([B]))[0] ?? '', /no such behaviour/);
});

test('counts by SIG, of those that passed where that is known', () => {
  const ledger = ledgerOf({ codename: A, test: 'a.test.ts' }, { codename: B, waits: 'x' });
  assert.equal(sigOf(A), 'sig-node');
  assert.match(counts(ledger), /sig-apps: 0 of 1\n {2}sig-node: 1 of 1\nledger: 1 of 2/);
  assert.match(counts(ledger, new Set()), /ledger: 0 of 2/);
});
