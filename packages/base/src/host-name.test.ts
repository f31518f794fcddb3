import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validHostName } from './host-name.ts';

const rows: readonly [string, string, string][] = [
  ['a valid one', 'node-1.example', 'node-1.example'],
  ['upper case', 'Node-1', 'Node-1'],
  ['that nobody set', '(none)', 'none'],
  ['with an underline', 'my_host', 'my-host'],
  ['with a line end', 'vm\n', 'vm'],
  ['with empty parts', '.a..b.', 'a.b'],
  ['with hyphens around its parts', '-a-.-b-', 'a.b'],
  ['of another script', '서버', 'localhost'],
  ['empty', '', 'localhost'],
  ['of 64 characters', 'a'.repeat(64), 'a'.repeat(63)],
  ['cut at a dot', `${'a'.repeat(62)}.b`, 'a'.repeat(62)],
];

for (const [what, given, wanted] of rows) test(`host name ${what}`, () => assert.equal(validHostName(given), wanted));
