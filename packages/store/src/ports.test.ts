import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefixEnd } from './ports.ts';

const ROWS: readonly { prefix: string; end: string }[] = [
  { prefix: 'a', end: 'b' },
  { prefix: '/registry/pods/', end: '/registry/pods0' },
  { prefix: 'a\xff', end: 'b' },
  { prefix: 'a\xfe', end: 'a\xff' },
  { prefix: 'a\xff\xff', end: 'b' },
  { prefix: '\xff', end: '\0' },
  { prefix: '', end: '\0' },
];

for (const { prefix, end } of ROWS) {
  test(`the end of ${JSON.stringify(prefix)}`, () => assert.equal(prefixEnd(prefix), end));
}
