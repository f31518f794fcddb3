import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPodUid } from './pod-uid.ts';

const rows: readonly [string, boolean][] = [
  ['2b6f8a1e-7c1d-4a53-9f0e-0d6f3a1b2c3d', true],
  ['0123456789abcdef0123456789abcdef', true],
  ['a.b', true],
  ['', false],
  ['.', false],
  ['..', false],
  ['.a', false],
  ['a/b', false],
  ['a_b', false],
  ['a\n', false],
  ['a'.repeat(128), true],
  ['a'.repeat(129), false],
];

for (const [text, is] of rows)
  test(`${JSON.stringify(text.slice(0, 40))} ${is ? 'is' : 'is not'} a uid`, () => assert.equal(isPodUid(text), is));
