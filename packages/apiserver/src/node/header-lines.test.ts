import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hasNameLike, linesOf, shown } from './header-lines.ts';

describe('whether a name begins so', () => {
  const rows: readonly (readonly [name: string, raw: readonly string[], has: boolean])[] = [
    ['none', [], false],
    ['one', ['impersonate-user', 'x'], true],
    ['in capitals', ['Host', 'x', 'IMPERSONATE-Group', 'y'], true],
    ['the beginning alone', ['impersonate-', 'x'], true],
    ['a value', ['host', 'impersonate-user'], false],
    ['in the middle', ['x-impersonate-user', 'x'], false],
    ['too short', ['impersonate', 'x'], false],
    ['the same first letter', ['if-match', 'x', 'i', 'y'], false],
    ['a sign that differs from the letter in its case bit', ['\u0009mpersonate-user', 'x'], false],
    ['an empty name', ['', 'x'], false],
    ['a name without a value', ['Impersonate-User'], true],
    ['a letter that is capital of no other', ['\u0130mpersonate-user', 'x'], false],
  ];
  for (const [name, raw, has] of rows) test(name, () => assert.equal(hasNameLike(raw, 'impersonate-'), has));
});

test('lines by name and value, and those that are not hidden', () => {
  const lines = [...linesOf(['A', '1', 'b', '2', 'A', '3', 'cut'])];
  assert.deepEqual(lines, [
    ['a', '1'],
    ['b', '2'],
    ['a', '3'],
  ]);
  assert.deepEqual([...shown(lines, (name) => name === 'a')], [['b', '2']]);
});
